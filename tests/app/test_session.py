"""The session's states, driven by a worker that only remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.state.bundle_session import BundleSession, SessionFailure
from app.state.session_cache import CacheHistory
from tests.fakes.inspections import group
from workflows.wire.events import (
    CacheEvent,
    CacheUse,
    ChunkEvent,
    ErrorEvent,
    GenerationDone,
    NoticeEvent,
    PicturesEvent,
    PictureSpan,
    ReadyEvent,
    TokenEvent,
)
from workflows.wire.reports.base import Done
from workflows.wire.requests import Close, Generate, Open, Request, Rewind, Turn

READY = ReadyEvent(
    bundle="/b",
    model_type="qwen3",
    route="prefill-decode",
    provider="CPUExecutionProvider",
    layout="static",
    capacity=256,
    chunk=64,
    vocabulary=512,
    chat_template=True,
    load_seconds=0.1,
)
TOKEN = TokenEvent(id=5, text="56", step=0, phase="prefill", latency_ms=3.0, cache_used=9, cache_capacity=256)
CHUNK = ChunkEvent(start=0, tokens=8, total=8, latency_ms=2.0, cache_used=8, cache_capacity=256)
DONE = GenerationDone(
    prompt_ids=[1],
    token_ids=[5],
    text="56",
    finish_reason="eos",
    ttft_ms=3.0,
    decode_tokens_per_s=100.0,
    prefill_tokens_per_s=900.0,
    provider="cpu",
    cache=CacheUse(layout="static", capacity=256, used=9, bytes=4096, evicted=0),
)


class StubJob(QObject):
    event = Signal(object)
    answered = Signal(object)
    failed = Signal(object)

    def __init__(self, request: Request[object]) -> None:
        super().__init__()
        self.request, self.cancelled = request, False

    def on_answer(self, take: Callable[[Any], object]) -> None:
        self.answered.connect(take)

    def on_error(self, take: Callable[[ErrorEvent], object]) -> None:
        self.failed.connect(take)

    def cancel(self) -> None:
        self.cancelled = True


class StubWorker(QObject):
    crashed = Signal(str)
    memory = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[StubJob] = []

    def request(self, request: Request[object]) -> StubJob:
        self.jobs.append(StubJob(request))
        return self.jobs[-1]


class Log:
    """Every signal of a session, in order."""

    def __init__(self, session: BundleSession) -> None:
        self.lines: list[tuple[str, Any]] = []
        for name in ("stateChanged", "opened", "chunk", "token", "notice", "cacheChanged", "finished", "failed"):
            signal = session.cache.changed if name == "cacheChanged" else getattr(session, name)
            signal.connect(lambda value, name=name: self.lines.append((name, value)))


@pytest.fixture
def worker(qtbot: QtBot) -> StubWorker:
    return StubWorker()


@pytest.fixture
def session(worker: StubWorker) -> BundleSession:
    return BundleSession(worker)  # type: ignore[arg-type]


@pytest.fixture
def opened(session: BundleSession, worker: StubWorker) -> BundleSession:
    session.open("/b", "cpu", "static", 256)
    worker.jobs[-1].answered.emit(READY)
    return session


def test_open(session: BundleSession, worker: StubWorker) -> None:
    log = Log(session)
    session.open("/b", "cpu", "window", 128)
    job = worker.jobs[-1]
    assert job.request == Open("/b", "cpu", "window", 128)
    job.answered.emit(READY)
    assert session.ready_for("/b") == READY
    assert log.lines == [("stateChanged", "opening"), ("stateChanged", "ready"), ("opened", READY)]


def test_generate_relays_and_ends(opened: BundleSession, worker: StubWorker) -> None:
    log = Log(opened)
    groups = [group("static", [(0, 0, 9)])]
    notice = NoticeEvent(code="window-slid", message="The window slid.")
    assert opened.generate([Turn("user", "8*7=")], {"temperature": 0.0})
    assert not opened.generate("again")
    job = worker.jobs[-1]
    assert job.request == Generate(messages=(Turn("user", "8*7="),), options={"temperature": 0.0})
    for event in (CHUNK, TOKEN, CacheEvent(groups=groups), notice):
        job.event.emit(event)
    job.answered.emit(DONE)
    assert log.lines == [
        ("stateChanged", "generating"),
        ("chunk", CHUNK),
        ("token", TOKEN),
        ("cacheChanged", groups),
        ("notice", notice),
        ("stateChanged", "ready"),
        ("finished", DONE),
    ]
    assert opened.groups_for("/b") == groups


def test_prompt_waits_for_the_bundle(session: BundleSession, worker: StubWorker) -> None:
    assert not session.generate("x")  # nothing is open
    session.open("/b")
    assert session.generate("x")
    assert [j.request.job for j in worker.jobs] == ["open"]
    worker.jobs[0].answered.emit(READY)
    assert [j.request.job for j in worker.jobs] == ["open", "generate"]
    assert worker.jobs[1].request == Generate(prompt="x")


def test_stop_cancels_the_job(opened: BundleSession, worker: StubWorker) -> None:
    opened.generate("x")
    opened.stop()
    assert worker.jobs[-1].cancelled
    assert opened.state == "generating"  # until the worker says so


def test_refused_prompt_leaves_it_ready(opened: BundleSession, worker: StubWorker) -> None:
    log = Log(opened)
    opened.generate("x")
    worker.jobs[-1].failed.emit(ErrorEvent(kind="prompt", message="Too long.", details="trace"))
    assert opened.state == "ready"
    assert log.lines[-1] == ("failed", SessionFailure("prompt", "Too long.", "trace"))
    opened.generate("y")
    assert opened.error is None


def test_bundle_that_cannot_open(session: BundleSession, worker: StubWorker) -> None:
    session.open("/b")
    session.generate("x")
    worker.jobs[0].failed.emit(ErrorEvent(kind="bundle", message="weights.bin is missing."))
    assert session.state == "failed"
    assert session.error == SessionFailure("bundle", "weights.bin is missing.")
    assert len(worker.jobs) == 1


def test_crash_and_reopen(opened: BundleSession, worker: StubWorker) -> None:
    opened.generate("x")
    dead = worker.jobs[-1]
    dead.event.emit(CacheEvent(groups=[group()]))
    log = Log(opened)
    worker.crashed.emit("The worker was killed (signal 9).")
    assert opened.state == "failed"
    assert opened.ready_for("/b") is None and opened.groups_for("/b") == []
    assert log.lines[-1] == ("failed", SessionFailure("crashed", "The worker was killed (signal 9)."))
    dead.event.emit(TOKEN)
    dead.failed.emit(ErrorEvent(kind="crashed", message="late"))
    assert log.lines[-1][0] == "failed" and len(log.lines) == 3
    opened.reopen()
    assert worker.jobs[-1].request == Open("/b", "cpu", "static", 256)
    worker.jobs[-1].answered.emit(READY)
    assert opened.state == "ready" and opened.error is None


def test_opening_another_ends_the_running_generation(opened: BundleSession, worker: StubWorker) -> None:
    log = Log(opened)
    opened.generate("x")
    running = worker.jobs[-1]
    opened.open("/other")
    assert running.cancelled
    running.event.emit(TOKEN)
    running.answered.emit(DONE)
    assert [name for name, _ in log.lines] == ["stateChanged", "failed", "stateChanged"]
    assert opened.state == "opening" and opened.bundle == "/other"


def test_close(opened: BundleSession, worker: StubWorker) -> None:
    opened.close()
    assert (opened.state, opened.bundle, opened.ready_for("")) == ("closed", "", None)
    assert worker.jobs[-1].request == Close()
    worker.crashed.emit("gone")
    assert opened.state == "closed"


def test_rewind_is_a_job_of_its_own(opened: BundleSession, worker: StubWorker) -> None:
    log, done = Log(opened), []
    opened.cache.done.connect(lambda name, subject: done.append((name, subject)))
    assert opened.cache.rewind(3) and opened.cache.job == "rewind"
    assert not opened.cache.save("/c")  # one at a time
    job = worker.jobs[-1]
    assert job.request == Rewind(3)
    groups = [group("static", [(0, 0, 3)], length=3)]
    job.event.emit(CacheEvent(groups=groups))
    job.answered.emit(Done())
    assert (opened.groups_for("/b"), opened.cache.job, opened.state, done) == (groups, "", "ready", [("rewind", 3)])
    assert log.lines == [("cacheChanged", groups)]
    assert [s.moment for s in opened.cache.history.snapshots] == ["rewind"]


def test_refused_cache_job_is_no_failure_of_the_session(opened: BundleSession, worker: StubWorker) -> None:
    log, failed = Log(opened), []
    opened.cache.failed.connect(lambda name, failure: failed.append((name, failure)))
    assert opened.cache.load("/c")
    worker.jobs[-1].failed.emit(ErrorEvent(kind="promptcache", message="Of another model."))
    assert failed == [("load_cache", SessionFailure("promptcache", "Of another model."))]
    assert log.lines == [] and opened.state == "ready" and opened.error is None


def test_cache_jobs_need_a_session_that_is_ready(opened: BundleSession, worker: StubWorker) -> None:
    opened.generate("x")
    assert not opened.cache.rewind(1) and not opened.cache.save("/c") and not opened.cache.load("/c")
    opened.close()
    assert not opened.cache.rewind(1)


def test_crash_ends_the_cache_job(opened: BundleSession, worker: StubWorker) -> None:
    opened.cache.save("/c")
    late = worker.jobs[-1]
    worker.crashed.emit("gone")
    assert opened.cache.job == "" and opened.state == "failed"
    late.answered.emit(Done())
    assert opened.state == "failed"


def test_pictures_are_those_of_the_tokens_that_the_cache_holds(opened: BundleSession, worker: StubWorker) -> None:
    """From the first groups of their prompt on, also of a dropped one, until another cache is loaded."""
    cache, a = opened.cache, PictureSpan(path="a.png", runs=[(1, 2)])
    opened.generate("x")
    worker.jobs[-1].event.emit(PicturesEvent(pictures=[a]))
    assert cache.pictures == ()
    worker.jobs[-1].event.emit(CacheEvent(groups=[group(length=4)]))
    assert cache.pictures == (a,)
    opened.drop()
    dropped = worker.jobs[-1]
    opened.generate("y")
    dropped.event.emit(CacheEvent(groups=[group(length=5)]))
    assert cache.pictures == (a,)
    worker.jobs[-1].event.emit(PicturesEvent(pictures=[]))
    worker.jobs[-1].event.emit(CacheEvent(groups=[group(length=3)]))
    assert cache.pictures == ()
    assert [one.pictures for one in cache.history.snapshots] == [(a,), (a,), ()]
    worker.jobs[-1].event.emit(PicturesEvent(pictures=[a]))
    worker.jobs[-1].answered.emit(DONE)
    cache.load("/c")
    worker.jobs[-1].event.emit(CacheEvent(groups=[group(length=3)]))
    assert cache.pictures == ()


def test_history_belongs_to_the_last_generation(opened: BundleSession, worker: StubWorker) -> None:
    for length in (4, 9):
        opened.generate("x")
        job = worker.jobs[-1]
        job.event.emit(CacheEvent(groups=[group(length=length)]))
        job.event.emit(TOKEN)
        job.event.emit(CacheEvent(groups=[group(length=length + 1)]))
        job.answered.emit(DONE)
    seen = [(s.moment, s.step, s.length) for s in opened.cache.history.snapshots]
    assert seen == [("before", 0, 5), ("prefill", 0, 9), ("decode", 1, 10)]
    opened.open("/other")
    assert len(opened.cache.history) == 0


def test_history_stays_bounded_and_covers_everything() -> None:
    history = CacheHistory(limit=20)
    for step in range(1000):
        history.note("decode", step, [group(length=step)])
    steps = [snapshot.step for snapshot in history.snapshots]
    assert len(steps) <= 20 and steps == sorted(steps)
    assert steps[0] == 0 and steps[-1] == 999


def test_history_shows_the_steps_between_two_pictures() -> None:
    history = CacheHistory()
    history.note("prefill", 0, [group("static", [(0, 0, 3)], length=3, allocated=4)])
    history.note("decode", 4, [group("static", [(0, 0, 6)], length=6)])
    seen = [(s.moment, s.step, s.groups[0].runs, s.groups[0].allocated) for s in history.snapshots]
    assert seen == [
        ("prefill", 0, [(0, 0, 3)], 4),
        ("decode", 2, [(0, 0, 4)], 4),
        ("decode", 3, [(0, 0, 5)], 8),
        ("decode", 4, [(0, 0, 6)], 8),
    ]


def test_history_goes_round_with_a_ring() -> None:
    history = CacheHistory()
    history.note("decode", 1, [group("window", [(0, 0, 7)], length=7)])
    history.note("decode", 5, [group("window", [(0, 8, 3), (3, 3, 5)], length=11, evicted=3)])
    assert [(s.length, s.groups[0].runs, s.groups[0].evicted) for s in history.snapshots[1:4]] == [
        (8, [(0, 0, 8)], 0),
        (9, [(0, 8, 1), (1, 1, 7)], 1),
        (10, [(0, 8, 2), (2, 2, 6)], 2),
    ]


def test_history_does_not_guess_over_a_rewind() -> None:
    history = CacheHistory()
    history.note("decode", 1, [group("static", [(0, 0, 7)], length=7)])
    history.note("decode", 5, [group("static", [(0, 0, 5)], length=5)])
    assert len(history) == 2


def test_history_slides_with_a_fifo() -> None:
    history = CacheHistory()
    history.note("decode", 1, [group("fifo", [(1, 0, 7)], length=7, slides=True)])
    history.note("decode", 4, [group("fifo", [(0, 2, 8)], length=10, evicted=2, slides=True)])
    assert [(s.length, s.groups[0].runs, s.groups[0].evicted) for s in history.snapshots[1:3]] == [
        (8, [(0, 0, 8)], 0),
        (9, [(0, 1, 8)], 1),
    ]


def test_restart_ends_the_worker_and_opens_the_bundle_anew(
    opened: BundleSession, worker: StubWorker, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nothing runs; once, and not from within the end of the old one."""
    monkeypatch.setattr(StubWorker, "kill", lambda self: self.crashed.emit("Stopped."), raising=False)
    asked = len(worker.jobs)
    opened.end(reopen=True)
    assert (opened.state, opened.error, len(worker.jobs)) == ("failed", SessionFailure("stopped", "Stopped."), asked)
    qtbot.waitUntil(lambda: len(worker.jobs) > asked)
    assert worker.jobs[-1].request == Open("/b", "cpu", "static", 256)
    worker.jobs[-1].answered.emit(READY)
    worker.crashed.emit("It died.")
    assert opened.error == SessionFailure("crashed", "It died.")
    assert len(worker.jobs) == asked + 1


def test_a_dropped_generation_ends_at_once_and_is_heard_no_more(opened: BundleSession, worker: StubWorker) -> None:
    """But for its last picture of the cache, which is the one that the next generation begins with."""
    opened.generate("8*7=")
    dropped = worker.jobs[-1]
    log = Log(opened)
    opened.drop()
    assert dropped.cancelled and opened.state == "ready"
    assert [(name, getattr(value, "kind", value)) for name, value in log.lines] == [
        ("stateChanged", "ready"),
        ("failed", "cancelled"),
    ]
    assert opened.generate("9*9=")
    log.lines.clear()
    groups = [group("static", [(0, 0, 9)])]
    for event in (TOKEN, CHUNK, CacheEvent(groups=groups)):
        dropped.event.emit(event)
    dropped.answered.emit(DONE)
    assert log.lines == [("cacheChanged", groups)] and opened.state == "generating"
    worker.jobs[-1].event.emit(TOKEN)
    worker.jobs[-1].answered.emit(DONE)
    assert [name for name, _ in log.lines[1:]] == ["token", "stateChanged", "finished"]


def test_a_dropped_generation_that_hangs_is_no_crash(opened: BundleSession, worker: StubWorker) -> None:
    """The worker was ended because it did not stop."""
    opened.generate("8*7=")
    opened.drop()
    worker.crashed.emit("Stopped: the worker did not answer and was ended.")
    assert opened.error is not None and (opened.error.kind, opened.state) == ("stopped", "failed")


def test_without_a_generation_there_is_nothing_to_drop(session: BundleSession, worker: StubWorker) -> None:
    session.open("/b")
    log = Log(session)
    session.drop()
    assert log.lines == [] and session.state == "opening" and not worker.jobs[-1].cancelled
    session.generate("8*7=")
    session.drop()
    assert [name for name, _ in log.lines] == ["failed"]
    worker.jobs[-1].answered.emit(READY)
    assert session.state == "ready" and len(worker.jobs) == 1
