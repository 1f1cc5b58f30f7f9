"""Presents a GGUF model as a checkpoint: a folder of configuration files made of its metadata, and its tensors.

    model.gguf ──read_model──▶ GgufModel ─┬─make_config, make_tokenizer──▶ <cache>/gguf/<key>/<name>/config.json …
                                          └─name_tensors──▶ {name: TensorInfo}, whose data stay in the GGUF file

The folder's key is the digest of the headers and of this package: a changed file or another Joinery has another one.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from functools import cache
from pathlib import Path
from typing import Any

from workflows import __version__
from workflows.checkpoint.configuration import CONFIG, GENERATION
from workflows.checkpoint.files import open_file, regular_file
from workflows.checkpoint.gguf.architectures import find_architecture, make_config, make_generation_config
from workflows.checkpoint.gguf.model import GgufModel, read_model
from workflows.checkpoint.gguf.tensors import name_tensors
from workflows.checkpoint.gguf.tokenizer import make_tokenizer
from workflows.checkpoint.sentence_transformers import MODULES
from workflows.checkpoint.tokenizer import TOKENIZER
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable
from workflows.common.files import try_remove
from workflows.common.paths import cache_home, make_folder

_SETTINGS = "tokenizer_config.json"
_MODES = {1: "mean", 2: "cls", 3: "lasttoken"}  # llama_pooling_type
_FOLDERS = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}


def make_pooling(model: GgufModel) -> dict[str, Any]:
    """The files by their names in the folder; empty for a model without pooling. Raises CheckpointError."""
    kind = model.integer("pooling_type", 0)
    if not kind:
        return {}
    if kind not in _MODES:
        what = "ranks pairs of texts by a head" if kind == 4 else f"has the pooling {printable(kind, 24)}"
        raise model.error(f"it {what}, which is not read from GGUF")
    modules = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{name}"}
        for place, (name, path) in enumerate(_FOLDERS.items())
    ]
    pooling = {"word_embedding_dimension": model.integer("embedding_length"), "pooling_mode": _MODES[kind]}
    return {MODULES: modules, f"{_FOLDERS['Pooling']}/{CONFIG}": pooling}


def present_gguf(folder: Path, names: tuple[str, ...]) -> tuple[Path, dict[str, TensorInfo]]:
    """The folder with the configuration of the model in the files `names`, and the model's tensors.

    Raises CheckpointError for a damaged model, and for one whose architecture or tokenizer is not read.
    """
    model = read_model(folder, names)
    architecture = find_architecture(model)
    tensors = name_tensors(model, architecture)
    target = cache_home() / "gguf" / _key(model) / model.stem
    if not target.is_dir():
        config = make_config(model, architecture)  # first: what kinds of tokenizers are read depends on the model
        tokenizer, settings = make_tokenizer(model)
        _write(target, {
            CONFIG: config,
            GENERATION: make_generation_config(model),
            TOKENIZER: tokenizer,
            _SETTINGS: settings,
            **make_pooling(model),
        })  # fmt: skip
    return target, tensors


def _key(model: GgufModel) -> str:
    digest = hashlib.sha256(f"{__version__} {_sources()} {model.stem}".encode())
    for name in model.files:
        own = [tensor.offset for tensor, file in model.tensors.values() if file == name]
        with open_file(regular_file(model.folder, name)) as file:
            digest.update(hashlib.sha256(file.read(min(own, default=0))).digest())
    for name in sorted(model.tensors):
        tensor, _ = model.tensors[name]
        if tensor.form.plain == "float32" and name.startswith("rope_"):
            digest.update(model.numbers(name).tobytes())
    return digest.hexdigest()[:32]


@cache
def _sources() -> str:
    """The digest of this package, where it has sources: a frozen Joinery has its version alone."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _write(target: Path, contents: dict[str, Any]) -> None:
    """Writes the folder, at once; another process may have written the same."""
    draft = target.parent.with_name(f"{target.parent.name}.{secrets.token_hex(4)}.tmp")
    try:
        for name, content in contents.items():
            path = draft / target.name / name
            make_folder(path.parent)
            path.write_text(json.dumps(content, ensure_ascii=False) + "\n", "utf-8")
        draft.replace(target.parent)
    except OSError as error:
        try_remove(draft)
        if not target.is_dir():
            raise CheckpointError(
                f"The configuration of '{printable(target.name)}' cannot be written to {printable(target.parent)} "
                f"({printable(error.strerror or error, 80)}); make room there, or set JOINERY_HOME to another folder."
            ) from error
