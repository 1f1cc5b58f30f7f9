"""The process that waits for a build: who takes it, and when it is let go."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.jobs.spare_worker import IDLE_MS, NEEDED_BYTES, RELEASE_BELOW_BYTES, SpareWorker
from app.state.context import AppContext
from workflows.wire.requests import Build, PreloadModules, Request


class Waiting(QObject):
    """A worker without a process."""

    crashed = Signal(str)
    memory = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Request[Any]] = []
        self.retired = self.refusing = self.background = False

    def request(self, request: Request[Any]) -> None:
        self.asked.append(request)

    def retire(self) -> None:
        self.retired = True


class Bench:
    """What was made, and how much is free."""

    def __init__(self) -> None:
        self.made: list[Waiting] = []
        self.free, self.refusing = NEEDED_BYTES, False
        self.warm = SpareWorker(self._new, free=lambda: self.free)  # type: ignore[arg-type]

    def _new(self) -> Waiting:
        self.made.append(Waiting())
        self.made[-1].refusing = self.refusing
        return self.made[-1]


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    return Bench()


def test_one_waits_and_is_taken_once(bench: Bench) -> None:
    """Asked for twice there is one; who takes it has it alone, and the next gets another."""
    bench.warm.prepare()
    bench.warm.prepare()
    (first,) = bench.made
    assert first.asked == [PreloadModules()] and first.background
    assert bench.warm.take() is first and not first.retired
    assert not bench.warm.waiting and bench.warm.take() is bench.made[1]
    assert bench.made[1].asked == []  # nothing is prepared when a build waits for it


def test_without_room_none_waits(bench: Bench) -> None:
    bench.free = NEEDED_BYTES - 1
    bench.warm.prepare()
    assert bench.made == []


def test_where_memory_runs_short_it_goes(bench: Bench) -> None:
    bench.warm.prepare()
    bench.made[0].memory.emit(1)
    assert bench.warm.waiting
    bench.free = RELEASE_BELOW_BYTES - 1
    bench.made[0].memory.emit(1)
    assert bench.made[0].retired and not bench.warm.waiting


def test_what_nobody_takes_goes_after_a_while(bench: Bench) -> None:
    bench.warm.prepare()
    assert bench.warm._idle.isActive() and bench.warm._idle.interval() == IDLE_MS
    bench.warm._idle.timeout.emit()
    assert bench.made[0].retired and not bench.warm.waiting


def test_one_that_dies_is_none(bench: Bench) -> None:
    bench.warm.prepare()
    bench.made[0].crashed.emit("It ended.")
    assert not bench.warm.waiting and bench.warm.take() is bench.made[1]


def test_one_that_was_taken_is_the_build_s_alone(bench: Bench) -> None:
    """Neither its end nor a want of memory is any more of who had it wait."""
    bench.warm.prepare()
    bench.warm.take()
    bench.free = 0
    bench.made[0].memory.emit(1)
    bench.made[0].crashed.emit("It ended.")
    assert not bench.made[0].retired


def test_a_window_that_closes_has_none_wait(bench: Bench) -> None:
    bench.refusing = True
    bench.warm.prepare()
    assert bench.made[0].retired and bench.made[0].asked == [] and not bench.warm.waiting


def test_builds_take_it_and_never_share_it(make_context: Any, qtbot: QtBot) -> None:
    """The process that was prepared builds; the next build's is another, also after one that was cancelled."""
    context: AppContext = make_context(hang_on="build")
    build, pids = context.build, list[int]()
    build._spare._free = lambda: NEEDED_BYTES
    for _ in range(2):
        build.prepare()
        waiting = build._spare._worker
        assert waiting is not None
        qtbot.waitUntil(lambda waiting=waiting: not waiting.busy and waiting.pid > 0)
        pids.append(waiting.pid)
        build.start(Build("demo:qwen3", "/out"))
        assert build._worker is waiting and not build._spare.waiting
        build.prepare()  # while one builds, none waits
        assert not build._spare.waiting
        build.cancel()
        qtbot.waitUntil(lambda: not build.running)
    assert pids[0] != pids[1] and build.state == "cancelled"
