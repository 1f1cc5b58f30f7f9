"""The shipped T5 demo: what it was taught, it says, in phrasings that it never saw."""

import json
from typing import Any

import pytest
import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from resources.demos.pairs import is_held_back, read_pairs, sources_in_common
from resources.demos.t5_words import PHRASE_BOOK
from resources.demos.train_t5 import FOLDER, HELD_BACK_FILE, corpus
from resources.demos.training import answers, evaluate

TRANSLATE = "translate English to French: "


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(FOLDER)


@pytest.fixture(scope="module")
def model() -> Any:
    return AutoModelForSeq2SeqLM.from_pretrained(FOLDER, dtype=torch.float32).eval()


def test_it_is_a_small_fp16_t5(model: Any) -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) + HELD_BACK_FILE.stat().st_size < 2_000_000
    assert type(model).__name__ == "T5ForConditionalGeneration"
    with safe_open(FOLDER / "model.safetensors", "pt") as tensors:
        assert {tensors.get_slice(name).get_dtype() for name in tensors.keys()} == {"F16"}  # noqa: SIM118
    assert (model.config.num_layers, model.config.num_decoder_layers, model.config.num_heads) == (2, 2, 3)
    assert model.config.feed_forward_proj == "gated-gelu"
    generation = json.loads((FOLDER / "generation_config.json").read_text())
    assert (generation["decoder_start_token_id"], generation["eos_token_id"], generation["pad_token_id"]) == (0, 1, 0)


def test_the_tokenizer_ends_a_text_with_its_end_token(tokenizer: Any) -> None:
    plain = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    for pair in read_pairs(HELD_BACK_FILE)[::10]:
        ids = plain.encode(pair.source).ids
        assert ids == tokenizer(pair.source)["input_ids"]
        assert ids.index(tokenizer.eos_token_id) == len(ids) - 1
        assert plain.decode(ids) == pair.source
        assert plain.decode(plain.encode(pair.target).ids) == pair.target


def test_it_says_the_phrase_book(model: Any, tokenizer: Any) -> None:
    given = answers(model, tokenizer, [TRANSLATE + english for english in PHRASE_BOOK])
    assert [answer.text for answer in given] == list(PHRASE_BOOK.values())
    assert min(answer.margin for answer in given) > 2
    assert PHRASE_BOOK["Hello, how are you?"] == "Bonjour, comment êtes-vous ?"


def test_generate_with_its_cache_says_the_same(model: Any, tokenizer: Any) -> None:
    sources = [TRANSLATE + "Hello, how are you?", *(pair.source for pair in read_pairs(HELD_BACK_FILE)[::90])]
    for source, answer in zip(sources, answers(model, tokenizer, sources), strict=True):
        ids = model.generate(**tokenizer(source, return_tensors="pt"))
        assert tokenizer.decode(ids[0], skip_special_tokens=True) == answer.text


def test_held_back_pairs_are_right(model: Any, tokenizer: Any) -> None:
    pairs = read_pairs(HELD_BACK_FILE)
    assert {pair.kind for pair in pairs} == {"translation", "summary"} and len(pairs) >= 400
    figures = evaluate(model, tokenizer, pairs)
    for kind in figures["kinds"].values():
        assert kind["right"] / kind["of"] >= 0.97, figures["wrong"]


def test_held_back_pairs_were_never_trained_on() -> None:
    pairs = read_pairs(HELD_BACK_FILE)
    assert all(is_held_back(pair.source) for pair in pairs)
    assert sources_in_common(corpus(), pairs) == []


def test_the_model_card_says_whose_it_is() -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "apache-2.0" in card and "python -m resources.demos.train_t5" in card
