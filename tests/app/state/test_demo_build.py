"""The demo with one click: looked at, planned, built; and what ends it on its way."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.state.demo_build import DemoBuild
from app.state.unsaved_recipe import DEMO, UnsavedRecipe
from tests.app.test_session import StubJob, StubWorker
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import Build, PlanRecipe, ProbeSource

FOUND: Any = SimpleNamespace(remote_code={}, supported=True, decoder=None, left_out={})
PLAN: Any = SimpleNamespace(chosen=SimpleNamespace(precision="int4", target="cpu"), recipe={})


class StubBuild(QObject):
    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.running = self.busy = False
        self.outcome: Any = None
        self.asked: list[tuple[Build, Any]] = []

    def start(self, request: Build, plan: Any) -> bool:
        self.asked.append((request, plan))
        return not self.busy

    def end(self, bundle: str) -> None:
        self.outcome = SimpleNamespace(bundle=bundle) if bundle else None
        self.finished.emit()


class Bench:
    def __init__(self, bundles: Path) -> None:
        self.worker, self.build = StubWorker(), StubBuild()
        self.draft = UnsavedRecipe(self.worker, lambda: bundles)  # type: ignore[arg-type]
        self.click = DemoBuild(self.draft, self.build)  # type: ignore[arg-type]
        self.said: list[tuple[str, ...]] = []
        self.steps: list[str] = []
        self.click.stepped.connect(self.steps.append)
        self.click.ready.connect(lambda bundle: self.said.append(("ready", bundle)))
        self.click.failed.connect(lambda *words: self.said.append(words))

    @property
    def job(self) -> StubJob:
        return self.worker.jobs[-1]

    def look(self) -> None:
        """Up to the question for a plan."""
        assert self.click.start(None)
        assert self.job.request == ProbeSource(DEMO)
        self.job.answered.emit(FOUND)
        self.plan()

    def plan(self) -> None:
        """As the timer does soon."""
        self.draft._plan._timer.stop()
        self.draft._plan._send()


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_from_the_click_to_the_bundle(bench: Bench, tmp_path: Path) -> None:
    bench.look()
    assert bench.job.request == PlanRecipe(DEMO, {"precision": "fp32"}) and bench.build.asked == []
    bench.job.answered.emit(PLAN)
    assert bench.build.asked == [(Build(DEMO, str(tmp_path / "qwen3-demo-int4"), {"precision": "fp32"}), PLAN)]
    bench.build.end("/b/demo")
    assert bench.said == [("ready", "/b/demo")] and bench.steps == ["looking", "building", ""]


def test_a_second_click_while_it_is_looked_at_changes_nothing(bench: Bench) -> None:
    assert bench.click.start(None) and not bench.click.start(None)
    assert len(bench.worker.jobs) == 1 and bench.steps == ["looking"]


def test_a_build_that_runs_is_not_disturbed(bench: Bench) -> None:
    bench.draft.probe("/mine")
    bench.build.running = True
    assert not bench.click.start(None)
    assert bench.draft.source == "/mine" and len(bench.worker.jobs) == 1


@pytest.mark.parametrize("planned", [False, True])
def test_what_goes_wrong_before_the_build_is_reported_once(bench: Bench, planned: bool) -> None:
    if planned:
        bench.look()
    else:
        bench.click.start(None)
    bench.job.failed.emit(ErrorEvent(kind="recipe", message="It cannot be.", details="why"))
    assert bench.said == [("It cannot be.", "why")] and bench.build.asked == [] and bench.click.step == ""
    bench.draft.changed.emit()
    assert len(bench.said) == 1


def test_another_build_in_between_ends_it_silently(bench: Bench) -> None:
    bench.look()
    bench.build.busy = True
    bench.job.answered.emit(PLAN)
    bench.build.end("/b/mine")
    assert bench.said == [] and bench.click.step == ""


def test_a_failed_build_reports_itself_and_a_later_one_is_not_the_demo(bench: Bench) -> None:
    bench.look()
    bench.job.answered.emit(PLAN)
    bench.build.end("")
    bench.build.end("/b/mine")
    assert bench.said == []
