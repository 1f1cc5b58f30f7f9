"""Two bundles against each other: equal ones agree in everything; where weights were disturbed is where it is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.evaluation.divergence.making import bundle as toy_bundle
from tests.workflows.families.models import save_encoder_decoder
from tests.workflows.quantize.making import edit_json, perturbed, without_scopes
from tests.workflows.runtime.toy_bundles import Toy
from workflows.builder import BuildRequest, build
from workflows.bundle import Bundle, read_bundle
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import Cancelled, PromptError, RequestError
from workflows.evaluation.accuracy import compare, compared_bundle
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.prompt_sets import EvaluationPrompt, PromptSet
from workflows.runtime.loading.memory_plan import mapped_options
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.accuracy import EvalReport, GreedyAnswer

IDS = PromptSet(
    (EvaluationPrompt("", (5, 9, 300, 41, 7)), EvaluationPrompt("", (2,)), EvaluationPrompt("", tuple(range(90, 120)))),
    "three of ids",
)


def run(reference: Path, candidate: Path, prompts: PromptSet = IDS, steps: int = 6, **options: Any) -> EvalReport:
    options = {"questions": 0} | options
    return compare(read_bundle(reference), read_bundle(candidate), lambda _: prompts, steps=steps, **options)


@pytest.fixture(scope="module")
def sharp(sharp_qwen3: Path, built: Built) -> Path:
    """A bundle without a tokenizer and without an end token, so that every step is taken."""
    return built(sharp_qwen3, graphs="single", cache="static", capacity=256, chunk=64)


def test_a_bundle_agrees_with_itself(sharp: Path) -> None:
    found = run(sharp, sharp)
    assert found.positions == 4 + 0 + 29 + 3 * 6  # the prompts' tokens that another follows, and the answers'
    assert (found.top1_agreement, found.top5_overlap, found.hidden_cosine, found.kv_cosine) == (1, 1, 1, 1)
    assert (found.kl_mean, found.kl_max, found.logit_max_abs_diff) == (0, 0, 0)
    assert found.perplexity.reference == found.perplexity.candidate
    assert [(row.prompt, row.tokens_equal, row.tokens) for row in found.greedy] == [
        ("5,9,300,41,7", 6, 6), ("2", 6, 6), (",".join(map(str, range(90, 120))), 6, 6),
    ]  # fmt: skip
    assert [(row.part, row.layer) for row in found.layers] == [("decoder", 0), ("decoder", 1)]
    assert (found.task, found.notes) == (None, ["Prompts: three of ids."])


def test_perplexities_are_those_of_pytorch(sharp: Path, sharp_qwen3: Path) -> None:
    """One over the prompts' own tokens, one over those of the reference's answers; no token is in both."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(sharp_qwen3, dtype=torch.float32, attn_implementation="eager").eval()
    text: list[float] = []
    answer: list[float] = []
    for prompt in IDS.prompts:
        ids = list(prompt.ids)
        for _ in range(6):
            with torch.no_grad():
                logits = model(torch.tensor([ids])).logits[0]
            ids.append(int(logits[-1].argmax()))
        with torch.no_grad():
            chances = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        surprises = [-float(chances[at, token]) for at, token in enumerate(ids[1:])]
        text += surprises[: len(prompt.ids) - 1]
        answer += surprises[len(prompt.ids) - 1 :]
    found = run(sharp, sharp)
    assert len(text) + len(answer) == found.positions
    for name, expected in (("perplexity", text), ("answer_perplexity", answer)):
        assert getattr(found, name).candidate == pytest.approx(float(np.exp(np.mean(expected))), rel=1e-4), name


@pytest.mark.slow
def test_layouts_may_differ(sharp_qwen3: Path, sharp: Path, tmp_path: Path, stage_cache: None) -> None:
    build(BuildRequest(str(sharp_qwen3), tmp_path / "gqa", {"capacity": 96, "cache": "gqa"}))
    build(BuildRequest(str(sharp_qwen3), tmp_path / "split", {"capacity": 64, "graphs": "prefill-decode", "chunk": 8}))
    for name in ("gqa", "split"):
        found = run(sharp, tmp_path / name)
        assert found.top1_agreement == 1
        assert found.kv_cosine == pytest.approx(1, abs=1e-6)
        assert found.hidden_cosine == pytest.approx(1, abs=1e-6)
        assert found.logit_max_abs_diff < 1e-2
        # gqa's kernel adds in another order; the same products in other chunks have the same bits on some processors,
        # and on others (AVX-512 with AVX-VNNI: 1.7e-6) those of another kernel for few rows
        assert found.logit_max_abs_diff > 0 if name == "gqa" else found.logit_max_abs_diff < 1e-5


def test_the_layer_that_was_disturbed_is_reported(sharp: Path, tmp_path: Path) -> None:
    other = perturbed(sharp, tmp_path / "other", 0.5, scope="layers/1/mlp/down_proj")
    found = run(sharp, other)
    first, second = found.layers
    assert (first.hidden_cosine, first.key_cosine, first.value_cosine) == (1, 1, 1)
    assert (second.key_cosine, second.value_cosine) == (1, 1)  # computed before the disturbed product
    assert second.hidden_cosine < 0.999
    assert found.kl_max >= found.kl_mean > 0
    assert found.top1_agreement < 1


def test_a_position_is_compared_on_the_reference_s_tokens(sharp: Path, tmp_path: Path) -> None:
    """The logits of both after each token of the prompt and of the reference's answer, computed here one by one."""
    other = perturbed(sharp, tmp_path / "other", 0.3)
    prompt = IDS.prompts[0]
    engines = [open_engine(path) for path in (sharp, other)]
    *_, done = engines[0].generate(prompt.ids, GenerateOptions(max_new_tokens=4))
    engines[0].reset()
    largest, equal = 0.0, 0
    for token in (*prompt.ids, *done.token_ids[:-1]):
        one, two = (engine.machine.step([token], "decode")[-1] for engine in engines)
        largest, equal = max(largest, float(np.abs(one - two).max())), equal + int(one.argmax() == two.argmax())
    found = run(sharp, other, PromptSet((prompt,), "one"), steps=4)
    assert found.positions == 4 + 4
    assert found.logit_max_abs_diff == pytest.approx(largest, rel=1e-3)
    assert found.top1_agreement == equal / 8


def test_layers_are_compared_at_every_position(sharp: Path, tmp_path: Path) -> None:
    """The mean cosine of the last layer, from the hidden states of each token alone."""
    other = perturbed(sharp, tmp_path / "other", 0.3)
    sides = [ComparedBundle.open(read_bundle(path)) for path in (sharp, other)]
    prompt = IDS.prompts[2]
    tokens = sides[0].greedy(prompt.ids, 3, lambda: False)
    fed, cosine = [*prompt.ids, *tokens[:-1]], list[float]()
    for count in range(1, len(fed) + 1):
        one, two = (next(side.follow(fed[:count], [0])).hidden[1][0] for side in sides)
        cosine.append(float(one @ two / np.linalg.norm(one) / np.linalg.norm(two)))
    found = run(sharp, other, PromptSet((prompt,), "one"), steps=3)
    assert found.layers[1].hidden_cosine == pytest.approx(np.mean(cosine), rel=1e-5)


@pytest.mark.slow
def test_an_encoder_s_layers_come_first(tmp_path: Path, stage_cache: None) -> None:
    checkpoint = save_encoder_decoder("t5", tmp_path / "checkpoint")
    build(BuildRequest(str(checkpoint), tmp_path / "a", {"task": "translation", "capacity": 16}))
    other = perturbed(tmp_path / "a", tmp_path / "b", 0.5, scope="decoder/block/1")
    sources = PromptSet((EvaluationPrompt("", (5, 9, 30)), EvaluationPrompt("", tuple(range(90, 110)))), "two")
    found = run(tmp_path / "a", other, sources, steps=5)
    assert [row.part for row in found.layers] == sorted((row.part for row in found.layers), reverse=True)
    encoder = [row for row in found.layers if row.part == "encoder"]
    assert encoder and all(row.hidden_cosine == 1 and row.key_cosine is None for row in encoder)
    lost = [row.hidden_cosine for row in found.layers if row.part == "decoder"]
    assert lost[0] == 1 > lost[1]


def test_graphs_without_scopes_have_no_hidden_states(sharp: Path, tmp_path: Path) -> None:
    bare = without_scopes(sharp, tmp_path / "bare")
    found = run(bare, sharp)
    assert (found.hidden_cosine, found.kv_cosine) == (None, 1)
    assert [row.hidden_cosine for row in found.layers] == [None, None]
    assert "The reference's graphs note no layers" in found.notes[1]


def test_prompts_that_leave_little_room(one_layer: Path, sharp: Path, tmp_path: Path) -> None:
    build(BuildRequest(str(one_layer), tmp_path / "small", {"capacity": 8}))
    short = PromptSet((EvaluationPrompt("", (5, 9, 300, 41, 7)),), "one")
    found = run(sharp, tmp_path / "small", short, steps=20)
    assert found.positions == 4 + 4  # the last of 8 slots is fed at the fourth, whose logits are compared
    assert "fewer than 20 new tokens" in found.notes[1]
    with pytest.raises(PromptError, match="Prompt 3 has 30 tokens and the smaller cache of the two bundles holds 8"):
        run(sharp, tmp_path / "small")


def test_prompts_of_its_own_are_cut_to_what_fits(sharp: Path, one_layer: Path, tmp_path: Path) -> None:
    """Nobody could shorten them."""
    build(BuildRequest(str(one_layer), tmp_path / "small", {"capacity": 8}))
    own = PromptSet((EvaluationPrompt("", tuple(range(5, 40))), EvaluationPrompt("", (5, 9))), "two", built_in=True)
    found = run(sharp, tmp_path / "small", own, steps=3)
    assert "The built-in prompts are cut to 5 tokens, for the smaller cache of 8." in found.notes
    assert [row.tokens for row in found.greedy] == [3, 3]


def test_what_cannot_be_compared(sharp: Path, demo_bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="997 tokens in its vocabulary and the candidate 40"):
        run(sharp, toy_bundle(tmp_path / "toy", Toy()))
    single = perturbed(demo_bundle, tmp_path / "s", 0.1)
    pipeline = json.loads((single / "pipeline.json").read_text("utf-8"))["pipeline"] | {"state": {}}
    edit_json(single, "pipeline.json", pipeline=pipeline)
    with pytest.raises(RequestError, match="one graph without a KV cache"):
        run(demo_bundle, single)


def test_progress_and_cancel(sharp: Path) -> None:
    events: list[Event] = []
    run(sharp, sharp, report=events.append)
    steps = [event for event in events if isinstance(event, ProgressEvent)]
    assert [(step.done, step.total) for step in steps] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    asked = iter([False, False, False])
    with pytest.raises(Cancelled):
        run(sharp, sharp, cancelled=lambda: next(asked, True))


def test_the_demo_answers_its_questions(demo_bundle: Path, tmp_path: Path) -> None:
    other = perturbed(demo_bundle, tmp_path / "other", 0.6)
    found = run(demo_bundle, other, PromptSet((EvaluationPrompt("", (5, 6)),), "one"), questions=12)
    assert found.task.reference_score == 1
    assert found.task.score < 0.5
    assert found.task.rows == 12


def test_an_answer_is_the_same_if_no_token_differs_and_none_is_missing() -> None:
    one, other = (1, "a"), (2, "b")
    assert GreedyAnswer("p", 2, 2, [one, other], [one, other]).same
    assert not GreedyAnswer("p", 1, 2, [one, other], [one, one]).same
    assert not GreedyAnswer("p", 1, 2, [one, other], [one]).same


def test_a_reference_whose_weights_stay_in_their_file_gives_the_same_report(
    built: Built, demo_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within rounding: what is printed has six digits of the KL divergence and of cosines."""
    int4, chosen = built("demo:qwen3", precision="int4", cache="static"), list[bool]()

    def choose(bundle: Bundle) -> SessionOptions | None:
        options = mapped_options(bundle)
        chosen.append(options is not None)
        return options

    monkeypatch.setattr(compared_bundle, "mapped_options", choose)
    mapped = run(demo_bundle, int4, steps=8)
    monkeypatch.setattr(compared_bundle, "mapped_options", lambda _: None)
    usual = run(demo_bundle, int4, steps=8)
    assert chosen == [True, False]
    assert mapped.greedy == usual.greedy and mapped.positions == usual.positions
    assert (mapped.top1_agreement, mapped.top5_overlap) == (usual.top1_agreement, usual.top5_overlap)
    for name in ("kl_mean", "kl_max", "logit_max_abs_diff", "hidden_cosine", "kv_cosine"):
        assert getattr(mapped, name) == pytest.approx(getattr(usual, name), rel=2e-5, abs=1e-8), name
    assert mapped.perplexity.reference == pytest.approx(usual.perplexity.reference, rel=1e-6)
    assert mapped.kl_mean and mapped.kl_mean > 1e-6
