"""The process of a step with the real engine: a failure's sentence, and slowly an evaluation and a benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.service.sweep.step_runner import run_step
from workflows.wire.reports.sweep import StepKind, StepResult, SweepStep


def run(runs: Path, kind: StepKind, **arguments: object) -> StepResult:
    step = SweepStep(f"x.{kind}", kind, "x", "0f", "s", "r", "", "cpu", "local", arguments, seconds=300.0)
    return run_step(runs, step, lambda: False)


def test_a_build_without_a_source_fails_in_a_sentence(tmp_path: Path) -> None:
    source = str(tmp_path / "nothing")
    result = run(tmp_path, "build", source=source, options={}, trust_remote_code=False)
    assert result.state == "failed" and "nothing" in result.reason and "fault" not in result.reason
    assert result.reason.endswith(".") and result.runs == []
    assert "Traceback" in (tmp_path / "steps" / "x.build" / "log.txt").read_text("utf-8")


@pytest.mark.slow
def test_an_evaluation_and_a_benchmark_of_a_bundle(tmp_path: Path, demo_bundle: Path) -> None:
    (tmp_path / "bundles").mkdir()
    (tmp_path / "bundles" / "x").symlink_to(demo_bundle)
    compared = run(tmp_path, "eval", against="x", source="", prompts="", steps=2, questions=0, trust_remote_code=False)
    assert compared.state == "done" and compared.runs[0].figures["top1_agreement"] == 1.0
    measured = run(tmp_path, "bench", prompt_tokens=8, new_tokens=4, repeats=1)
    assert measured.state == "done", measured.reason
    assert measured.runs[0].figures["new_tokens"] == 4 and measured.bundle_digest == compared.bundle_digest
