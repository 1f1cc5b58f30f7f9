"""Work in a thread: in its order, what it gives and how it fails, and nothing after the end."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from app.jobs.background_tasks import BackgroundTasks
from workflows.common.errors import HistoryError, RequestError


def test_one_after_another_and_told_in_the_gui_thread(qtbot: Any) -> None:
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


def test_after_the_end_nobody_is_told(qtbot: Any) -> None:
    aside, done = BackgroundTasks(), list[int]()
    gate = threading.Event()
    aside.run(gate.wait, done.append, pytest.fail)
    aside.run(lambda: 7, done.append, pytest.fail)
    gate.set()
    aside.close()
    assert not [one for one in threading.enumerate() if one.name == "aside" and one.is_alive()] and done == []
