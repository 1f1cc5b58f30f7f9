"""Short work in a thread: its order, what went wrong, and a window that closes over it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.jobs.background_tasks import BackgroundTasks
from workflows.common.errors import BundleError, HistoryError, RequestError


@pytest.fixture
def aside(qtbot: QtBot) -> BackgroundTasks:
    return BackgroundTasks()


def never(value: object) -> None:
    raise AssertionError(f"called with {value!r}")


def test_pieces_run_one_after_another_and_their_results_come_home(aside: BackgroundTasks, qtbot: QtBot) -> None:
    """The second begins once the first was handed over, however quick it is."""
    may_end, ran, came = threading.Event(), [], []

    def work(name: str, gate: threading.Event | None = None) -> str:
        if gate is not None:
            gate.wait(60)
        ran.append((name, threading.current_thread() is threading.main_thread()))
        return name.upper()

    aside.run(lambda: work("a", may_end), came.append, never)
    aside.run(lambda: work("b"), lambda found: came.append((found, threading.current_thread().name)), never)
    assert ran == [] and came == []
    may_end.set()
    qtbot.waitUntil(lambda: len(came) == 2)
    assert ran == [("a", False), ("b", False)]
    assert came == ["A", ("B", threading.main_thread().name)]


@pytest.mark.parametrize(
    "error",
    [OSError(28, "No space left on device"), HistoryError("disk is full"), BundleError("It is damaged.")],
)
def test_what_disks_and_files_do_is_a_sentence_and_the_next_piece_runs(
    aside: BackgroundTasks, qtbot: QtBot, error: Exception
) -> None:
    said: list[object] = []

    def work() -> None:
        raise error

    aside.run(work, never, said.append)
    aside.run(lambda: "next", said.append, never)
    qtbot.waitUntil(lambda: len(said) == 2)
    assert said == [str(error), "next"]


def test_a_mistake_of_ours_is_raised_and_not_reported_as_a_full_disk(aside: BackgroundTasks, qtbot: QtBot) -> None:
    came: list[str] = []

    def work() -> None:
        raise KeyError("ours")

    with qtbot.captureExceptions() as raised:
        aside.run(work, never, never)
        aside.run(lambda: "next", came.append, never)
        qtbot.waitUntil(lambda: came == ["next"])
    assert [kind for kind, _, _ in raised] == [KeyError]


def test_work_may_request_more_work_when_it_is_done(aside: BackgroundTasks, qtbot: QtBot) -> None:
    came: list[int] = []

    def again(found: int) -> None:
        came.append(found)
        if found < 3:
            aside.run(lambda: found + 1, again, never)

    aside.run(lambda: 0, again, never)
    qtbot.waitUntil(lambda: came == [0, 1, 2, 3])


def test_what_has_not_begun_when_the_window_closes_never_does(aside: BackgroundTasks, qtbot: QtBot) -> None:
    began, may_end = threading.Event(), threading.Event()
    ran: list[str] = []

    def work() -> None:
        began.set()
        may_end.wait(60)
        ran.append("first")

    aside.run(work, never, never)
    aside.run(lambda: ran.append("second"), never, never)
    assert began.wait(60)
    threading.Timer(0.0, may_end.set).start()
    aside.close()
    qtbot.waitUntil(lambda: ran == ["first"])
    assert not aside._waiting and not aside._timer.isActive()


def test_one_after_another_and_reported_in_the_gui_thread(qtbot: Any) -> None:
    aside, told = BackgroundTasks(), list[tuple[object, bool, bool]]()
    gate = threading.Event()

    def take(where: tuple[int, bool]) -> None:
        told.append((*where, threading.current_thread() is threading.main_thread()))

    def work(number: int) -> tuple[int, bool]:
        gate.wait()
        return number, threading.current_thread() is threading.main_thread()

    for number in range(3):
        aside.run(lambda number=number: work(number), take, pytest.fail)  # type: ignore[misc]
    gate.set()
    qtbot.waitUntil(lambda: len(told) == 3)
    assert told == [(n, False, True) for n in range(3)]


@pytest.mark.parametrize("error", [OSError("no disk"), HistoryError("locked"), RequestError("newer")])
def test_a_failure_is_a_sentence_and_the_next_goes_on(qtbot: Any, error: Exception) -> None:
    aside, said, done = BackgroundTasks(), list[str](), list[int]()

    def fail() -> int:
        raise error

    aside.run(fail, done.append, said.append)
    aside.run(lambda: 7, done.append, said.append)
    qtbot.waitUntil(lambda: bool(done))
    assert said == [str(error)] and done == [7]


def test_nobody_is_notified_after_the_end(qtbot: Any) -> None:
    aside, done = BackgroundTasks(), list[int]()
    gate = threading.Event()
    aside.run(gate.wait, done.append, pytest.fail)
    aside.run(lambda: 7, done.append, pytest.fail)
    gate.set()
    aside.close()
    assert not [one for one in threading.enumerate() if one.name == "aside" and one.is_alive()] and done == []
