"""What is done ahead: in order, one a turn and settled, what is put in between first; stopping leaves the rest out."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from app.startup import preload
from app.startup.preload import Preloader


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, "." where it was settled; the garbage collector is left alone."""
    made = list[str]()
    monkeypatch.setattr(preload, "freeze_garbage", lambda: made.append("."))
    monkeypatch.setattr(preload, "FIRST_MS", 0)
    return made


@pytest.fixture
def warm(qtbot: Any) -> Preloader:
    made = Preloader()
    made._timer.setInterval(0)
    return made


def slices(done: list[str], *names: str) -> list[preload.Slice]:
    return [partial(done.append, name) for name in names]


def test_slices_come_in_their_order_and_are_settled_one_by_one(qtbot: Any, warm: Preloader, done: list[str]) -> None:
    assert warm.done
    warm.start(slices(done, "numpy", "page", "build"))
    assert not warm.done and done == []  # nothing before the window is seen
    qtbot.waitUntil(lambda: warm.done)
    assert done == ["numpy", ".", "page", ".", "build", "."]


def test_what_a_page_has_of_its_own_comes_before_what_is_left(qtbot: Any, warm: Preloader, done: list[str]) -> None:
    first = partial(warm.next, slices(done, "one", "two"))
    warm.start([first, *slices(done, "other page")])
    qtbot.waitUntil(lambda: warm.done)
    assert done == [".", "one", ".", "two", ".", "other page", "."]


def test_stopping_in_the_middle_leaves_out_what_is_left(qtbot: Any, warm: Preloader, done: list[str]) -> None:
    warm.start([*slices(done, "one"), warm.stop, *slices(done, "two")])
    qtbot.waitUntil(lambda: warm.done)
    assert done == ["one", ".", "."]
    warm._next()  # a turn that was under way
    assert done == ["one", ".", "."] and warm.done


def test_one_slice_a_turn(warm: Preloader, done: list[str]) -> None:
    warm.start(slices(done, "one", "two"))
    warm._next()
    assert done == ["one", "."] and not warm.done and warm._timer.isActive()
    warm.stop()
