"""What a checkpoint says about text, written as a bundle has it: a tokenizer.json that needs no transformers.

    tokenizer.json, tokenizer_config.json, added_tokens.json … ──AutoTokenizer──▶ tokenizer/ of the bundle

transformers puts a tokenizer together out of several files and of what its class says: added tokens, bos and eos around
a text, a space before it. The run path reads tokenizer.json alone, so all of that is written into it here.
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
COPIED = (
    TOKENIZER,
    SETTINGS,
    "special_tokens_map.json",
    TEMPLATE,
    "generation_config.json",
    "config.json",
    "preprocessor_config.json",
)


def write_tokenizer(checkpoint: Path, target: Path, report: Report = lambda _: None) -> None:
    """Makes the folder `target` of what `checkpoint` says about text and generation.

    Where transformers cannot put the tokenizer together the files are taken as they are, and `report` hears why.
    """
    target.mkdir()
    for name in COPIED:
        if (checkpoint / name).is_file():
            shutil.copyfile(checkpoint / name, target / name)
    if read_tokenizer(checkpoint) is None:
        return
    tokenizer, why = _load(checkpoint)
    if tokenizer is None:
        own = (target / TOKENIZER).is_file()
        taken = f"The {TOKENIZER} is taken as it is" if own else "The bundle speaks ids alone"
        report(NoticeEvent(code="tokenizer", message=f"{taken}, for transformers cannot load the tokenizer: {why}."))
    elif tokenizer.is_fast:
        _write(tokenizer, target)


_RANKS = re.compile(rb"[A-Za-z0-9+/]+=* \d+\r?\n")
"""The first line of tiktoken's ranks, which Llama 3 and others keep in tokenizer.model, too."""


def check_tokenizer(checkpoint: Path) -> None:
    """Raises CheckpointError for a tokenizer that is there and that nothing can read; none at all is no fault."""
    found = read_tokenizer(checkpoint)
    if found is None:
        return
    why = ""
    if found.fast:
        try:
            Tokenizer.from_str((checkpoint / TOKENIZER).read_text("utf-8"))
        except Exception as error:  # noqa: BLE001 - the tokenizers library raises bare Exception alone
            why = printable(error).rstrip(".")
    elif found.kind == "sentencepiece":
        data = (checkpoint / found.file).read_bytes()
        why = "" if _RANKS.match(data) else _why_no_pieces(data)
    elif found.file.endswith(".json"):
        read_object(checkpoint, found.file, TOKENIZER_LIMIT)
    if why:
        raise CheckpointError(
            f"The tokenizer {found.file} of {printable(checkpoint)} cannot be read: {why}; get it again."
        )


def _why_no_pieces(data: bytes) -> str:
    """What is wrong with a SentencePiece model; empty where it has pieces."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped,unused-ignore]
    from transformers.utils.sentencepiece_model_pb2_new import ModelProto

    model = ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        return "it is no SentencePiece model"
    return "" if model.pieces else "it is a SentencePiece model without pieces"


def _load(checkpoint: Path) -> tuple[PreTrainedTokenizerBase | None, str]:
    """The tokenizer as transformers has it, or None and why there is none; code of the checkpoint's own never runs."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.set_verbosity_error()  # what matters is told by the build's own events
    why = ""
    for kind in (AutoTokenizer, PreTrainedTokenizerFast):
        try:
            return kind.from_pretrained(checkpoint, local_files_only=True, trust_remote_code=False), ""
        except Exception as error:  # noqa: BLE001 - transformers and tokenizers raise what they like
            why = why or printable(str(error).splitlines()[0] if str(error) else type(error).__name__)
    return None, why.rstrip(".")


def _write(tokenizer: Any, target: Path) -> None:
    """The whole tokenizer in tokenizer.json, and in its settings what transformers does in Python."""
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    (target / TOKENIZER).write_text(backend.to_str(), "utf-8")
    file = target / SETTINGS
    settings = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    settings |= tokenizer.special_tokens_map
    settings["clean_up_tokenization_spaces"] = bool(tokenizer.clean_up_tokenization_spaces)
    settings["split_special_tokens"] = bool(tokenizer.split_special_tokens)
    if isinstance(tokenizer.chat_template, dict):
        named = tokenizer.chat_template.items()
        settings["chat_template"] = [{"name": name, "template": source} for name, source in named]
        (target / TEMPLATE).unlink(missing_ok=True)
    file.write_text(json.dumps(settings, ensure_ascii=False, indent=2) + "\n", "utf-8")
