"""Rounding layer by layer: what each product read is what the graph computes, and the products lose less by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from workflows.bundle import read_bundle
from workflows.bundle.evidence import load_evidence
from workflows.generate import Engine
from workflows.generate.prompt_sets import demo_name, demo_questions
from workflows.runtime import device_named, open_machine

OPTIONS: dict[str, Any] = {"precision": "int4", "quantize": {"head": "int8", "embedding": "int8"}}


def logits(bundle: Path, prompts: list[list[int]]) -> np.ndarray:
    found = []
    with open_machine(read_bundle(bundle), device_named("cpu")) as machine:
        for ids in prompts:
            machine.cache.reset()
            found += [machine.step(fed, phase, rows=len(fed)).copy() for fed, phase in machine.chunks(ids)]
    rows: np.ndarray = np.concatenate(found).astype(np.float64)
    return rows


def divergence(reference: np.ndarray, candidate: np.ndarray) -> float:
    def log_softmax(rows: np.ndarray) -> np.ndarray:
        rows = rows - rows.max(-1, keepdims=True)
        normal: np.ndarray = rows - np.log(np.exp(rows).sum(-1, keepdims=True))
        return normal

    p, q = log_softmax(reference), log_softmax(candidate)
    return float((np.exp(p) * (p - q)).sum(-1).mean())


def prompts_of(bundle: Path) -> list[list[int]]:
    opened = read_bundle(bundle)
    with Engine(opened, open_machine(opened, device_named("cpu")), 0.0) as engine:
        return [engine.encode(one.text + " " + one.expected) for one in demo_questions(demo_name(opened))[:40]]


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("demo:qwen3", OPTIONS),
        pytest.param("demo:qwen3_5", OPTIONS, marks=pytest.mark.slow),
        pytest.param("demo:qwen3", {"preset": "compact"}, marks=pytest.mark.slow),
    ],
)
def test_a_trained_model_loses_less_than_by_search(built: Built, source: str, options: dict[str, Any]) -> None:
    """With a head in 8 bits, and with one in 4, which is rounded as the layers are."""
    fp32 = built(source)
    prompts = prompts_of(fp32)
    whole, lost = logits(fp32, prompts), {}
    for rounding in ("search", "compensated"):
        quantize = {**options.get("quantize", {}), "rounding": rounding}
        lost[rounding] = divergence(whole, logits(built(source, **{**options, "quantize": quantize}), prompts))
    assert lost["compensated"] < 0.9 * lost["search"], lost


def test_the_evidence_says_what_was_read(built: Built) -> None:
    bundle = built("demo:qwen3", **{**OPTIONS, "quantize": {**OPTIONS["quantize"], "rounding": "compensated"}})
    entry = next(one for one in load_evidence(bundle) if one["name"] == "quantize")
    assert "tokens of demo:qwen3's own" in entry["calibrated"]
    refused = [one["reason"] for step in entry["passes"] for one in step["refused"]]
    assert "calibration fed it nothing: rounded by search" not in refused


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["static", "window"])
def test_texts_longer_than_the_cache_are_read_in_parts(built: Built, cache: str) -> None:
    """No run of the texts has fewer tokens than the 40 slots; the weights are rounded with all of them."""
    entry = next(
        one
        for one in load_evidence(built("demo:qwen3", **OPTIONS, capacity=40, cache=cache))
        if one["name"] == "quantize"
    )
    assert "tokens of demo:qwen3's own" in entry["calibrated"]
    reasons = [one["reason"] for step in entry["passes"] for one in step["refused"]]
    assert not any("calibration fed it nothing" in reason for reason in reasons), reasons
