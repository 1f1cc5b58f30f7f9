"""The `Checkpoint` class: what a checkpoint contains and which code it would run; `read_checkpoint` reads a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from workflows.checkpoint import configuration, weights
from workflows.checkpoint.config_checks import check_sizes, check_values
from workflows.checkpoint.configuration import CODE_CONFIGS, GENERATION
from workflows.checkpoint.files import exists, regular_file, sha256
from workflows.checkpoint.gguf import find_gguf
from workflows.checkpoint.other_folders import has_weights, other_folder
from workflows.checkpoint.quantized import SETTINGS_FILES, quantization_settings
from workflows.checkpoint.remote_code import remote_code
from workflows.checkpoint.sentence_transformers import embedding_files, is_embedder, scored_tokens, transformer_folder
from workflows.checkpoint.tokenizer import TOKENIZER_FILES, TokenizerInfo, read_tokenizer
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import Cancelled, CheckpointError, RemoteCodeError, printable
from workflows.wire.events import Event, ProgressEvent

if TYPE_CHECKING:
    from workflows.checkpoint.peft.adapter import PeftAdapter

SourceKind = Literal["folder", "demo", "hub"]
PROGRESS_STEP = 16 << 20  # bytes between two progress events
_HASHED_AT_ONCE = 2  # files: a thread makes 0.6 GB/s, and disks give more


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A validated checkpoint; none of its code has run.

    root: what was opened; `folder` is below it where sentence-transformers has the model in a folder of its own.
    weights_folder: where the files of `tensors` are: `folder`, but for GGUF, whose configuration has its own folder.

    `dtype` is the dtype of most elements, `parameters` the number of stored elements (tied weights once),
    `weights_bytes` the bytes of tensor data. `eos_token_ids`, `bos_token_id` and `pad_token_id` come from
    generation_config.json, else from config.json. `remote_code` maps each Python file that would run to its SHA-256.
    `revision` is the commit of a Hub checkpoint, else "". adapters: what a build merges into the weights, in order, and
    no part of `tensors` and `digest`. switched: adapters that it holds beside them, of which a generation chooses one.
    """

    source: str
    kind: SourceKind
    folder: Path
    root: Path
    weights_folder: Path
    revision: str
    config: dict[str, object] = field(repr=False)
    generation_config: dict[str, object] = field(repr=False)
    model_type: str
    architectures: tuple[str, ...]
    tensors: dict[str, TensorInfo] = field(repr=False)
    dtype: str
    parameters: int
    weights_bytes: int
    tokenizer: TokenizerInfo | None
    eos_token_ids: tuple[int, ...]
    bos_token_id: int | None
    pad_token_id: int | None
    remote_code: dict[str, str]
    adapters: tuple[PeftAdapter, ...] = ()
    switched: tuple[PeftAdapter, ...] = ()

    @property
    def portable_source(self) -> str:
        """The source without a path of this machine, since bundles are shared."""
        return self.root.name if self.kind == "folder" else self.source

    @property
    def bundle_name(self) -> str:
        """The model's name in its bundles and in the history of runs."""
        if self.kind == "demo":
            return self.source.removeprefix("demo:") + "-demo"
        return self.portable_source.rsplit("/", 1)[-1]

    @property
    def weight_files(self) -> tuple[str, ...]:
        """The names of the weight files in the folder."""
        return tuple(sorted({file for tensor in self.tensors.values() for file in tensor.files}))

    @property
    def files(self) -> dict[str, Path]:
        """The files that a build reads: configs, tokenizer, code and weights, by name in `root`, with their folder.

        Those of GGUF are its own: its configuration is made of them.
        """
        if self.weights_folder != self.folder:
            return dict.fromkeys(self.weight_files, self.weights_folder)
        small = {*CODE_CONFIGS, GENERATION, *TOKENIZER_FILES, *weights.INDICES, *SETTINGS_FILES}
        present = {name for name in small if exists(self.folder, name)}
        below = self.folder.relative_to(self.root)
        own = {(below / name).as_posix() for name in (*present, *self.remote_code, *self.weight_files)}
        return dict.fromkeys(sorted({*own, *embedding_files(self.root)}), self.root)

    @property
    def embeds(self) -> bool:
        """Whether it is of sentence-transformers and makes vectors of texts."""
        return is_embedder(self.root)

    @property
    def scored_tokens(self) -> tuple[int, ...] | None:
        """The ids whose logits make the score of a pair, where it is of sentence-transformers and ranks by them."""
        return scored_tokens(self.root)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the names and contents of `files`: equal for equal checkpoints, wherever they are stored."""
        return self.compute_digest()

    def compute_digest(
        self, report: Callable[[Event], None] = lambda _: None, cancelled: Callable[[], bool] = lambda: False
    ) -> str:
        """Returns `digest`, with progress in bytes. Raises Cancelled, CheckpointError for a file that disappeared."""
        paths = {name: regular_file(folder, name) for name, folder in self.files.items()}
        total, done, reported = sum(path.stat().st_size for path in paths.values()), 0, 0
        lock = Lock()

        def advance(count: int) -> None:
            nonlocal done, reported
            if cancelled():
                raise Cancelled("Cancelled while the checkpoint was being read.")
            with lock:
                done += count
                if done - reported >= PROGRESS_STEP or done == total:
                    reported = done
                    report(ProgressEvent(stage="checkpoint", message="hashing", done=done, total=total, unit="bytes"))

        hasher = hashlib.sha256()
        with ThreadPoolExecutor(_HASHED_AT_ONCE) as pool:
            for name, digest in zip(paths, pool.map(lambda path: sha256(path, advance), paths.values()), strict=True):
                hasher.update(f"{name}\0{digest}\n".encode())
        return hasher.hexdigest()

    def require_consent(self, trust_remote_code: bool, consented: frozenset[str] = frozenset()) -> None:
        """Raises RemoteCodeError unless no code would run, or all is trusted or has its SHA-256 in `consented`."""
        pending = {name: value for name, value in self.remote_code.items() if value not in consented}
        if trust_remote_code or not pending:
            return
        named = ", ".join(f"{printable(name)} ({value[:12]})" for name, value in list(pending.items())[:6])
        more = f" and {len(pending) - 6} more" if len(pending) > 6 else ""
        raise RemoteCodeError(
            f"This checkpoint would run its own Python code: {named}{more}; read these files, and if you trust them "
            "say so with --trust-remote-code.",
            pending,
        )


def read_checkpoint(folder: Path, source: str, kind: SourceKind, revision: str = "") -> Checkpoint:
    """Reads the checkpoint in a folder, or in a GGUF file. Raises CheckpointError with one sentence."""
    weights_folder = folder if folder.is_dir() else folder.parent
    if folder.is_dir() and (sentence := other_folder(folder)):
        raise CheckpointError(sentence)
    if files := _gguf_files(folder):
        from workflows.checkpoint.gguf.folder import present_gguf  # imports numpy

        root, tensors = present_gguf(weights_folder, files)
        folder = root
    else:
        root, folder = folder, _model_folder(folder)
        weights_folder, tensors = folder, {}
    config = configuration.read_config(folder)
    generation = configuration.read_optional(folder, GENERATION)
    text = config.get("text_config")
    sources = (generation, config, text if isinstance(text, dict) else {})
    tensors = tensors or _presented(folder, config)
    check_sizes(config, tensors)
    check_values(config)
    checkpoint = Checkpoint(
        source=source,
        kind=kind,
        folder=folder,
        root=root,
        weights_folder=weights_folder,
        revision=revision,
        config=config,
        generation_config=generation,
        model_type=configuration.model_type(config),
        architectures=configuration.architectures(config),
        tensors=tensors,
        dtype=weights.dominant_dtype(tensors),
        parameters=sum(tensor.elements for tensor in tensors.values()),
        weights_bytes=sum(tensor.bytes for tensor in tensors.values()),
        tokenizer=read_tokenizer(folder),
        eos_token_ids=configuration.token_ids("eos_token_id", *sources),
        bos_token_id=next(iter(configuration.token_ids("bos_token_id", *sources)), None),
        pad_token_id=next(iter(configuration.token_ids("pad_token_id", *sources)), None),
        remote_code=remote_code(folder),
    )
    for name, place in checkpoint.files.items():
        regular_file(place, name)
    return checkpoint


def _presented(folder: Path, config: dict[str, object]) -> dict[str, TensorInfo]:
    """The tensors of a folder as the model has them."""
    tensors = weights.read_weights(folder)
    settings = quantization_settings(folder, config)
    if not settings:
        return tensors
    from workflows.checkpoint.quantized.methods import present_quantized  # imports numpy

    return present_quantized(folder, config, settings, tensors)


def _gguf_files(place: Path) -> tuple[str, ...]:
    """The files of a model in GGUF; empty for a folder that has other weights, or none."""
    if place.is_dir() and has_weights({path.name for path in place.iterdir()}):
        return ()
    return find_gguf(place)


def _model_folder(root: Path) -> Path:
    """The folder with config.json, which sentence-transformers may have below `root`."""
    folder = root / transformer_folder(root)
    if not folder.resolve().is_relative_to(root.resolve()):
        raise CheckpointError(
            f"'{printable(folder.name)}' is a link that leaves the checkpoint's folder, which is refused; "
            "put a copy of the folder in its place."
        )
    return folder


def missing_folder_error(source: str, path: Path) -> CheckpointError:
    """Returns the error for a `source` that looks like a path and is not a checkpoint folder."""
    if path.is_file():
        return CheckpointError(
            f"{printable(source)} is a file; give the folder that holds config.json and the weight files, or a model "
            "in GGUF (.gguf)."
        )
    return CheckpointError(
        f"There is no folder {printable(source)}; give a checkpoint's folder, demo:NAME, or a model's name on the hub."
    )
