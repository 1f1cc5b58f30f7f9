"""Calibration in a build: trajectories keep the model's answers; one repeated token over an empty cache does not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import save_encoder_decoder
from workflows.builder import BuildRequest, build, calibrate
from workflows.bundle import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import Cancelled, PromptError, RecipeError
from workflows.evaluation.accuracy import compare
from workflows.evaluation.accuracy.compare import aligned_blocks
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.evaluation.accuracy.statistics import cosines
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.prompt_sets import EvaluationPrompt, PromptSet, demo_questions, encode_prompt, evenly_spaced
from workflows.quantize.calibration.trajectories import CalibrationRuns
from workflows.recipe import family_for, resolve_recipe
from workflows.recipe.cut import make_cut
from workflows.wire.events import Event, LogEvent, NoticeEvent, ProgressEvent

SEEDS = ("The capital of France is", "2 + 2 =", "The opposite of hot is")
SPLIT: dict[str, Any] = {"variant": "transformer-only", "capacity": 128}
# what a patched engine makes is in the cache as another stage than what ours makes: its recipe differs
TRAPPED: dict[str, Any] = {"precision": "w8a16", "quantize": {"calibration": {"samples": 95}}}

pytestmark = pytest.mark.usefixtures("stage_cache")


def make(out: Path, events: list[Event] | None = None, source: str = "demo:qwen3", **options: Any) -> Path:
    build(BuildRequest(source, out, options), (events if events is not None else []).append)
    return out


def steps_of(bundle: Path) -> list[dict[str, Any]]:
    return [entry for entry in json.loads((bundle / "evidence.json").read_text("utf-8")) if entry["name"] == "quantize"]


def reached(entry: dict[str, Any]) -> int:
    """The number of prompts that the evidence says were looked at."""
    return int(re.search(r"runs on (\d+) of the 96 prompts: 96 of demo:qwen3's own", entry["calibrated"])[1])  # type: ignore[index]


@pytest.mark.parametrize(
    ("options", "slots"),
    [
        ({}, 1024),
        ({"capacity": 256}, 256),
        ({"cache": "window"}, None),
        ({"graphs": "prefill-decode"}, None),
        ({"variant": "transformer-only", "chunk": 32}, 1056),  # its graphs take any buffer, which a chunk must fit
        ({"variant": "transformer-only", "graphs": "single"}, 1024),
    ],
)
def test_calibration_keeps_few_slots_where_graphs_take_any(options: dict[str, Any], slots: int | None) -> None:
    checkpoint, family = open_checkpoint("demo:qwen3"), family_for("qwen3")
    recipe = resolve_recipe(checkpoint, options)
    assert recipe.capacity == options.get("capacity", 4096)
    assert calibrate._slots(make_cut(family, recipe, family.geometry(checkpoint.config)), recipe) == slots


@pytest.mark.slow
def test_a_model_that_hears_is_said_to_be_calibrated_without_sound(tmp_path: Path) -> None:
    events: list[Event] = []
    options = {"precision": "w8a16", "quantize": {"calibration": {"samples": 6}}}
    build(BuildRequest("demo:whisper", tmp_path / "b", options), events.append)
    notices = [event.message for event in events if isinstance(event, NoticeEvent) and event.code == "calibration"]
    assert len(notices) == 1 and "have no sound" in notices[0]


@pytest.fixture(scope="module")
def exact(built: Built) -> Path:
    return built("demo:qwen3", **SPLIT)


@pytest.fixture(scope="module")
def ours(built: Built) -> Path:
    return built("demo:qwen3", **SPLIT, precision="w8a16")


def judge(reference: Path, candidate: Path, count: int) -> dict[str, Any]:
    def prompts(engine: Engine) -> PromptSet:
        asked = [question.text for question in evenly_spaced(demo_questions("qwen3"), count)]
        return PromptSet(
            tuple(EvaluationPrompt(text, tuple(encode_prompt(engine, text))) for text in asked), "questions"
        )

    return compare(read_bundle(reference), read_bundle(candidate), prompts, steps=16, questions=0)


def answers_cosine(reference: Path, candidate: Path, count: int) -> float:
    """The mean cosine of hidden states at the answers alone, which the phase of decoding computes."""
    sides, cosine = [ComparedBundle.open(read_bundle(path)) for path in (reference, candidate)], list[float]()
    for question in evenly_spaced(demo_questions("qwen3"), count):
        ids = encode_prompt(sides[0].engine, question.text)
        answer = sides[0].greedy(ids, 16, lambda: False)
        for pair in aligned_blocks(*(side.follow(ids, answer) for side in sides)):
            cosine += [float(cosines(pair[0].hidden[n], pair[1].hidden[n]).mean()) for n in pair[0].hidden]
    return sum(cosine) / len(cosine)


def same(found: dict[str, Any]) -> float:
    rows = found.greedy
    return float(sum(row.tokens_equal == row.tokens for row in rows) / len(rows))


def continuation(bundle: Path, text: str) -> list[int]:
    engine = open_engine(bundle)
    *_, done = engine.generate(engine.encode(text), GenerateOptions(max_new_tokens=16))
    return list(done.token_ids)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_trajectories_keep_the_answers(exact: Path, ours: Path) -> None:
    found = judge(exact, ours, 24)
    assert found.positions > 150 and found.top1_agreement >= 0.98 and same(found) == 1
    for text in SEEDS:
        assert continuation(ours, text) == continuation(exact, text)
    by_name = {entry["component"]: entry for entry in steps_of(ours)}
    assert by_name["decode"]["calibrated"].startswith("minmax over 160 runs on ")
    assert reached(by_name["decode"]) == 96
    counts = by_name["decode"]["op_counts"]
    assert counts["com.microsoft.GroupQueryAttention"] == 3 and counts["QuantizeLinear"] > 150
    assert by_name["head"]["op_counts"] == {
        "DequantizeLinear": 4, "QuantizeLinear": 3, "MatMul": 1, "Slice": 1,
    }  # fmt: skip


@pytest.mark.slow
def test_the_cpu_says_that_it_computes_w8a16_in_another_way(exact: Path, ours: Path) -> None:
    for bundle, codes in ((exact, []), (ours, ["emulated"])):
        engine = open_engine(bundle)
        told = [e.code for e in engine.generate([5], GenerateOptions(max_new_tokens=2)) if isinstance(e, NoticeEvent)]
        assert told == codes


def one_repeated_token(engine: Engine, prompts: Sequence[Sequence[int]], *_: Any) -> CalibrationRuns:
    """What issue 836 of the seeds did: prefill on real prompts, decode on one token over an empty cache."""
    for prompt in prompts[:10]:
        for tokens in (prompt, prompts[0][:1]):
            engine.reset()
            for fed, phase in engine.machine.chunks(tokens):
                engine.machine.step(fed, phase)
        engine.reset()
        engine.machine.step(prompts[0][:1], "decode")
    return CalibrationRuns(20, 10)


@pytest.mark.slow
def test_the_trap_collapses(exact: Path, ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate, "run_trajectories", one_repeated_token)
    trap = make(tmp_path / "trap", **SPLIT, **TRAPPED)
    found = judge(exact, trap, 16)
    assert same(found) < 0.8
    assert found.kl_mean > 0.1 and answers_cosine(exact, trap, 16) < 0.95
    found = judge(exact, ours, 16)
    assert same(found) == 1 and found.kl_mean < 0.001 and found.hidden_cosine > 0.99


@pytest.mark.slow
def test_the_trap_collapses_in_the_plain_model_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"graphs": "prefill-decode", "capacity": 128}
    reference = make(tmp_path / "exact", **options)
    ours = make(tmp_path / "ours", **options, precision="w8a16")
    monkeypatch.setattr(calibrate, "run_trajectories", one_repeated_token)
    trap = make(tmp_path / "trap", **options, **TRAPPED)
    found = judge(reference, trap, 16)
    assert same(found) < 0.5 and found.top1_agreement < 0.9
    assert same(judge(reference, ours, 16)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "entropy"])
def test_histograms_keep_the_answers_too(exact: Path, method: str, tmp_path: Path) -> None:
    calibration = {"method": method, "samples": 40}
    found = judge(exact, make(tmp_path / "b", **SPLIT, precision="w8a16", quantize={"calibration": calibration}), 8)
    assert found.top1_agreement >= 0.95


@pytest.mark.slow
def test_an_encoder_s_values_are_seen_too(tmp_path: Path) -> None:
    checkpoint = save_encoder_decoder("t5", tmp_path / "checkpoint")
    (tmp_path / "ids.txt").write_text("5,9,30\n90,91,92,93,94\n", "utf-8")
    calibration = {"prompts": str(tmp_path / "ids.txt"), "samples": 12, "steps": 5}
    options = {"task": "translation", "capacity": 16, "quantize": {"calibration": calibration}}
    out = make(tmp_path / "b", source=str(checkpoint), precision="w8a16", **options)
    assert str(tmp_path) not in (out / "recipe.json").read_text("utf-8")
    for entry in steps_of(out):
        assert entry["calibrated"] == "minmax over 12 runs on 2 of the 2 prompts: 2 of ids.txt"
        assert entry["op_counts"]["QuantizeLinear"] > 10
        assert not [one for step in entry["passes"] for one in step["refused"] if "never ran" in one["reason"]]
    *_, done = open_engine(out).generate([5, 9, 30], GenerateOptions(max_new_tokens=3))
    assert len(done.token_ids) >= 1  # type: ignore[attr-defined]


@pytest.mark.slow
def test_one_component_alone(tmp_path: Path) -> None:
    out = make(tmp_path / "b", **SPLIT, quantize={"components": {"decode": "w8a8"}, "calibration": {"samples": 5}})
    kinds = {entry["component"]: entry["precision"] for entry in steps_of(out)}
    assert kinds == {"embeddings": "fp32", "prefill": "fp32", "decode": "w8a8", "head": "fp32"}
    assert [bool(entry["calibrated"]) for entry in steps_of(out)] == [False, False, True, False]


@pytest.mark.slow
def test_progress_and_cancel(tmp_path: Path) -> None:
    events: list[Event] = []
    make(tmp_path / "b", events, precision="w8a8", capacity=64, quantize={"calibration": {"samples": 20, "steps": 2}})
    counted = [e.done for e in events if isinstance(e, ProgressEvent) and e.message == "calibrating"]
    assert counted == sorted(counted) and counted[-1] == 20
    assert any(isinstance(e, LogEvent) and "Calibrated by minmax over 20 runs" in e.message for e in events)
    request = BuildRequest("demo:qwen3", tmp_path / "c", {"precision": "w8a8", "capacity": 64})
    with pytest.raises(Cancelled):
        build(request, events.append, _once_calibrating(events))
    assert not (tmp_path / "c").exists()


def _once_calibrating(events: list[Event]) -> Callable[[], bool]:
    before = len(events)
    return lambda: any(isinstance(e, ProgressEvent) and e.message == "calibrating" for e in events[before:])


@pytest.mark.slow
def test_wrong_input_is_one_sentence(tmp_path: Path, sharp_qwen3: Path) -> None:
    with pytest.raises(PromptError, match="no tokenizer for the built-in sentences"):
        make(tmp_path / "b", source=str(sharp_qwen3), precision="w8a16", capacity=32)
    with pytest.raises(RecipeError, match="names 'nothing_like_it'"):
        make(tmp_path / "b", precision="w8a16", capacity=32, quantize={"exclude": ["nothing_like_it"]})
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(PromptError, match="is empty"):
        make(tmp_path / "b", precision="w8a16", quantize={"calibration": {"prompts": str(tmp_path / "empty.txt")}})
    assert not (tmp_path / "b").exists()
