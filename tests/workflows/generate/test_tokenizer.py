"""Text to ids and back: what streams out piece by piece is what one decoding of all gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from tests.workflows.bundle.making import bundle
from workflows.bundle import read_bundle
from workflows.bundle.manifest import make_manifest
from workflows.common.errors import BundleError, PromptError
from workflows.generate.tokenizer import BundleTokenizer

TEXTS = [
    "8 * 7 = 56",
    "naïve Zürich, ça va?",
    "日本語のテキスト、漢字。",
    "👩‍👩‍👧 family 🧵 and 🇨🇭 flags",
    "mixed Ελληνικά русский עברית العربية",
    "line\n\n  two\ttabs  ",
    "�",
    "ends with the replacement character �",
]


def bytes_tokenizer() -> Tokenizer:
    """One token a byte, so that every character above ASCII is split; 256 is special."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({symbol: i for i, symbol in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|end|>"])
    return tokenizer


def spaces_tokenizer() -> Tokenizer:
    """Words with ▁ for the space before them, as sentencepiece has it: the first space of a text is no space."""
    words = ["▁the", "▁cat", "s", "▁", "é", "<unk>"]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, "<unk>"))
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


BYTES = BundleTokenizer(bytes_tokenizer(), 257, frozenset({256}))


def streamed(text: BundleTokenizer, ids: list[int]) -> list[str]:
    stream = text.stream()
    return [stream.push(token) for token in ids] + [stream.flush()]


@pytest.mark.parametrize("text", TEXTS)
def test_streamed_pieces_are_the_whole_text(text: str) -> None:
    """Byte by byte; no piece ends inside a character."""
    ids = BYTES.encode(text, special=False)
    assert len(ids) == len(text.encode())
    pieces = streamed(BYTES, ids)
    assert "".join(pieces) == text
    if "�" not in text:
        assert "�" not in "".join(pieces)


def test_a_character_comes_with_its_last_byte() -> None:
    """Nothing for the first three bytes of an emoji, then all of it."""
    assert streamed(BYTES, BYTES.encode("a🧵b", special=False)) == ["a", "", "", "", "🧵", "b", ""]


def test_an_unfinished_character_comes_at_the_end() -> None:
    """Two of three bytes of 漢, then the end: what one decoding gives."""
    ids = BYTES.encode("x漢", special=False)[:-1]
    assert BYTES.decode(ids).startswith("x�")
    assert "".join(streamed(BYTES, ids)) == BYTES.decode(ids)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 256), max_size=40))
def test_any_bytes_stream_as_they_decode(ids: list[int]) -> None:
    """Broken sequences and special tokens anywhere."""
    assert "".join(streamed(BYTES, ids)) == BYTES.decode(ids)


@settings(max_examples=60, deadline=None)
@given(ids=st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_spaces_that_depend_on_the_token_before(ids: list[int]) -> None:
    """A ▁ word at the beginning loses its space, and later keeps it."""
    text = BundleTokenizer(spaces_tokenizer(), 6)
    assert "".join(streamed(text, ids)) == text.decode(ids)


def test_special_tokens_are_silent_in_text_and_shown_as_pieces() -> None:
    """Also in the middle of a character."""
    ids = [*BYTES.encode("a", special=False), 256, *BYTES.encode("漢", special=False), 256]
    assert "".join(streamed(BYTES, ids)) == BYTES.decode(ids) == "a漢"
    assert BYTES.piece(256) == "<|end|>"
    assert BYTES.piece(ids[0]) == "a"


def test_the_demo_s_tokenizer_streams_too(demo_bundle: Path) -> None:
    """Texts far outside its corpus, and its own special tokens."""
    text = BundleTokenizer.of_bundle(read_bundle(demo_bundle))
    assert text.special
    for sample in TEXTS:
        ids = text.encode(sample, special=False)
        assert "".join(streamed(text, ids)) == text.decode(ids) == sample
    assert text.decode(sorted(text.special)) == ""


def test_a_long_stream_stays_fast_and_exact() -> None:
    """Five thousand tokens of nothing but special ones and split characters."""
    ids = [*BYTES.encode("漢", special=False), 256] * 1250
    assert "".join(streamed(BYTES, ids)) == "漢" * 1250


def test_without_a_tokenizer_ids_alone_are_spoken() -> None:
    """Encoding says what to do; decoding and streaming give no text."""
    text = BundleTokenizer(None, 10)
    with pytest.raises(PromptError, match="no tokenizer: give the prompt as ids"):
        text.encode("hello", special=True)
    assert text.check_ids([0, 9]) == [0, 9]
    assert (text.decode([1, 2]), text.piece(1)) == ("", "")
    assert streamed(text, [1, 2]) == ["", "", ""]


@pytest.mark.parametrize(
    ("ids", "names"),
    [([], "is empty"), ([0, 10], "prompt id 10 .* 0 to 9"), ([-1], "prompt id -1 "), ([10**30], "0 to 9")],
)
def test_ids_that_cannot_be(ids: list[int], names: str) -> None:
    """The first wrong one is named."""
    with pytest.raises(PromptError, match=names):
        BundleTokenizer(None, 10).check_ids(ids)


@pytest.mark.parametrize("prompt", ["", "a\ud800b"])
def test_prompts_that_cannot_be(prompt: str) -> None:
    """An empty one, and one with half a character, as a terminal of another encoding gives."""
    with pytest.raises(PromptError):
        BYTES.encode(prompt, special=True)


@pytest.mark.parametrize("content", ["{", "{}", '{"model": {"type": "Nope"}}'])
def test_a_damaged_tokenizer_is_named(tmp_path: Path, content: str) -> None:
    """tokenizer.json whose hash fits, and which is no tokenizer."""
    root = bundle(tmp_path / "b")
    (root / "tokenizer" / "tokenizer.json").write_text(content)
    (root / "manifest.json").write_text(make_manifest(root).model_dump_json())
    with pytest.raises(BundleError, match=r"tokenizer/tokenizer\.json"):
        BundleTokenizer.of_bundle(read_bundle(root))


@pytest.mark.parametrize("content", ["[1]", "nonsense", json.dumps("text")])
def test_damaged_settings_are_named(tmp_path: Path, content: str) -> None:
    """tokenizer_config.json that is no object."""
    from workflows.generate.chat_template import ChatTemplate

    root = bundle(tmp_path / "b")
    (root / "tokenizer" / "tokenizer_config.json").write_text(content)
    (root / "manifest.json").write_text(make_manifest(root).model_dump_json())
    with pytest.raises(BundleError, match=r"tokenizer_config\.json"):
        ChatTemplate.of_bundle(read_bundle(root))
