"""Tokenizers of GGUF's vocabularies: the ids that the same vocabulary gives in the library, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import write_gguf
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.gguf.tokenizer import make_merges
from workflows.common.errors import CheckpointError

PIECES = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "b", "ab", "▁a", "▁ab", "\n",
          "  ", "<tool>", "<|end|>"]  # fmt: skip
KINDS = [2, 3, 3, *[6] * 256, *[1] * 7, 4, 4, 3]
SCORES = [0.0, 0.0, 0.0, *[0.0] * 256, -1.0, -2.0, -3.0, -9.0, -4.0, -8.0, -7.0, -1000.0, -1000.0, -1000.0]


def opened(tmp_path: Path, changes: dict[str, Any]) -> tuple[Tokenizer, dict[str, Any]]:
    """The tokenizer and the settings of a file with these changes of its metadata; None takes an entry away."""
    model = make_model("llama")
    metadata = {key: one for key, one in (metadata_of("llama", model.config) | changes).items() if one is not None}
    checkpoint = open_checkpoint(str(write_gguf(tmp_path / "m.gguf", metadata, tensors_of("llama", model))))
    settings = json.loads((checkpoint.folder / "tokenizer_config.json").read_text("utf-8"))
    return Tokenizer.from_file(str(checkpoint.folder / "tokenizer.json")), settings


def sentence_pieces(**changes: Any) -> dict[str, Any]:
    own = {"model": "llama", "pre": None, "tokens": PIECES, "token_type": KINDS, "scores": SCORES, "merges": None,
           "bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0, "add_bos_token": None, **changes}  # fmt: skip
    return {f"tokenizer.ggml.{name}": value for name, value in own.items()}


def test_pieces_of_bytes(tmp_path: Path) -> None:
    tokenizer, settings = opened(tmp_path, {})
    the, control = 257, 260
    assert tokenizer.encode("the<|c2|>the").ids == [the, control, the]
    assert tokenizer.encode("é").ids == [tokenizer.token_to_id("Ã"), tokenizer.token_to_id("©")]
    assert tokenizer.encode("e\u0301").ids == tokenizer.encode("é").ids, "Qwen composes texts"
    assert tokenizer.decode(tokenizer.encode(text := "naïve — 你好\n\tthe 12345").ids) == text
    assert settings["chat_template"] == "{{ messages[0]['content'] }}" and settings["eos_token"] == "<|c0|>"


def test_words_are_split_as_the_file_says(tmp_path: Path) -> None:
    """`pre` decides what merges may join: GPT-2's words, digits one by one, or Llama 3's, of up to three digits."""
    merges = ["1 2", "12 3"]
    tokens = opened_tokens(tmp_path)
    wanted = {"gpt-2": ["123"], "smollm": ["1", "2", "3"], "llama-bpe": ["123"], "qwen2": ["1", "2", "3"],
              "tekken": ["1", "2", "3"], "gpt-4o": ["123"]}  # fmt: skip
    for pre, pieces in wanted.items():
        changes = {"tokenizer.ggml.pre": pre, "tokenizer.ggml.merges": merges, "tokenizer.ggml.tokens": tokens}
        assert opened(tmp_path, changes)[0].encode("123").tokens == pieces, pre


def opened_tokens(tmp_path: Path) -> list[str]:
    tokens = list(metadata_of("llama", make_model("llama").config)["tokenizer.ggml.tokens"])
    tokens[256:258] = ["12", "123"]
    return tokens


def test_tokens_around_a_text(tmp_path: Path) -> None:
    """bos and eos as the file says; Llama 3's texts begin with bos unless it says no."""
    name = "tokenizer.ggml.add_bos_token"
    assert opened(tmp_path, {name: True})[0].encode("the").ids == [259, 257]
    assert opened(tmp_path, {name: None})[0].encode("the").ids == [257]
    assert opened(tmp_path, {name: None, "tokenizer.ggml.pre": "llama-bpe"})[0].encode("the").ids == [259, 257]
    both = opened(tmp_path, {name: True, "tokenizer.ggml.add_eos_token": True})[0]
    assert both.encode("the").ids == [259, 257, 258] and both.encode("the", add_special_tokens=False).ids == [257]


def test_sentence_pieces(tmp_path: Path) -> None:
    """Spaces become a sign, the best score merges first, and what is no piece is its bytes."""
    tokenizer, _ = opened(tmp_path, sentence_pieces())
    spelled = {piece: index for index, piece in enumerate(PIECES)}
    assert tokenizer.encode("aab").tokens == ["<s>", "▁a", "ab"], "▁a has a better score than ab"
    assert tokenizer.encode("ab", add_special_tokens=False).ids == [spelled["▁ab"]]
    assert tokenizer.encode("é").ids == [1, spelled["▁"], spelled["<0xC3>"], spelled["<0xA9>"]]
    assert tokenizer.encode("a<tool>a").tokens == ["<s>", "▁a", "<tool>", "▁a"]
    assert tokenizer.decode(tokenizer.encode("ab a\né").ids) == "ab a\né"
    plain, _ = opened(tmp_path, sentence_pieces(add_space_prefix=False, add_bos_token=False))
    assert plain.encode("ab").tokens == ["ab"] and plain.decode(plain.encode(" ab").ids) == " ab"
    assert plain.encode("a  b").ids == [spelled["a"], spelled["  "], spelled["b"]], "two spaces are one piece"
    assert plain.get_vocab_size() == len(PIECES)


def test_merges_follow_from_scores() -> None:
    scores = {"a": -5.0, "b": -5.0, "c": -5.0, "ab": -2.0, "bc": -1.0, "abc": -3.0}
    assert make_merges(scores) == [["b", "c"], ["a", "b"], ["ab", "c"], ["a", "bc"]]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"tokenizer.ggml.model": "rwkv"}, "its tokenizer is of the kind 'rwkv', and gpt2 and llama and bert are read"),
        ({"tokenizer.ggml.pre": "unheard"}, "its texts are split in the way 'unheard' (tokenizer.ggml.pre), not: "),
        ({"tokenizer.ggml.pre": None}, "its texts are split in the way 'None'"),
        ({"tokenizer.ggml.tokens": None}, "its metadata lacks tokenizer.ggml.tokens"),
        ({"tokenizer.ggml.token_type": [1]}, "its tokenizer lacks tokens, or the kind of each"),
        ({"tokenizer.ggml.merges": ["t h e"]}, "its merge 't h e' is of no two tokens"),
        ({"tokenizer.ggml.merges": ["t xyz"]}, "its merge 't xyz' is of no two tokens"),
        ({"tokenizer.ggml.eos_token_id": 5000}, "its token eos is 5000, beyond the 320 of its vocabulary"),
        (sentence_pieces(scores=None), "its vocabulary lacks the score of each piece"),
        (sentence_pieces(tokens=["a", "a"], token_type=[1, 1]), "its vocabulary has the token 'a' twice"),
    ],
)
def test_a_tokenizer_that_is_not_read(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(CheckpointError) as refused:
        opened(tmp_path, changes)
    sentence = str(refused.value)
    assert expected in sentence and sentence.endswith(".") and "\n" not in sentence


def test_named_templates(tmp_path: Path) -> None:
    more = {"tokenizer.chat_template.tool_use": "T", "tokenizer.chat_templates": ["tool_use"]}
    _, settings = opened(tmp_path, more)
    assert {one["name"] for one in settings["chat_template"]} == {"default", "tool_use"}
