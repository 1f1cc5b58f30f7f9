"""What kind of tokenizer a checkpoint brings: told from its files, without loading one.

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
# In the order in which they are looked for: a file, and the kind that it means.
_SLOW = {
    "tokenizer.model": "sentencepiece",
    "spiece.model": "sentencepiece",
    "sentencepiece.bpe.model": "sentencepiece",
    "spm.model": "sentencepiece",
    "vocab.json": "bpe",
    "vocab.txt": "wordpiece",
    "tekken.json": "tekken",
    "qwen.tiktoken": "tiktoken",
    "tiktoken.model": "tiktoken",
}
TEMPLATES = ("chat_template.jinja", "chat_template.json")
# Everything that a tokenizer may be read from; the hub client fetches these, the digest covers them.
TOKENIZER_FILES = (
    TOKENIZER,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
    *_SLOW,
    *TEMPLATES,
)


@dataclass(frozen=True, slots=True)
class TokenizerInfo:
    """`kind` is bpe, unigram, wordpiece, wordlevel, sentencepiece, tiktoken or tekken.

    `vocabulary` is the highest id plus one, added tokens included, or None where only loading it would tell;
    `fast` says that there is a tokenizer.json, which the run path needs; `file` is what it was told from.
    """

    kind: str
    vocabulary: int | None
    chat_template: bool
    fast: bool
    file: str = TOKENIZER


def read_tokenizer(folder: Path) -> TokenizerInfo | None:
    """The tokenizer of the folder, or None where it has none; raises CheckpointError for a damaged one."""
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
    """Kind and vocabulary of a tokenizer.json."""
    model = tokenizer.get("model")
    vocab = model.get("vocab") if isinstance(model, dict) else None
    added = tokenizer.get("added_tokens") or []
    if not isinstance(model, dict) or not isinstance(vocab, dict | list) or not isinstance(added, list):
        raise CheckpointError(f"'{TOKENIZER}' holds no vocabulary, so the tokenizer is damaged; get it again.")
    # Unigram keeps a list of [piece, score], whose places are the ids.
    ids = list(vocab.values()) if isinstance(vocab, dict) else [*range(len(vocab))][-1:]
    ids += [entry.get("id") for entry in added if isinstance(entry, dict)]
    if not all(type(one) is int and 0 <= one < 1 << 31 for one in ids):
        raise CheckpointError(f"'{TOKENIZER}' has ids that are no numbers from 0 on, so it is damaged; get it again.")
    kind = model.get("type") or ("bpe" if "merges" in model else "unigram" if isinstance(vocab, list) else "wordpiece")
    if str(kind).lower() not in ("bpe", "unigram", "wordpiece", "wordlevel"):
        raise CheckpointError(f"'{TOKENIZER}' is of an unknown kind, so it cannot be used; get the checkpoint again.")
    return str(kind).lower(), max(ids, default=-1) + 1
