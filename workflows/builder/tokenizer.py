"""Writes the tokenizer files of a bundle: a tokenizer.json that runs without transformers.

    tokenizer.json, tokenizer.model, vocab.txt … ──AutoTokenizer──▶ tokenizer/ of the bundle

transformers combines several files and its class's behaviour: added tokens, bos and eos around a text, a leading space.
Running reads tokenizer.json alone, so all of it is written into that file.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from workflows.builder.piece_files import piece_files
from workflows.builder.workspace import Report
from workflows.checkpoint.configuration import read_optional
from workflows.checkpoint.files import read_object
from workflows.checkpoint.tokenizer import TOKENIZER_FILES, TOKENIZER_LIMIT, TokenizerInfo, read_tokenizer
from workflows.common.errors import CheckpointError, printable
from workflows.generate.piece_encoder import PIECES, PieceSettings
from workflows.wire.events import NoticeEvent

TOKENIZER, SETTINGS, TEMPLATE = "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"
SPECIAL = "special_tokens_map.json"
COPIED = (TOKENIZER, SETTINGS, SPECIAL, TEMPLATE, "generation_config.json", "config.json",
          "preprocessor_config.json", "processor_config.json")  # fmt: skip
WORDS = (TOKENIZER, SETTINGS, SPECIAL, TEMPLATE)  # of these, a tokenizer's
# A file that determines the kind of tokenizer → those without which it says nothing.
_PARTNERS = {"source.spm": ("target.spm", "vocab.json")}


def write_tokenizer(checkpoint: Path, target: Path, report: Report = lambda _: None, wanted: bool = True) -> None:
    """Writes the folder `target` with the tokenizer and generation files of `checkpoint`; wanted: those of a tokenizer.

    Where transformers cannot load the tokenizer, the files are copied unchanged and the reason is reported.
    """
    target.mkdir()
    for name in COPIED:
        if (checkpoint / name).is_file() and (wanted or name not in WORDS):
            shutil.copyfile(checkpoint / name, target / name)
    info = read_tokenizer(checkpoint) if wanted else None
    if info is None:
        return
    made = _make(checkpoint)
    if isinstance(made, str):
        fallback = f"The {TOKENIZER} is copied unchanged" if info.fast else "The bundle takes token ids only"
        report(NoticeEvent(code="tokenizer", message=f"{fallback}, because transformers cannot load it: {made}."))
        return
    _write(made, target)
    # transformers' own class reads the original files, where a bundle runs in its pipelines
    for name in TOKENIZER_FILES if made.pieces is not None else ():
        if not (target / name).exists() and (checkpoint / name).is_file():
            shutil.copyfile(checkpoint / name, target / name)


def take_tokenizer(folder: Path, target: Path, report: Report = lambda _: None) -> None:
    """Writes the folder `target` with the tokenizer of another program's `folder`, which needs no transformers.

    Its tokenizer.json is taken as it is, without truncation and padding. One that its settings contradict (tokens that
    it lacks, a bos or eos that it does not add) is made by transformers, as is a tokenizer of other files.
    """
    info = read_tokenizer(folder)
    if info is None or not info.fast or _why_unreadable(folder, info):
        write_tokenizer(folder, target, report)
        return
    backend = Tokenizer.from_file(str(folder / TOKENIZER))
    backend.no_truncation()
    backend.no_padding()
    settings = read_optional(folder, SETTINGS)
    if not _agrees(backend, settings, read_optional(folder, "added_tokens.json")):
        write_tokenizer(folder, target, report)
        return
    target.mkdir()
    for name in COPIED:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, target / name)
    (target / TOKENIZER).write_text(backend.to_str(), "utf-8")
    special = {key: value for key, value in read_optional(folder, SPECIAL).items() if key not in settings}
    if special:
        (target / SETTINGS).write_text(json.dumps(settings | special, ensure_ascii=False, indent=2) + "\n", "utf-8")


def _agrees(backend: Tokenizer, settings: Mapping[str, Any], added: Mapping[str, Any]) -> bool:
    """Whether a tokenizer.json has the added tokens of the files beside it, and adds the bos and eos that they say."""
    decoder = settings.get("added_tokens_decoder") or {}
    if any(backend.token_to_id(str(token)) != ident for token, ident in added.items()):
        return False
    if any(backend.token_to_id(_content(token)) != int(ident) for ident, token in decoder.items()):
        return False
    ids = backend.encode("a").ids
    for key, place in (("bos", ids[:1]), ("eos", ids[-1:])):
        says, token = settings.get(f"add_{key}_token"), backend.token_to_id(_content(settings.get(f"{key}_token")))
        if isinstance(says, bool) and token is not None and says != (place == [token]):
            return False
    return True


def _content(token: object) -> str:
    """The text of a token in a file of settings: itself, or an object that holds it."""
    return str(token.get("content", "")) if isinstance(token, dict) else str(token or "")


_RANKS = re.compile(rb"[A-Za-z0-9+/]+=* \d+\r?\n")
"""The first line of tiktoken's ranks, which Llama 3 and others keep in tokenizer.model, too."""


def check_tokenizer(checkpoint: Path) -> None:
    """Raises CheckpointError for a tokenizer that is unreadable or that no tokenizer.json can be made of.

    A checkpoint without one is valid. What has a tokenizer.json is not loaded by transformers.
    """
    info = read_tokenizer(checkpoint)
    if info is None:
        return
    why, remedy = _why_unreadable(checkpoint, info), "get it again"
    if not (why or info.fast):
        made = _make(checkpoint)
        why, remedy = (made, "give one with a tokenizer.json") if isinstance(made, str) else ("", "")
    if why:
        raise CheckpointError(
            f"The tokenizer {info.file} of {printable(checkpoint)} cannot be used: {why}; {remedy}, or build without "
            "the tokenizer (--no-tokenizer): the bundle then takes token ids alone."
        )


def _why_unreadable(checkpoint: Path, info: TokenizerInfo) -> str:
    """The fault of the tokenizer's files by themselves; empty where there is none. Raises as read_object."""
    if info.fast:
        try:
            Tokenizer.from_str((checkpoint / TOKENIZER).read_text("utf-8"))
        except Exception as error:  # noqa: BLE001 - the tokenizers library raises bare Exception alone
            return printable(error).rstrip(".")
        return ""
    for name in (info.file, *_PARTNERS.get(info.file, ())):
        if not (checkpoint / name).is_file():
            return f"{name} is missing beside it"
        if name.endswith((".model", ".spm")) and (why := _why_no_pieces((checkpoint / name).read_bytes())):
            return f"{name} {why}"
        content = read_object(checkpoint, name, TOKENIZER_LIMIT) if name.endswith(".json") else {}
        if info.kind == "tekken" and "special_tokens" not in content:
            return "it is of the older form, whose special tokens stand in a program of Mistral alone"
    return ""


def _why_no_pieces(data: bytes) -> str:
    """The fault of a SentencePiece model, or of tiktoken's ranks under its name; empty where it has pieces."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped,unused-ignore]
    from sentencepiece import sentencepiece_model_pb2

    if _RANKS.match(data):
        return ""
    # transformers has two modules of the same messages, and a process that imports more than one cannot use any.
    model = sentencepiece_model_pb2.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        return "is not a SentencePiece model"
    return "" if model.pieces else "is a SentencePiece model without pieces"


@dataclass(frozen=True)
class _MadeTokenizer:
    """theirs: transformers' tokenizer. file: its tokenizer.json. pieces: encodes in its place, where that cannot."""

    theirs: Any
    file: Tokenizer
    pieces: PieceSettings | None = None


def _make(checkpoint: Path) -> _MadeTokenizer | str:
    """The tokenizer of a checkpoint's files, or why there is none; never runs code of the checkpoint."""
    theirs, why = _load(checkpoint)
    if theirs is None:
        return why
    if theirs.is_fast:
        return _MadeTokenizer(theirs, theirs.backend_tokenizer)
    files = piece_files(theirs)
    return files if isinstance(files, str) else _MadeTokenizer(theirs, *files)


def _load(checkpoint: Path) -> tuple[Any, str]:
    """transformers' tokenizer; None and the reason where it cannot be loaded."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast
    from transformers.convert_slow_tokenizer import TikTokenConverter
    from transformers.utils import logging

    logging.set_verbosity_error()  # the build reports what matters
    # tiktoken's own caches what it read by the path in the folder of temporary files, and needs a client of the web.
    TikTokenConverter.load_tiktoken_bpe = staticmethod(read_ranks)
    why = ""
    for kind in (AutoTokenizer, PreTrainedTokenizerFast):
        try:
            with warnings.catch_warnings(action="ignore"):  # Marian's recommends a package that nothing calls
                return kind.from_pretrained(checkpoint, local_files_only=True, trust_remote_code=False), ""
        except Exception as error:  # noqa: BLE001 - transformers and tokenizers raise what they like
            why = why or _reason(error)
    return None, why


def read_ranks(path: str) -> dict[bytes, int]:
    """tiktoken's ranks: a line for each piece, base64, and its id. Raises ValueError for another line."""
    with Path(path).open("rb") as lines:
        rows = [line.split() for line in lines if line.strip()]
    return {base64.b64decode(piece, validate=True): int(rank) for piece, rank in rows}


def _reason(error: Exception) -> str:
    """What transformers says, in one line. Its list of what it lacks, which names packages that it does not, is not."""
    text = " ".join(str(error).split())
    if not isinstance(error, OSError | ValueError | ImportError):
        text = f"{type(error).__name__}: {text}"
    if text.startswith("Couldn't instantiate the backend tokenizer"):
        return (
            "the model's class reads other files, and tokenizer_config.json names no tokenizer_class that reads these"
        )
    return printable(text, 300).rstrip(".")


def _write(made: _MadeTokenizer, target: Path) -> None:
    """Writes the complete tokenizer to tokenizer.json, and transformers' Python behaviour to its settings."""
    tokenizer, backend = made.theirs, made.file
    if made.pieces is not None:
        (target / PIECES).write_text(made.pieces.model_dump_json() + "\n", "utf-8")
    backend.no_truncation()
    backend.no_padding()
    (target / TOKENIZER).write_text(backend.to_str(), "utf-8")
    file = target / SETTINGS
    settings = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    settings |= tokenizer.special_tokens_map
    settings["clean_up_tokenization_spaces"] = bool(tokenizer.clean_up_tokenization_spaces)
    settings["model_input_names"] = list(tokenizer.model_input_names)  # of the class, where the file has none
    settings["split_special_tokens"] = bool(tokenizer.split_special_tokens)
    if isinstance(tokenizer.chat_template, dict):
        named = tokenizer.chat_template.items()
        settings["chat_template"] = [{"name": name, "template": source} for name, source in named]
        (target / TEMPLATE).unlink(missing_ok=True)
    file.write_text(json.dumps(settings, ensure_ascii=False, indent=2) + "\n", "utf-8")
