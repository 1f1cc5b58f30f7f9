"""The build model, event by event: rows, share, estimate and log, without a worker."""

from __future__ import annotations

from typing import Any

import pytest

from app.state import build as module
from app.state.build import BuildModel
from app.state.context import AppContext
from workflows.wire.events import STAGES, ErrorEvent, LogEvent, ProgressEvent, StageEvent
from workflows.wire.requests import Build


class Clock:
    """What `time.monotonic` says."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module.time, "monotonic", made)
    return made


@pytest.fixture
def build(make_context: Any, clock: Clock) -> BuildModel:
    context: AppContext = make_context(hang_on="build")
    context.build.start(Build("demo:qwen3", "/out"), expected=40.0)
    return context.build


def test_the_stages_stand_as_the_engine_has_them() -> None:
    """Without those of import and export, and of compiling, which few builds do."""
    assert list(module.WEIGHTS) == [name for name in STAGES if name not in ("compile", "assemble", "export-genai")]


def test_an_inner_stage_is_the_current_one_until_it_ends(build: BuildModel, clock: Clock) -> None:
    build.apply(StageEvent(stage="export", state="started"))
    clock.now += 1
    build.apply(StageEvent(stage="import", state="started"))
    assert build.current is not None and build.current.stage == "import"
    clock.now += 7
    assert build.current.elapsed == 7
    build.apply(StageEvent(stage="import", state="done", seconds=7.5))
    assert build.current.stage == "export" and build.current.elapsed == 8
    assert [(row.stage, row.elapsed) for row in build.rows if row.state == "done"] == [("import", 7.5)]


def test_the_rest_is_what_was_said_and_later_what_was_seen(build: BuildModel, clock: Clock) -> None:
    assert (build.fraction, build.remaining) == (0.0, 40.0)
    clock.now += 30
    build.apply(StageEvent(stage="checkpoint", state="done", seconds=1))
    assert (build.fraction, build.remaining) == (0.04, 10.0)
    build.apply(StageEvent(stage="import", state="done", seconds=1))
    build.apply(StageEvent(stage="export", state="started"))
    build.apply(ProgressEvent(stage="export", done=1, total=2))
    assert build.fraction == pytest.approx(0.42)
    assert build.remaining == pytest.approx(30 * 0.58 / 0.42)


def test_more_than_was_said_is_no_estimate(build: BuildModel, clock: Clock) -> None:
    clock.now += 41
    assert build.remaining is None


def test_an_export_that_is_reused_imports_nothing(build: BuildModel) -> None:
    build.apply(StageEvent(stage="export", state="reused"))
    assert [row.stage for row in build.rows] == ["checkpoint", "export", "optimize", "quantize", "bundle"]


def test_the_log_reports_stages_steps_lines_and_the_end(build: BuildModel) -> None:
    step = ProgressEvent(stage="export", message="tracing the decoder", done=1, total=3)
    for event in (StageEvent(stage="export", state="started"), step, step, LogEvent(message="a line")):
        build.apply(event)
    build.apply(StageEvent(stage="export", state="done", seconds=3.21, peak_mib=1234))
    build.apply(ErrorEvent(kind="graph", message="It broke."))
    assert [line[10:] for line in build.tail] == [
        "demo:qwen3 → /out",
        "export: started",
        "export: tracing the decoder",
        "a line",
        "export: done in 3.2 s, at most 1,234 MiB",
        "It broke.",
    ]


def test_a_stage_within_another_ends_with_it(build: BuildModel, clock: Clock) -> None:
    build.apply(StageEvent(stage="export", state="started"))
    build.apply(StageEvent(stage="import", state="started"))
    clock.now += 5
    build.apply(StageEvent(stage="import", state="failed", seconds=5, note="The build was cancelled."))
    build.apply(ErrorEvent(kind="cancelled", message="Stopped."))
    clock.now += 100
    stopped = [(row.stage, row.elapsed, row.note) for row in build.rows if row.state == "stopped"]
    assert stopped == [("import", 5, ""), ("export", 5, "")] and build.state == "cancelled"
