"""Garbage of any thread is collected in the window's thread alone."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject

from app.startup.garbage_collector import GarbageCollector


class Cycle:
    """An object that only the collector frees; notes the thread in which that happens."""

    def __init__(self, freed_in: list[threading.Thread]) -> None:
        self.me = self
        weakref.finalize(self, lambda: freed_in.append(threading.current_thread())).atexit = False


@pytest.fixture
def collector(qapp: Any) -> Iterator[GarbageCollector]:
    owner = QObject()
    made = GarbageCollector(owner)
    yield made
    made.close()


def cycles(count: int, freed_in: list[threading.Thread]) -> None:
    for _ in range(count):
        Cycle(freed_in)


def test_a_thread_s_garbage_is_freed_in_the_window_s(collector: GarbageCollector, qtbot: Any) -> None:
    freed_in: list[threading.Thread] = []
    thread = threading.Thread(target=cycles, args=(3 * gc.get_threshold()[0], freed_in))
    thread.start()
    thread.join()
    assert not freed_in  # Python's own would have collected three times in that thread
    qtbot.waitUntil(lambda: len(freed_in) == 3 * gc.get_threshold()[0])
    assert {*freed_in} == {threading.main_thread()}


def test_without_it_the_thread_itself_collects() -> None:
    """What the class is for; where this changes, it is superfluous."""
    assert gc.isenabled()
    freed_in: list[threading.Thread] = []
    thread = threading.Thread(target=cycles, args=(3 * gc.get_threshold()[0], freed_in))
    thread.start()
    thread.join()
    assert thread in freed_in


def test_nothing_is_collected_before_a_threshold(collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "collect", collected.append)
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
    for counts in ((700, 10, 10), (701, 10, 10), (5, 11, 3), (701, 2, 11)):
        monkeypatch.setattr(gc, "get_count", lambda counts=counts: counts)
        collector.collect()
    assert collected == [0, 1, 2]


def test_it_hands_collecting_back(collector: GarbageCollector) -> None:
    assert not gc.isenabled()
    collector.close()
    assert gc.isenabled()
