"""Suggestions: what restoring a product promises is what a build that excludes it keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import save_encoder_decoder
from tests.workflows.quantize.making import dequantized, perturbed, with_integer_products
from workflows.builder import BuildRequest, build
from workflows.bundle import read_bundle
from workflows.common.errors import Cancelled, RequestError
from workflows.evaluation.accuracy import compare, suggest
from workflows.generate.prompt_sets import EvaluationPrompt, PromptSet
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.accuracy import Suggestions

IDS = PromptSet(
    (EvaluationPrompt("", (5, 9, 300, 41, 7)), EvaluationPrompt("", (2,)), EvaluationPrompt("", tuple(range(90, 120)))),
    "three of ids",
)


def make(checkpoint: Path, out: Path, **options: Any) -> Path:
    build(BuildRequest(str(checkpoint), out, {"capacity": 64} | options))
    return out


def ask(reference: Path, candidate: Path, count: int, prompts: PromptSet = IDS, **more: Any) -> Suggestions:
    return suggest(read_bundle(reference), read_bundle(candidate), lambda _: prompts, count, **more)


@pytest.fixture(scope="module")
def full(sharp_qwen3: Path, built: Built) -> Path:
    return built(sharp_qwen3, graphs="single", capacity=256, chunk=64)


@pytest.fixture(scope="module")
def int4(sharp_qwen3: Path, built: Built) -> Path:
    return built(sharp_qwen3, graphs="single", capacity=256, chunk=64, precision="int4")


@pytest.mark.slow
def test_what_is_promised_is_what_a_build_keeps(full: Path, int4: Path, sharp_qwen3: Path, tmp_path: Path) -> None:
    found = ask(full, int4, 3)
    names = [row.node for row in found.exclude]
    ranks = [row.kl_mean for row in found.exclude]
    assert len(names) == 3 and ranks == sorted(ranks) and ranks[-1] < found.before.kl_mean
    assert found.products == 10  # qkv, o, gate and up, down of two layers, the head and the table
    assert found.after.kl_mean < found.before.kl_mean
    other = make(sharp_qwen3, tmp_path / "kept", precision="int4", quantize={"exclude": names})
    told = compare(read_bundle(full), read_bundle(other), lambda _: IDS, steps=8, questions=0)
    assert told.kl_mean == pytest.approx(found.after.kl_mean, rel=1e-2)
    assert told.positions == found.positions == 4 + 0 + 29 + 3 * 8  # of the prompts and of the answers


@pytest.mark.slow
def test_two_graphs_are_restored_together(full: Path, sharp_qwen3: Path, tmp_path: Path) -> None:
    split = make(sharp_qwen3, tmp_path / "split", precision="int4", graphs="prefill-decode", chunk=8)
    found = ask(full, split, 100)
    assert found.products == 10
    assert found.after.kl_mean < 0.5 * found.before.kl_mean


@pytest.mark.slow
def test_an_encoder_has_products_of_its_own(tmp_path: Path, stage_cache: None) -> None:
    checkpoint = save_encoder_decoder("t5", tmp_path / "checkpoint")
    fields = {"task": "translation", "capacity": 16}
    full = make(checkpoint, tmp_path / "full", **fields)
    sources = PromptSet((EvaluationPrompt("", (5, 9, 30)), EvaluationPrompt("", tuple(range(90, 110)))), "two")
    quantized = make(checkpoint, tmp_path / "int4", precision="int4", quantize={"block_size": 16}, **fields)
    found = ask(full, quantized, 1000, sources)
    assert {row.part for row in found.exclude} == {"encoder", "decoder"}
    assert found.after.kl_mean <= found.before.kl_mean


def test_a_weight_behind_a_dequantization_is_restored(full: Path, tmp_path: Path) -> None:
    found = ask(full, dequantized(full, tmp_path / "qdq"), 100)
    assert found.before.kl_mean > 1e-3
    names = {row.node for row in found.exclude}
    assert found.products == 9
    assert len(names) > 4 and found.after.kl_mean < found.exclude[0].kl_mean


@pytest.mark.parametrize("static", [False, True])
def test_integer_products_are_restored(full: Path, tmp_path: Path, static: bool) -> None:
    """On what their inputs were before they were quantized."""
    found = ask(full, with_integer_products(full, tmp_path / "integers", static), 100)
    assert found.products == 9 and found.before.kl_mean > 1e-3
    assert found.after.kl_mean < 0.2 * found.before.kl_mean


def test_a_bundle_that_is_not_quantized(full: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="No quantized node of the candidate is found in the reference"):
        ask(full, perturbed(full, tmp_path / "b", 0.1), 3)


def test_cancelling(full: Path, int4: Path) -> None:
    events: list[Event] = []
    with pytest.raises(Cancelled):
        ask(full, int4, 3, report=events.append, cancelled=lambda: len(events) > 1)
    assert [event.message for event in events if isinstance(event, ProgressEvent)] == [
        "restoring product 1 of 10",
        "restoring product 2 of 10",
    ]
