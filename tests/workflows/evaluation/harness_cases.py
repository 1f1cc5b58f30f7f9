"""lm-eval's three kinds of requests: the same figures and texts as lm-eval's own model of transformers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

from resources import demos
from tests.workflows.conftest import Built
from workflows.common.errors import RequestError
from workflows.evaluation.harness import JoineryLM

DEMO = Path(demos.__file__).parent / "qwen3"
PAIRS = [
    ("8*7=", " 56"), ("8*7=", " 54"), ("8*7= ", "56"), ("", "What is 8 times 7?"), ("a", " b"),
    ("What is 3 plus 4?\n" * 12, "3 + 4 = 7"), ("word " * 90, "and more words than fit " * 8),
]  # fmt: skip
TEXTS = ["What is 8 times 7?\n8 * 7 = 56", "x", "a long text of many words " * 40]


@pytest.fixture(scope="module")
def both(built: Built) -> Iterator[tuple[Any, Any]]:
    """Ours, and lm-eval's own, of the demo with 128 positions."""
    theirs = HFLM(pretrained=str(DEMO), device="cpu", dtype="float32", max_length=128, batch_size=1)
    yield JoineryLM(str(built("demo:qwen3", capacity=128))), theirs


def asked(model: Any, kind: str, *arguments: Any) -> Any:
    instances = [Instance(kind, {}, one, place) for place, one in enumerate(arguments)]
    return getattr(model, kind)(instances, disable_tqdm=True)


def test_log_likelihoods(both: tuple[Any, Any]) -> None:
    ours, theirs = (asked(model, "loglikelihood", *PAIRS) for model in both)
    assert [score for score, _ in ours] == pytest.approx([score for score, _ in theirs], abs=1e-3)
    assert [greedy for _, greedy in ours] == [greedy for _, greedy in theirs]
    assert ours[0] == ours[2] and len({round(score, 3) for score, _ in ours}) == len(PAIRS) - 1  # one pair is another


def test_of_whole_texts_beyond_the_capacity(both: tuple[Any, Any]) -> None:
    ours, theirs = (asked(model, "loglikelihood_rolling", *((text,) for text in TEXTS)) for model in both)
    assert ours == pytest.approx(theirs, rel=1e-5, abs=1e-3)


def test_texts_until_a_stop(both: tuple[Any, Any]) -> None:
    prompts = [("8*7=", {"until": ["\n"], "max_gen_toks": 12}), ("3+4=", {"until": [" "], "max_gen_toks": 12}),
               ("word " * 300 + "8*7=", {"until": [], "max_gen_toks": 5})]  # fmt: skip
    ours, theirs = (asked(model, "generate_until", *prompts) for model in both)
    assert ours == theirs and ours[0]


def test_chats(both: tuple[Any, Any]) -> None:
    turns = [{"role": "user", "content": "8*7="}]
    ours, theirs = (model.apply_chat_template(turns) for model in both)
    assert ours == theirs and ours.endswith("assistant\n")


def test_what_it_does_not_take(built: Built) -> None:
    with pytest.raises(RequestError, match="takes no peft"):
        JoineryLM("nowhere", peft="a")
    with pytest.raises(RequestError, match="this bundle has an encoder"):
        JoineryLM(str(built("demo:t5")))
