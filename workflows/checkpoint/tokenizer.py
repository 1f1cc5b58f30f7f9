"""Detects the kind of a checkpoint's tokenizer from its files, without loading it.

tokenizer.json, tokenizer_config.json, chat_template.jinja … ──read_tokenizer──▶ TokenizerInfo | None
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflows.checkpoint.configuration import read_optional
from workflows.checkpoint.files import exists, read_object, regular_file
from workflows.common.errors import CheckpointError

TOKENIZER = "tokenizer.json"
TOKENIZER_LIMIT = 256 << 20
# In order of precedence: a file, and the kind of tokenizer it means.
_SENTENCEPIECE = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model", "spm.model",
                  "source.spm")  # fmt: skip
_SLOW = {
    **dict.fromkeys(_SENTENCEPIECE, "sentencepiece"),
    "vocab.json": "bpe",
    "vocab.txt": "wordpiece",
    "tekken.json": "tekken",
    **dict.fromkeys(("qwen.tiktoken", "tiktoken.model"), "tiktoken"),
}
TEMPLATES = ("chat_template.jinja", "chat_template.json")
# All files that a tokenizer may be read from; the Hub client downloads these, the digest covers them.
TOKENIZER_FILES = (TOKENIZER, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "merges.txt",
                   "target.spm", "target_vocab.json", *_SLOW, *TEMPLATES)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TokenizerInfo:
    """`kind` is bpe, unigram, wordpiece, wordlevel, sentencepiece, tiktoken or tekken.

    `vocabulary` is the highest id plus one, including added tokens, or None where only loading would tell;
    `fast` is whether tokenizer.json exists, which running needs; `file` is the file that determined the kind.
    """

    kind: str
    vocabulary: int | None
    chat_template: bool
    fast: bool
    file: str = TOKENIZER


def read_tokenizer(folder: Path) -> TokenizerInfo | None:
    """Describes the folder's tokenizer; None where there is none. Raises CheckpointError for a damaged one."""
    settings = read_optional(folder, "tokenizer_config.json")
    templates = [name for name in TEMPLATES if exists(folder, name)]
    for name in templates:
        regular_file(folder, name)
    template = bool(templates or settings.get("chat_template"))
    if exists(folder, TOKENIZER):
        kind, vocabulary = _fast(read_object(folder, TOKENIZER, TOKENIZER_LIMIT))
        return TokenizerInfo(kind, vocabulary, template, fast=True)
    for name, kind in _SLOW.items():
        if exists(folder, name):
            regular_file(folder, name)
            return TokenizerInfo(kind, None, template, fast=False, file=name)
    return None


def _fast(tokenizer: dict[str, Any]) -> tuple[str, int]:
    """The kind and the vocabulary size of a tokenizer.json."""
    model = tokenizer.get("model")
    vocab = model.get("vocab") if isinstance(model, dict) else None
    added = tokenizer.get("added_tokens") or []
    if not isinstance(model, dict) or not isinstance(vocab, dict | list) or not isinstance(added, list):
        raise CheckpointError(f"'{TOKENIZER}' holds no vocabulary, so the tokenizer is damaged; get it again.")
    # Unigram has a list of [piece, score]; the id is the index.
    ids = list(vocab.values()) if isinstance(vocab, dict) else [*range(len(vocab))][-1:]
    ids += [entry.get("id") for entry in added if isinstance(entry, dict)]
    if not all(type(one) is int and 0 <= one < 1 << 31 for one in ids):
        raise CheckpointError(f"'{TOKENIZER}' has ids that are not integers from 0 up, so it is damaged; get it again.")
    kind = model.get("type") or ("bpe" if "merges" in model else "unigram" if isinstance(vocab, list) else "wordpiece")
    if str(kind).lower() not in ("bpe", "unigram", "wordpiece", "wordlevel"):
        raise CheckpointError(f"'{TOKENIZER}' is of an unknown kind, so it cannot be used; get the checkpoint again.")
    return str(kind).lower(), max(ids, default=-1) + 1
