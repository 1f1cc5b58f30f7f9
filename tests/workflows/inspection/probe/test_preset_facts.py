"""The figures of presets: bytes of this checkpoint, and what its earlier builds cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.inspection.probe.checkpoint_facts import plan_report, probe_report
from workflows.measure.history import RunHistory
from workflows.wire.reports.runs import RunRecord


@pytest.fixture
def qwen3(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Checkpoint:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path))
    return open_checkpoint("demo:qwen3")


def run(ident: str, kind: str, name: str, digest: str, provider: str = "cpu", **figures: object) -> RunRecord:
    time = f"2026-01-0{ident}T00:00:00+00:00"
    return RunRecord(ident, kind, time, f"/b/{ident}", name, digest, "int4", "gqa", provider, "1", "m", figures)  # type: ignore[arg-type]


def test_the_history_gives_what_a_preset_cost_this_model(qwen3: Checkpoint) -> None:
    """The last build counts, and the last reply of the same graphs; not another model, target or preset."""
    for one in (
        run("1", "build", "qwen3-demo", "a", kl_mean=0.5, top1_agreement=0.5),
        run("2", "build", "qwen3-demo", "b", kl_mean=0.25, top1_agreement=0.75),
        run("3", "generate", "qwen3-demo", "b", decode_tokens_per_s=40.0),
        run("4", "generate", "qwen3-demo", "a", decode_tokens_per_s=7.0),
        run("5", "build", "qwen3-demo-2", "c", kl_mean=9.0),
        run("6", "build", "qwen3-demo", "d", provider="qnn", kl_mean=8.0),
        run("7", "build", "qwen3-demo", "e", kl_mean=0.75, preset="compact"),
    ):
        RunHistory().add(one, ())
    options = {one.name: one for one in plan_report(qwen3, {}).presets}
    balanced, compact, accurate = options["balanced"], options["compact"], options["accurate"]
    assert (balanced.kl_mean, balanced.top1_agreement, balanced.tokens_per_s, balanced.provider) == (
        0.25,
        0.75,
        40,
        "cpu",
    )
    assert (compact.kl_mean, compact.tokens_per_s) == (0.75, None)
    assert (accurate.kl_mean, accurate.tokens_per_s, accurate.precision) == (None, None, "int8")
    assert compact.bytes < balanced.bytes < accurate.bytes < 4 * qwen3.parameters


def test_the_plan_names_presets_of_its_target_alone_and_the_texts_of_calibration(qwen3: Checkpoint) -> None:
    assert probe_report(qwen3).recommended["cpu"] == "int4"
    plan = plan_report(qwen3, {"precision": "int4"})
    assert [one.name for one in plan.presets] == ["compact", "balanced", "accurate"]
    assert [one.name for one in plan.precisions if one.recommended] == ["int4"]
    assert plan.chosen.calibration_origin == "demo"
    assert plan_report(qwen3, {}).chosen.calibration_origin == ""
    assert plan_report(qwen3, {"target": "qnn", "precision": "w8a16"}).chosen.calibration_origin == "demo"


def test_another_checkpoint_is_calibrated_with_the_built_in_texts(qwen3: Checkpoint, tmp_path: Path) -> None:
    other = replace(qwen3, source=str(tmp_path), kind="folder")
    assert plan_report(other, {"precision": "int4"}).chosen.calibration_origin == "texts"
    assert plan_report(other, {"precision": "w8a16"}).chosen.calibration_origin == "sentences"
    bare = replace(other, tokenizer=None)
    assert plan_report(bare, {"precision": "w8a16"}).chosen.calibration_origin == "missing"


def test_the_bytes_are_those_of_the_model(qwen3: Checkpoint) -> None:
    """Of a model whose head is so small a part that it is in 8 bits; a fourth of it is that of 1,024 rows."""
    small = replace(qwen3, config={**qwen3.config, "vocab_size": 900})
    sizes = [
        {one.name: one.bytes for one in plan_report(checkpoint, {}).presets}["balanced"]
        for checkpoint in (qwen3, small)
    ]
    assert sizes[0] < sizes[1]
