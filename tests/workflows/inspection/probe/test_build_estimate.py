"""The estimate before a build: times from earlier builds of this machine, and the bytes that a build writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.measure.run_reports import run as made_run
from workflows.bundle import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.inspection.probe import build_estimate as module
from workflows.inspection.probe import plan
from workflows.inspection.probe.build_estimate import build_estimate
from workflows.recipe import build_memory, resolve_recipe
from workflows.wire.reports.plan import BuildEstimate
from workflows.wire.reports.runs import Figure, RunRecord


def estimate(precision: str, *runs: RunRecord) -> BuildEstimate:
    checkpoint = open_checkpoint("demo:qwen3")
    return build_estimate(checkpoint, resolve_recipe(checkpoint, {"precision": precision}), None, 1, runs)


def earlier(precision: str, **seconds: float) -> RunRecord:
    """A build of the size of the demo."""
    figures: dict[str, Figure] = {f"{stage}_s": value for stage, value in seconds.items()}
    size = 394_000 * (4 if precision == "fp32" else 0.5)
    return made_run("b1", "build", precision=precision, bytes=size, **figures)


def test_without_builds_the_stages_are_those_of_the_table() -> None:
    first = estimate("int4")
    assert first.builds == 0 and first.stages["export"] == pytest.approx(8.0, abs=0.02)
    assert first.seconds == pytest.approx(sum(first.stages.values()), abs=0.06)
    assert "quantize" not in estimate("fp32").stages


def test_two_earlier_builds_give_the_time_of_each_stage() -> None:
    """The median of both; quantization counts from the same precision alone."""
    runs = (
        earlier("fp32", checkpoint=1.0, export=20.0, optimize=2.0, bundle=0.5),
        earlier("int4", checkpoint=3.0, export=24.0, optimize=4.0, quantize=7.0, bundle=0.5),
    )
    learned = estimate("int4", *runs)
    expected = {"checkpoint": 2.0, "export": 22.0, "optimize": 3.0, "quantize": 7.0, "measure": 0.3, "bundle": 0.5}
    assert learned.stages == pytest.approx(expected, rel=0.01) and learned.builds == 2
    assert learned.seconds == pytest.approx(34.8, rel=0.01)


def test_each_text_of_a_batch_has_a_cache() -> None:
    of_one, of_four = (
        plan("demo:qwen3", {"batch": texts, "capacity": 256}, lambda: False).estimate for texts in (1, 4)
    )
    assert of_four.kv_bytes == 4 * of_one.kv_bytes > 0


def test_a_larger_build_is_scaled_to_the_size() -> None:
    """A checkpoint of 1 GB took 11 s to hash, ten times what the table has; this one is a thousandth of it."""
    big = made_run("b2", "build", precision="fp32", bytes=1e9, checkpoint_s=11.0, export_s=14.0)
    learned = estimate("fp32", big)
    assert learned.stages["checkpoint"] == pytest.approx(10 * (0.1 + 0.0016), rel=0.01)
    assert learned.stages["export"] == pytest.approx(8.0, rel=0.01)


def test_memory_is_scaled_from_the_peaks_of_earlier_builds() -> None:
    """Twice the usual peak at 1 GB is twice the usual peak at the size of the demo."""
    usual = estimate("fp32").memory_bytes
    assert usual == pytest.approx(525 * 2**20 + 1.08 * 4 * 394_000, rel=0.01)
    big = made_run("b2", "build", precision="fp32", bytes=1e9, peak_mib=2 * (525 + 1.08e9 / 2**20), export_s=14.0)
    assert estimate("fp32", big).memory_bytes == pytest.approx(2 * usual, rel=0.01)
    assert estimate("fp32", earlier("fp32", export=9.0)).memory_bytes == usual  # a run without its peak


def with_peak(mebibytes: float) -> RunRecord:
    run = earlier("fp32", export=9.0)
    return replace(run, figures=run.figures | {"peak_mib": mebibytes})


def test_builds_of_the_same_kind_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that streamed says nothing of one that does not, and the reverse."""
    whole = with_peak(2_000)
    streamed = replace(whole, figures=whole.figures | {"streamed": 1, "export_s": 16.0, "peak_mib": 1_052})
    held = estimate("fp32", whole, streamed)
    assert held.stages["export"] == pytest.approx(9, rel=0.01) and (held.builds, held.streamed) == (1, False)
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 1)
    flowing = estimate("int4", whole, streamed)
    assert flowing.stages["export"] == pytest.approx(16, rel=0.01) and (flowing.builds, flowing.streamed) == (1, True)
    assert held.memory_bytes == pytest.approx(2_000 * 2**20, rel=0.01)
    assert flowing.memory_bytes == pytest.approx(1_052 * 2**20, rel=0.01)
    assert held.work_bytes == pytest.approx(8 * 394_000, rel=0.01)
    assert flowing.work_bytes == pytest.approx(394_000 * 5 / 8, rel=0.1)  # int4 with a scale of 4 bytes per 32


def test_the_peak_of_another_size_says_nothing_of_a_streamed_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of the largest tensor and layer: a hybrid of four layers took 2.1 GB, and 1.5 were stated."""
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 1)
    usual = estimate("int4").memory_bytes
    run = with_peak(9_000)
    for size, counts in ((1.1, True), (2.0, False), (0.5, False)):
        other = replace(run, figures=run.figures | {"streamed": 1, "bytes": size * 4 * 394_000})
        assert (estimate("int4", other).memory_bytes == usual) != counts


def test_memory_is_short_by_formula_and_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peak of an earlier build includes pages of files, so it refuses nothing of its own."""
    monkeypatch.setattr(module, "obtainable_bytes", lambda: 300 << 20)
    assert estimate("fp32").memory_short
    assert not estimate("fp32", with_peak(300)).memory_short
    monkeypatch.setattr(module, "obtainable_bytes", lambda: 500 << 20)
    assert not estimate("fp32", with_peak(2_000)).memory_short


@pytest.mark.parametrize("options", [{"precision": "fp32"}, {"precision": "int4", "cache": "static"}])
def test_the_bytes_are_those_that_the_build_writes(built: Built, options: dict[str, str]) -> None:
    bundle = read_bundle(built("demo:qwen3", **options))
    said = plan("demo:qwen3", options, lambda: False).estimate
    assert said.disk_bytes == pytest.approx(bundle.bytes, rel=0.1)
    snapshots = sum(file.stat().st_size for file in (Path(bundle.folder) / "stages").iterdir())
    assert 0.5 < said.snapshot_bytes / snapshots < 2
