"""Writes the tokenizer files of a bundle: a tokenizer.json that runs without transformers.

    tokenizer.json, tokenizer_config.json, added_tokens.json … ──AutoTokenizer──▶ tokenizer/ of the bundle

transformers combines several files and its class's behaviour: added tokens, bos and eos around a text, a leading space.
Running reads tokenizer.json alone, so all of it is written into that file.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer

from workflows.build.workspace import Report
from workflows.checkpoint.files import read_object
from workflows.checkpoint.tokenizer import TOKENIZER_LIMIT, read_tokenizer
from workflows.common.errors import CheckpointError, printable
from workflows.wire.events import NoticeEvent

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

TOKENIZER, SETTINGS, TEMPLATE = "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"
COPIED = (TOKENIZER, SETTINGS, "special_tokens_map.json", TEMPLATE, "generation_config.json", "config.json",
          "preprocessor_config.json", "processor_config.json")  # fmt: skip


def write_tokenizer(checkpoint: Path, target: Path, report: Report = lambda _: None) -> None:
    """Writes the folder `target` with the tokenizer and generation files of `checkpoint`.

    Where transformers cannot load the tokenizer, the files are copied unchanged and the reason is reported.
    """
    target.mkdir()
    for name in COPIED:
        if (checkpoint / name).is_file():
            shutil.copyfile(checkpoint / name, target / name)
    if read_tokenizer(checkpoint) is None:
        return
    tokenizer, why = _load(checkpoint)
    if tokenizer is None:
        has_own = (target / TOKENIZER).is_file()
        fallback = f"The {TOKENIZER} is copied unchanged" if has_own else "The bundle takes token ids only"
        message = f"{fallback}, because transformers cannot load the tokenizer: {why}."
        report(NoticeEvent(code="tokenizer", message=message))
    elif tokenizer.is_fast:
        _write(tokenizer, target)


_RANKS = re.compile(rb"[A-Za-z0-9+/]+=* \d+\r?\n")
"""The first line of tiktoken's ranks, which Llama 3 and others keep in tokenizer.model, too."""


def check_tokenizer(checkpoint: Path) -> None:
    """Raises CheckpointError for an unreadable tokenizer; a checkpoint without one is valid."""
    info = read_tokenizer(checkpoint)
    if info is None:
        return
    why = ""
    if info.fast:
        try:
            Tokenizer.from_str((checkpoint / TOKENIZER).read_text("utf-8"))
        except Exception as error:  # noqa: BLE001 - the tokenizers library raises bare Exception alone
            why = printable(error).rstrip(".")
    elif info.kind == "sentencepiece":
        data = (checkpoint / info.file).read_bytes()
        why = "" if _RANKS.match(data) else _why_no_pieces(data)
    elif info.file.endswith(".json"):
        read_object(checkpoint, info.file, TOKENIZER_LIMIT)
    if why:
        raise CheckpointError(
            f"The tokenizer {info.file} of {printable(checkpoint)} cannot be read: {why}; get it again."
        )


def _why_no_pieces(data: bytes) -> str:
    """The fault of a SentencePiece model; empty where it has pieces."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped,unused-ignore]
    from transformers.utils.sentencepiece_model_pb2_new import ModelProto

    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        return "it is not a SentencePiece model"
    return "" if model.pieces else "it is a SentencePiece model without pieces"


def _load(checkpoint: Path) -> tuple[PreTrainedTokenizerBase | None, str]:
    """Loads the tokenizer by transformers, or returns None and the reason; never runs code of the checkpoint."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.set_verbosity_error()  # the build reports what matters
    why = ""
    for kind in (AutoTokenizer, PreTrainedTokenizerFast):
        try:
            return kind.from_pretrained(checkpoint, local_files_only=True, trust_remote_code=False), ""
        except Exception as error:  # noqa: BLE001 - transformers and tokenizers raise what they like
            why = why or printable(str(error).splitlines()[0] if str(error) else type(error).__name__)
    return None, why.rstrip(".")


def _write(tokenizer: Any, target: Path) -> None:
    """Writes the complete tokenizer to tokenizer.json, and transformers' Python behaviour to its settings."""
    backend = tokenizer.backend_tokenizer
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
