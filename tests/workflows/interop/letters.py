"""Tokenizers of single letters that the wheel's own tokenizer reads, with the tokens that stand around pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST = 10  # the token of the letter a
_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
_SPACE = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
# class of transformers → how it writes a space and the end of a line, and the parts of its tokenizer
_KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "Qwen2Tokenizer": ("ĠĊ", {"normalizer": None, "pre_tokenizer": _LEVEL, "decoder": _LEVEL}),
    "GemmaTokenizer": ("▁\n", {"normalizer": _SPACE, "pre_tokenizer": None, "decoder": None}),
}


def save_letters(folder: Path, kind: str, special: Mapping[str, int], vocabulary: int) -> Path:
    """Writes tokenizer.json and tokenizer_config.json. kind: one of _KINDS. special: token → its id."""
    blanks, parts = _KINDS[kind]
    special = {"<unk>": 3, **special}
    words = {letter: FIRST + i for i, letter in enumerate(LETTERS + blanks)}
    words |= {f"unused{i}": i for i in range(vocabulary) if i not in {*words.values(), *special.values()}}
    added = [
        {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for token, i in special.items()
    ]  # fmt: skip
    model = {
        "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": "",
        "end_of_word_suffix": "", "fuse_unk": True, "byte_fallback": False, "vocab": words | special, "merges": [],
    }  # fmt: skip
    content = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, **parts,
               "post_processor": None, "model": model}  # fmt: skip
    settings = {"tokenizer_class": kind, "unk_token": "<unk>",
                "added_tokens_decoder": {str(one["id"]): one for one in added}}  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return folder
