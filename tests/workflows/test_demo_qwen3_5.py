"""The hybrid demo: what it answers, what its layers keep, and that its bundle answers as PyTorch does."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen3_5ForCausalLM

from resources.demos import train_qwen3, train_qwen3_5
from resources.demos.qwen3_evaluation import as_chat, mistakes, replies_to
from tests.workflows.conftest import Built
from tests.workflows.test_demo_qwen3 import CHAT_PROMPTS, RAW_PROMPTS
from workflows.bundle import read_bundle
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.prompt_sets import demo_questions
from workflows.wire.events import GenerationDone

FOLDER = train_qwen3_5.FOLDER


@pytest.fixture(scope="module")
def model() -> Any:
    return AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(FOLDER)


def test_it_is_a_small_hybrid_of_the_same_tokens(model: Any) -> None:
    files = {path.name: path for path in FOLDER.iterdir()}
    assert isinstance(model, Qwen3_5ForCausalLM) and model.config.model_type == "qwen3_5_text"
    assert model.config.layer_types == ["linear_attention"] * 3 + ["full_attention"]
    assert sum(path.stat().st_size for path in files.values()) < 3_000_000 and "README.md" in files
    assert files["tokenizer.json"].read_bytes() == (train_qwen3.FOLDER / "tokenizer.json").read_bytes()
    config = json.loads(files["config.json"].read_text())
    assert (config["dtype"], config["eos_token_id"], config["pad_token_id"]) == ("float16", 2, 0)


def test_answers_held_back_questions(model: Any, tokenizer: Any) -> None:
    """Those of demo:qwen3, whose corpus it was trained on."""
    rows = demo_questions("qwen3_5")[:100]
    assert rows == demo_questions("qwen3")[:100]
    replies = replies_to(model, tokenizer, [as_chat(tokenizer, row.text) for row in rows])
    wrong = mistakes([(row.text, row.expected) for row in rows], replies)
    assert len(wrong) <= 3, wrong


def test_replies_are_those_of_the_other_demo(model: Any, tokenizer: Any) -> None:
    """With and without the chat template."""
    prompts = [*(as_chat(tokenizer, text) for text in CHAT_PROMPTS), *RAW_PROMPTS]
    expected = [*CHAT_PROMPTS.items(), *RAW_PROMPTS.items()]
    assert mistakes(expected, replies_to(model, tokenizer, prompts)) == []


@pytest.mark.slow
def test_its_bundle_answers_as_pytorch(built: Built, model: Any, tokenizer: Any) -> None:
    """With the default options; the cache has the slots of one layer and the state of three."""
    bundle = built("demo:qwen3_5")
    assert read_bundle(bundle).pipeline.metadata.layout == "gqa"
    with open_engine(bundle) as engine:
        for text in (*RAW_PROMPTS, as_chat(tokenizer, "What is the capital of Spain?")):
            ids = engine.text.encode(text, special=True)
            (done,) = [one for one in engine.generate(ids, GenerateOptions(16)) if isinstance(one, GenerationDone)]
            given = model.generate(torch.tensor([ids]), do_sample=False, max_new_tokens=16)[0, len(ids) :].tolist()
            assert done.token_ids == given, text
        slots, state = engine.machine.cache.view()
    assert (slots.layers, state.layers, state.layout) == ([3], [0, 1, 2], "state")
    assert [tensor.name for one in state.states for tensor in one.tensors] == ["conv", "recurrent"]
    assert state.bytes == 3 * 4 * (128 * 3 + 2 * 32 * 32) and state.length == slots.length
