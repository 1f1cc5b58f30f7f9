"""Tokens become the words that transformers makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from workflows.generate.speech.word_grouping import UNSPACED, group_by_word

PIECES = [" Hel", "lo", ",", " w", "orld", "!", " “", "quo", "ted", "”", " 5", ".", "5", " (", "a", ")", " ", "-", "x"]
BYTES = {len(PIECES) + i: one for i, one in enumerate("日本ü€".encode())}  # tokens that are a part of a character


class Tokenizer:
    """Decodes as a byte-level tokenizer does."""

    eos_token_id, language = 1000, "english"

    def decode(self, tokens: Sequence[int], **_: Any) -> str:
        parts = (bytes([BYTES[token]]) if token in BYTES else PIECES[token].encode() for token in tokens)
        return b"".join(parts).decode("utf-8", "replace")


@pytest.mark.parametrize("language", ["english", "chinese"])
@pytest.mark.parametrize("tokens", [
    range(len(PIECES)), [0, 1, *BYTES], [*BYTES, 3, 4, 5], [6, 7, 2, 2, 13], [5], [], [len(PIECES), 0], [14, 14, 15, 9],
])  # fmt: skip
def test_words_are_those_of_transformers(tokens: Sequence[int], language: str) -> None:
    from transformers.models.whisper.tokenization_whisper import _combine_tokens_into_words

    words, _, indices = _combine_tokens_into_words(Tokenizer(), list(tokens), language)
    ours = group_by_word(list(tokens), Tokenizer().decode, "zh" if language == "chinese" else "en")
    assert [(one.text, one.tokens) for one in ours] == list(zip(words, indices, strict=True))
    assert "zh" in UNSPACED
