"""Turns of rows, each from a thread: tokens go together, nobody waits for a slow row, prompts come between steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from workflows.common.errors import GraphError
from workflows.runtime.execution import step_turns
from workflows.runtime.execution.step_turns import StepTurns


class Steps:
    """A step that records which rows it took; a row's logits are its token."""

    def __init__(self, error: Exception | None = None) -> None:
        self.taken: list[tuple[int, ...]] = []
        self._error = error

    def __call__(self, tokens: Mapping[int, int]) -> dict[int, Any]:
        self.taken.append(tuple(sorted(tokens)))
        if self._error:
            raise self._error
        return {row: np.array([float(token)]) for row, token in tokens.items()}


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take long to start a thread."""
    monkeypatch.setattr(step_turns, "PATIENCE", 20.0)


def in_threads(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def test_tokens_of_all_rows_go_together() -> None:
    """While both take part each step has both; the one that goes on alone waits for nobody."""
    steps, meeting = Steps(), threading.Barrier(2)
    turns = StepTurns(steps)

    def work(row: int, count: int) -> None:
        with turns.taking_part(row):
            meeting.wait()
            for token in range(count):
                assert turns.step(row, 10 * row + token).tolist() == [10 * row + token]

    in_threads(lambda: work(0, 3), lambda: work(1, 6))
    assert steps.taken == [(0, 1)] * 3 + [(1,)] * 3


def test_a_slow_row_delays_others_by_patience_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_turns, "PATIENCE", 0.05)
    turns = StepTurns(steps := Steps())
    with turns.taking_part(1), turns.taking_part(0):  # row 1 is never heard of
        began = time.monotonic()
        for token in range(3):
            turns.step(0, token)
        assert time.monotonic() - began >= 0.14
    assert steps.taken == [(0,)] * 3


def test_a_prompt_is_read_between_steps() -> None:
    """A row that reads its prompt is not waited for, and its next chunk comes after a step of the others."""
    turns, order, ready = StepTurns(steps := Steps()), list[str](), threading.Event()

    def prompt() -> None:
        with turns.taking_part(1):
            for number in range(3):
                with turns.alone(1, 8):
                    order.append(f"chunk {number} after {len(steps.taken)}")
                    ready.set()
            turns.step(1, 7)

    def decode() -> None:
        with turns.taking_part(0):
            assert ready.wait(20)
            for token in range(4):
                turns.step(0, token)

    with turns.taking_part(0):  # from the beginning, so that the prompt's chunks take turns with it
        turns.step(0, 7)
        in_threads(prompt, decode)
    after = [int(one.split()[-1]) for one in order]
    assert after[0] == 1 and after[1] >= 2 and after[2] >= 3, order
    assert [one for one in steps.taken if 0 in one] and sum(1 in one for one in steps.taken) == 1


@pytest.mark.parametrize("error", [GraphError("It failed."), MemoryError("It failed.")], ids=["graph", "memory"])
def test_an_error_reaches_each_row_of_the_step(error: Exception) -> None:
    turns, errors, meeting = StepTurns(Steps(error)), list[str](), threading.Barrier(2)

    def work(row: int) -> None:
        with turns.taking_part(row):
            meeting.wait()
            with pytest.raises(type(error)) as raised:
                turns.step(row, 1)
            errors.append(str(raised.value))

    in_threads(lambda: work(0), lambda: work(1))
    assert errors == ["It failed."] * 2


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that turns see, and no patience."""
    seconds = [0.0]
    monkeypatch.setattr(step_turns, "PATIENCE", 0.0)
    monkeypatch.setattr(step_turns, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    return seconds


def steps_of(clock: list[float]) -> Callable[[Mapping[int, int]], dict[int, Any]]:
    """Steps of 10 ms."""

    def step(tokens: Mapping[int, int]) -> dict[int, Any]:
        clock[0] += 0.01
        return dict.fromkeys(tokens, np.zeros(1))

    return step


def test_a_prompt_is_read_in_runs_that_others_can_wait_for(clock: list[float]) -> None:
    """Alone in whole chunks, and a short one too; else as long as a few steps take, as measured."""
    token_s = [0.001]
    turns, lengths = StepTurns(steps_of(clock)), list[int]()

    def read() -> int:
        length = turns.next_run(1, 256, 1, 100_000)
        with turns.alone(1, length):
            clock[0] += token_s[0] * length
        lengths.append(length)
        return length

    with turns.taking_part(1):
        assert read() == 256
        with turns.taking_part(0):
            turns.step(0, 1)
            assert turns.next_run(1, 256, 0, 64) == 256 and turns.next_run(1, 256, 0, 65) == 16
            lengths.clear()
            for _ in range(3):
                read()
            token_s[0] = 0.004  # the machine is busier now
            for _ in range(4):
                read()
        assert lengths == [16, 16, 16, 16, 8, 8, 8], "16 of them take 16 ms, of at most 30; more than half of that"
        token_s[0] = 0.0001
        with turns.taking_part(0):
            turns.step(0, 1)
            for _ in range(8):
                read()
        assert lengths[-8:] == [8, 16, 32, 64, 128, 256, 256, 256]
        assert read() == 256


def test_runs_are_longer_where_more_prompts_wait(clock: list[float]) -> None:
    """Of three prompts beside one row with tokens, a run may take three times as long: 64 of at most 90 ms."""
    turns, lengths = StepTurns(steps_of(clock)), list[int]()

    def read() -> None:
        lengths.append(turns.next_run(1, 256, 1, 1000))
        with turns.alone(1, lengths[-1]):
            clock[0] += 0.004 * lengths[-1]

    with turns.taking_part(0), turns.taking_part(1), turns.taking_part(2), turns.taking_part(3):
        turns.step(0, 1)
        for row in (1, 2, 3):
            turns.next_run(row, 256, 0, 1000)
        for _ in range(3):
            read()
        turns.step(2, 1)
        turns.step(3, 1)  # these have tokens, too
        for _ in range(3):
            read()
    assert lengths == [16, 16, 16, 16, 8, 8]


def test_prompts_are_read_one_after_another() -> None:
    """The shortest first, but none before an earlier one that would wait for more tokens than it has itself."""
    turns, order = StepTurns(Steps()), list[str]()
    first = {"long": 40, "short": 20, "equal": 40, "middle": 30}  # which come before any of them is read
    late = {"long again": 30, "short again": 15}  # and after the 20 of the short one: due at 50 and at 35
    lengths = first | late
    here = {name: threading.Event() for name in [*lengths, "short is read"]}
    before = dict(zip(lengths, [None, *lengths], strict=False)) | {"long again": "short is read"}

    def read(row: int, name: str) -> None:
        with turns.taking_part(row):
            if earlier := before[name]:
                assert here[earlier].wait(20)
            for place in range(0, lengths[name], 5):
                assert turns.next_run(row, 5, place, lengths[name]) == 5
                here[name].set()
                assert all(here[one].wait(20) for one in (lengths if name == "middle" else first))
                with turns.alone(row, 5):
                    order.append(name)
            if name == "short":
                here["short is read"].set()

    in_threads(*(partial(read, row, name) for row, name in enumerate(lengths)))
    expected = ["short", "middle", "short again", "long", "equal", "long again"]
    assert order == [name for name in expected for _ in range(lengths[name] // 5)]


def test_a_stopped_prompt_holds_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is due first and does not come, for its thread does something else, is passed after PATIENCE."""
    monkeypatch.setattr(step_turns, "PATIENCE", 0.01)
    turns = StepTurns(steps := Steps())
    with turns.taking_part(0), turns.taking_part(1):
        turns.next_run(0, 8, 0, 16)
        turns.next_run(1, 8, 0, 32)
        for _ in range(4):
            with turns.alone(1, 8):
                pass
        turns.step(1, 7)
    assert steps.taken == [(1,)]


def test_a_prompt_goes_on_after_a_token_alone_and_other_runs_have_their_place() -> None:
    """Some tokens of a prompt go one by one; and runs that are no prompt's are due as if they came now."""
    turns = StepTurns(steps := Steps())
    with turns.taking_part(0), turns.taking_part(1):
        turns.next_run(0, 8, 0, 17)
        with turns.alone(0, 8):
            pass
        in_threads(lambda: turns.step(1, 5), lambda: turns.step(0, 5))  # the latter of the prompt
        turns.next_run(1, 100, 0, 100)
        assert turns.next_run(0, 8, 9, 17) == 8  # due at 16, the other one at 108
        began = time.monotonic()
        with turns.alone(0, 8):
            pass
        with turns.alone(0, 8):  # a run of tokens that are no prompt
            pass
        assert time.monotonic() - began < 10, "of 20 s of patience"
    assert steps.taken == [(0, 1)]
