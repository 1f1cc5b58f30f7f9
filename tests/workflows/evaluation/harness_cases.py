"""lm-eval's three kinds of requests: the same figures and texts as lm-eval's own model of transformers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lm_eval import simple_evaluate
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM

from resources import demos
from tests.workflows.conftest import Built
from workflows.common.errors import RequestError
from workflows.evaluation.harness import JoineryLM
from workflows.evaluation.harness_tasks import run_tasks

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


def test_scores_of_a_task_of_one_s_own(both: tuple[Any, Any], built: Built, tmp_path: Path) -> None:
    """A YAML file with its data beside it: the scores of both models are equal."""
    rows = [
        {"q": f"What is {a} times {b}?", "choices": [f" {a} * {b} = {a * b}", f" {a} + {b} = {a + b}"], "label": 0}
        for a in range(2, 8) for b in (3, 7)
    ]  # fmt: skip
    (tmp_path / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    task = tmp_path / "sums.yaml"
    task.write_text(
        f"task: sums\ndataset_path: json\ndataset_kwargs: {{data_files: {{test: {tmp_path}/sums.jsonl}}}}\n"
        "test_split: test\noutput_type: multiple_choice\ndoc_to_text: '{{q}}'\ndoc_to_choice: '{{choices}}'\n"
        "doc_to_target: '{{label}}'\nmetric_list: [{metric: acc}, {metric: acc_norm}]\n",
        "utf-8",
    )
    theirs = simple_evaluate(model=both[1], tasks=[str(task)], limit=8, log_samples=False)["results"]["sums"]
    ours = run_tasks(built("demo:qwen3", capacity=128), [str(task)], limit=8)
    assert ours.samples == 8 and [one.metric for one in ours.scores] == ["acc", "acc_norm"]
    for one in ours.scores:
        assert one.value == pytest.approx(theirs[f"{one.metric},none"], abs=1e-3)
