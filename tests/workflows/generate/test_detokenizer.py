"""Detokenizing piece by piece: for random ids of every kind of tokenizer, the pieces are the text and none is late."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest
from tokenizers import Regex, Tokenizer, decoders

from tests.workflows.generate.tokenizers import byte_fallback, byte_level, unigram, word_level, word_piece
from workflows.generate.detokenizer import ReplaceDecoder, decoding_stages, run_stages
from workflows.generate.tokenizer import BundleTokenizer

SEQUENCES = 10_000
KINDS: dict[str, Callable[[], Tokenizer]] = {
    "byte-level BPE": byte_level,
    "byte-fallback BPE": byte_fallback,
    "byte-fallback BPE without strip": lambda: byte_fallback(strip=False),
    "unigram": unigram,
    "wordpiece": word_piece,
    "words without a decoder": word_level,
    "words by CTC": lambda: word_level(decoders.CTC()),
    "words with an end mark": lambda: word_level(decoders.BPEDecoder()),
    "a text that is replaced": lambda: word_level(
        decoders.Sequence([decoders.Fuse(), decoders.Replace("aab", "x"), decoders.Strip("a", 2, 0)])
    ),
    "a pattern over the whole text": lambda: word_level(
        decoders.Sequence([decoders.Fuse(), decoders.Replace(Regex("a+$"), "x")])
    ),
}
AT_THE_END = "a pattern over the whole text"
FAR = (AT_THE_END, "a text that is replaced")  # whether a character stays is not told by the next token alone


@cache
def text_of(kind: str, clean_up: bool = False) -> BundleTokenizer:
    tokenizer = KINDS[kind]()
    special = frozenset(i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special)
    return BundleTokenizer(tokenizer, tokenizer.get_vocab_size() + 2, special, clean_up)


def streamed(text: BundleTokenizer, ids: list[int]) -> list[str]:
    stream = text.stream()
    return [stream.push(token) for token in ids] + [stream.flush()]


def some_ids(chances: random.Random, text: BundleTokenizer) -> list[int]:
    """Up to 12 ids, two beyond the vocabulary among them; bytes and special tokens come in runs."""
    several = chances.choices(range(text.vocabulary), k=chances.randrange(13))
    return [one for token in several for one in [token] * chances.choice((1, 1, 1, 2))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clean_up", [False, True], ids=["as it is", "cleaned up"])
def test_random_ids_stream_as_they_decode(kind: str, clean_up: bool) -> None:
    """10,000 sequences; what was given is never taken back, for the pieces joined are the text."""
    text, chances = text_of(kind, clean_up), random.Random(kind)
    for _ in range(SEQUENCES if not clean_up else SEQUENCES // 10):
        ids = some_ids(chances, text)
        assert "".join(streamed(text, ids)) == text.decode(ids), ids


def shared_beginning(texts: list[str]) -> str:
    """The longest text that all begin with: that of the first and the last in order."""
    first, last = min(texts), max(texts)
    return next((first[:end] for end in range(len(first), 0, -1) if last.startswith(first[:end])), "")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in FAR])
def test_nothing_is_held_that_is_certain(kind: str) -> None:
    """What any next token, and none, would leave as it is has been given, but U+FFFD that can become a character."""
    text, chances = text_of(kind), random.Random(kind)
    for _ in range(12):
        ids, stream, given = some_ids(chances, text)[:6], text.stream(), ""
        for place, token in enumerate(ids, 1):
            given += stream.push(token)
            after = [text.decode([*ids[:place], following]) for following in range(text.vocabulary)]
            certain = shared_beginning([text.decode(ids[:place]), *after]).rstrip("�")
            assert given.startswith(certain), ids[:place]


def test_a_decoder_that_can_take_anything_back_speaks_at_the_end() -> None:
    """Right rather than early."""
    text = text_of(AT_THE_END)
    assert text.tokenizer is not None and decoding_stages(text.tokenizer) is None
    *pieces, last = streamed(text, [0, 1, 0])
    assert (set(pieces), last) == ({""}, text.decode([0, 1, 0]))


def test_a_malformed_run_of_bytes_is_marked_and_the_text_goes_on() -> None:
    """One wrong byte makes every byte of its run U+FFFD: the t before it too, as decoding has it."""
    text = text_of("byte-fallback BPE")
    tokenizer = text.tokenizer
    assert tokenizer is not None
    ids = [tokenizer.token_to_id(token) for token in ("<0x74>", "<0xD2>", "x")]
    assert streamed(text, ids) == ["", "", "��x", ""]
    assert text.decode(ids) == "��x"
    ids[1:1] = [tokenizer.token_to_id("<0xFF>")]
    assert streamed(text, ids) == ["", "��", "�", "x", ""]


@pytest.mark.parametrize("token", ["t", "<0x41>", "<s>"])
def test_a_long_stream_costs_no_more_by_token(token: str) -> None:
    """50,000 letters, bytes in one run, and special tokens: decoding all anew for each would take an hour."""
    text = text_of("byte-fallback BPE")
    assert text.tokenizer is not None
    ids = [text.tokenizer.token_to_id(token)] * 50_000
    assert "".join(streamed(text, ids)) == text.decode(ids)


def test_a_replacement_across_pieces_is_that_of_the_whole() -> None:
    """Random cuts of random texts of two letters."""
    chances = random.Random(0)
    for _ in range(2_000):
        whole = "".join(chances.choices("ab", k=12))
        cut = chances.randrange(13)
        replaced = ReplaceDecoder("aba", "-")
        found = run_stages([replaced], [whole[:cut], whole[cut:]]) + "".join(replaced.end())
        assert found == whole.replace("aba", "-")
