"""Published tokenizers: the ids of many texts, from the same vocabulary in GGUF and from a bundle's tokenizer."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from tests.real import checkpoints
from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import write_gguf
from workflows.checkpoint import open_checkpoint

COUNT = 500
PIECES = (
    "Hello world", "  leading", "trailing  ", "a  b   c    d", "Tabs\tand\nlines\n\n\n", "def f(x):\n    return x ** 2",
    "Ünïcödé naïve café", "你好，世界！今天天气很好。", "こんにちは世界", "안녕하세요", "مرحبا بالعالم", "नमस्ते दुनिया",
    "🤗🔥👩‍👩‍👧",
    "1234567890 3.14159", "It's I'm you'll WE'VE", "<|im_start|>user\n", "<start_of_turn>user\n",
    "camelCase snake_case",
    "e\u0301", "\u00a0nbsp \u3000", "x=1;\r\nz=3", "▁▁ literal", "½ ² Ⅷ ١٢٣", "Здравствуй, мир", "$€¥£", " ", "\n",
    "a" * 40, "http://example.com/a?b=c#d", "\x00\x01", "ﬁ Ǆ",
)  # fmt: skip
PRE = {"qwen3": "qwen2", "llama3_1": "llama-bpe"}


def texts() -> list[str]:
    """The pieces, pairs of them, and their characters in any order; by a seed."""
    chances, letters = random.Random(5), "".join(PIECES)
    pairs = ["".join(chances.choices(PIECES, k=chances.randint(2, 6))) for _ in range(COUNT // 2)]
    mixed = ["".join(chances.choices(letters, k=chances.randint(1, 60))) for _ in range(COUNT)]
    return [*PIECES, *pairs, *mixed][:COUNT]


def published(fetched: Callable[..., Path], name: str) -> tuple[Tokenizer, dict]:
    file = fetched(checkpoints.tokenizer, name) / "tokenizer.json"
    return Tokenizer.from_file(str(file)), json.loads(file.read_text("utf-8"))


@pytest.mark.parametrize("name", PRE)
def test_pieces_of_bytes_in_gguf(name: str, fetched: Callable[..., Path], tmp_path: Path) -> None:
    """A file with the published vocabulary, as llama.cpp's converter writes it."""
    theirs, content = published(fetched, name)
    vocabulary = dict(content["model"]["vocab"]) | {one["content"]: one["id"] for one in content["added_tokens"]}
    size = max(vocabulary.values()) + 1
    tokens, kinds = [f"[PAD{index}]" for index in range(size)], [5] * size
    for token, index in content["model"]["vocab"].items():
        tokens[index], kinds[index] = token, 1
    for one in content["added_tokens"]:
        tokens[one["id"]], kinds[one["id"]] = one["content"], 3 if one["special"] else 4
    merges = [one if isinstance(one, str) else " ".join(one) for one in content["model"]["merges"]]
    first = vocabulary.get("<|begin_of_text|>", 0)
    own = {"pre": PRE[name], "tokens": tokens, "token_type": kinds, "merges": merges, "bos_token_id": first,
           "eos_token_id": size - 1}  # fmt: skip
    model = make_model("qwen3")
    metadata = metadata_of("qwen3", model.config) | {f"tokenizer.ggml.{key}": value for key, value in own.items()}
    if name == "llama3_1":
        del metadata["tokenizer.ggml.add_bos_token"]  # as published files of it lack it
    made = open_checkpoint(str(write_gguf(tmp_path / "m.gguf", metadata, tensors_of("qwen3", model))))
    ours = Tokenizer.from_file(str(made.folder / "tokenizer.json"))
    assert [text for text in texts() if ours.encode(text).ids != theirs.encode(text).ids] == []


def test_gemma_s_pieces_in_gguf(fetched: Callable[..., Path]) -> None:
    """Of the real file: its merges follow from scores, and give the ids of the published ones."""
    theirs, _ = published(fetched, "gemma3")
    made = open_checkpoint(str(fetched(checkpoints.gemma3)))
    ours = Tokenizer.from_file(str(made.folder / "tokenizer.json"))
    assert [text for text in texts() if ours.encode(text).ids != theirs.encode(text).ids] == []


@pytest.mark.parametrize("name", checkpoints.TOKENIZERS)
def test_a_bundle_s_prompts(name: str, fetched: Callable[..., Path], tmp_path: Path) -> None:
    """What a build writes of the published files gives the ids of the published tokenizer."""
    from workflows.builder.tokenizer import write_tokenizer

    theirs, _ = published(fetched, name)
    write_tokenizer(fetched(checkpoints.tokenizer, name), tmp_path / "tokenizer")
    ours = Tokenizer.from_file(str(tmp_path / "tokenizer" / "tokenizer.json"))
    assert [text for text in texts() if ours.encode(text).ids != theirs.encode(text).ids] == []
