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
    assert list(module.WEIGHTS) == [
        name for name in STAGES if name not in ("compile", "assemble", "export-genai", "export-gguf")
    ]


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


def test_the_rest_is_that_of_the_stages_that_have_not_ended(build: BuildModel, clock: Clock) -> None:
    """Of 40 s the export has 22.4, and the checkpoint 1.6, which it exceeds."""
    assert (build.fraction, build.remaining) == (0.0, pytest.approx(40.0))
    build.apply(StageEvent(stage="checkpoint", state="started"))
    clock.now += 30
    assert build.remaining == pytest.approx(38.4)
    build.apply(StageEvent(stage="checkpoint", state="done", seconds=30))
    build.apply(StageEvent(stage="export", state="started"))
    clock.now += 12.4
    assert build.remaining == pytest.approx(26.0) and build.fraction == pytest.approx(14 / 40)
    build.apply(StageEvent(stage="export", state="done", seconds=12.4))
    assert build.remaining == pytest.approx(16.0)


EVENTS = [
    StageEvent(stage="checkpoint", state="started"),
    ProgressEvent(stage="checkpoint", message="model.safetensors", done=9, total=9),
    ProgressEvent(stage="checkpoint", message="hashing", done=0, total=5),
    StageEvent(stage="checkpoint", state="done", seconds=4),
    StageEvent(stage="export", state="started"),
    StageEvent(stage="import", state="started"),
    StageEvent(stage="import", state="done", seconds=4),
    ProgressEvent(stage="export", message="loading the weights", done=0, total=3),
    ProgressEvent(stage="export", message="tracing the decoder", done=1, total=3, component="decode"),
    StageEvent(stage="export", state="done", seconds=16),
    StageEvent(stage="optimize", state="started"),
    ProgressEvent(stage="optimize", message="decode: dead_nodes", component="decode"),
    StageEvent(stage="optimize", state="done", seconds=4),
    StageEvent(stage="quantize", state="skipped"),
    StageEvent(stage="bundle", state="started"),
    StageEvent(stage="bundle", state="done", seconds=4),
    StageEvent(stage="compile", state="started"),  # a stage that no estimate has
]


@pytest.mark.parametrize("pace", [0.1, 1.0, 4.0, 60.0])
def test_the_rest_never_grows_and_the_bar_never_shrinks(build: BuildModel, clock: Clock, pace: float) -> None:
    """However fast the machine is, and whatever was estimated; every event comes after `pace` seconds."""
    rests, shares = [], []
    for event in EVENTS:
        for _ in range(4):
            clock.now += pace / 4
            rests.append(build.remaining or 0.0)
            shares.append(build.fraction)
        build.apply(event)
    assert rests == sorted(rests, reverse=True) and shares == sorted(shares)
    assert rests[0] > 30 and build.remaining is None and build.fraction < 1


def test_the_times_add_up_to_the_whole(build: BuildModel, clock: Clock) -> None:
    for event in EVENTS[:-1]:
        clock.now += 4
        build.apply(event)
    outer = [time for time in build.times if not time.inner]
    assert sum(time.seconds for time in outer) == pytest.approx(build.elapsed)
    assert [time.title for time in build.times][1:3] == ["export", "loading PyTorch"]


def test_components_have_their_graph_one_after_the_other(build: BuildModel) -> None:
    for name in ("prefill", "decode"):
        build.apply(ProgressEvent(stage="export", message=f"tracing the {name}", component=name))
    assert (build.active, build.traced) == ("decode", {"prefill"})
    build.apply(ProgressEvent(stage="export", message="writing the weights"))
    assert (build.active, build.traced) == ("", {"prefill", "decode"})
    build.apply(ProgressEvent(stage="optimize", message="prefill: dead_nodes", component="prefill"))
    assert (build.active, build.traced) == ("prefill", {"prefill", "decode"})


def test_more_than_was_said_is_no_estimate(build: BuildModel, clock: Clock) -> None:
    for row in build.rows:
        build.apply(StageEvent(stage=row.stage, state="started"))  # type: ignore[arg-type]
    clock.now += 41
    assert build.remaining is None


def test_a_stage_that_takes_much_longer_is_late(build: BuildModel, clock: Clock) -> None:
    """The share of the stages after it would stand as a constant remainder for as long as it takes."""
    build.apply(StageEvent(stage="checkpoint", state="done", seconds=1))
    build.apply(StageEvent(stage="export", state="started"))
    clock.now += 20
    assert not build.late
    clock.now += 30
    rest = build.remaining
    clock.now += 60
    assert build.late and build.remaining == rest
    build.apply(StageEvent(stage="export", state="done", seconds=110))
    build.apply(StageEvent(stage="optimize", state="started"))
    assert not build.late  # the next one may be as fast as estimated


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
    assert stopped == [("export", 5, ""), ("import", 5, "")] and build.state == "cancelled"
