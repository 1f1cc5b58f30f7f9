"""Bundles in transformers' pipelines: the same texts as the eager models give in the same pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from workflows.adapters.transformers import JoineryModel, SourcePipeline, pipeline
from workflows.common.errors import RequestError

DEMOS = Path(__file__).parents[3] / "resources" / "demos"
GREETING = "translate English to French: Hello, how are you?"


@pytest.fixture(scope="module")
def t5(built: Built) -> JoineryModel:
    return JoineryModel.from_bundle(built("demo:t5"))


@pytest.fixture(scope="module")
def qwen3(demo_bundle: Path) -> JoineryModel:
    return JoineryModel.from_bundle(demo_bundle)


def eager(name: str, kind: str) -> tuple[Any, Any]:
    import transformers

    folder = DEMOS / name
    return (
        getattr(transformers, kind).from_pretrained(folder).eval(),
        transformers.AutoTokenizer.from_pretrained(folder),
    )


def test_translation_and_summarization(t5: JoineryModel) -> None:
    assert pipeline("translation", t5)(GREETING) == [{"translation_text": "Bonjour, comment êtes-vous ?"}]
    model, tokenizer = eager("t5", "T5ForConditionalGeneration")
    prompts = [GREETING, "summarize: The cat slept on the mat all day. It was tired."]
    for task in ("translation", "summarization", "text2text-generation"):
        reference = SourcePipeline(model=model, tokenizer=tokenizer, task=task, device=-1)
        assert pipeline(task, t5, tokenizer)(prompts) == reference(prompts)
    assert t5.__class__.__name__ == "T5ForConditionalGeneration"


def test_text_generation(qwen3: JoineryModel) -> None:
    import transformers

    model, tokenizer = eager("qwen3", "Qwen3ForCausalLM")
    ours = transformers.pipeline("text-generation", model=qwen3, tokenizer=tokenizer)
    theirs = transformers.pipeline("text-generation", model=model, tokenizer=tokenizer, device="cpu")
    for options in ({"max_new_tokens": 24}, {"max_length": 12}):
        for prompt in ("8*7=", "12+30=", "The"):
            assert ours(prompt, do_sample=False, **options) == theirs(prompt, do_sample=False, **options)
    chat = [{"role": "user", "content": "Hello"}]
    assert ours(chat, do_sample=False, max_new_tokens=24) == theirs(chat, do_sample=False, max_new_tokens=24)


def test_sampling_follows_torchs_seed_and_a_batch_is_padded(qwen3: JoineryModel) -> None:
    import torch

    ids = torch.tensor([[0, 5, 6], [5, 6, 7]])
    mask = torch.tensor([[0, 1, 1], [1, 1, 1]])
    drawn = []
    for _ in range(2):
        torch.manual_seed(3)
        drawn.append(qwen3.generate(ids, mask, do_sample=True, max_new_tokens=8, num_return_sequences=2))
    assert torch.equal(*drawn)
    assert drawn[0].shape[0] == 4
    assert torch.equal(drawn[0][:, :3], ids.repeat_interleave(2, 0))
    greedy = qwen3.generate(ids[1:], do_sample=False, max_new_tokens=8)
    ended = qwen3.generate(ids[1:], do_sample=False, max_new_tokens=8, eos_token_id=int(greedy[0, 3]))
    assert ended.tolist() == [greedy[0, :4].tolist()]


def test_what_the_engine_does_not_do(qwen3: JoineryModel) -> None:
    import torch

    with pytest.raises(RequestError, match="generate does not take num_beams=4 here: it takes bos_token_id"):
        qwen3.generate(torch.tensor([[5]]), num_beams=4)
    with pytest.raises(RequestError, match="The prompt is empty"):
        qwen3.generate(None)
