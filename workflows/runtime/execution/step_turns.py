"""Threads that each continue a row of a batch, and whose single tokens go through the model together.

    thread of row 0 ──step(token)──┐ waits until every row that takes part has one, or `PATIENCE` has passed
    thread of row 1 ──step(token)──┴─▶ RowBatch.step ──▶ the logits of each
    thread of row 2 ──alone(): a chunk of its prompt──▶ between two steps of the others

A row that is slow, for its reader does not take its tokens, delays the others' step by PATIENCE at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Condition

from workflows.common.tensors import Array

PATIENCE = 0.01  # seconds from the first row's token on
JointStep = Callable[[Mapping[int, int]], dict[int, Array]]


class StepTurns:
    """Whose turn it is: who takes part, which tokens wait, and what came of them. run: a step of some rows."""

    def __init__(self, run: JointStep) -> None:
        self._run, self._lock = run, Condition()
        self._rows, self._apart = set[int](), set[int]()  # those that take part, and read their prompts
        self._pending = dict[int, int]()
        self._results = dict[int, Array | Exception]()
        self._since, self._stepped = 0.0, True  # when the first token came; whether a step followed the last chunk

    @contextmanager
    def taking_part(self, row: int) -> Iterator[None]:
        """While a row generates: the others' steps wait for its token."""
        with self._lock:
            self._rows.add(row)
        try:
            yield
        finally:
            with self._lock:
                self._rows.discard(row)
                self._lock.notify_all()

    def step(self, row: int, token: int) -> Array:
        """The logits [V] after a row's token. Raises what the step raises, for each of its rows."""
        with self._lock:
            self._since = time.monotonic() if not self._pending else self._since
            self._pending[row] = token
            self._lock.notify_all()
            while row not in self._results:
                left = self._since + PATIENCE - time.monotonic()
                if self._pending.keys() >= self._rows - self._apart or left <= 0:
                    self._run_pending()
                else:
                    self._lock.wait(left)
            result = self._results.pop(row)
        if isinstance(result, Exception):
            raise result
        return result

    def _run_pending(self) -> None:
        tokens, self._pending = self._pending, {}
        try:
            self._results |= {row: logits.copy() for row, logits in self._run(tokens).items()}
        except Exception as error:  # noqa: BLE001 - each row's thread raises it; one that got none would wait for ever
            self._results |= dict.fromkeys(tokens, error)
        self._stepped = True
        self._lock.notify_all()

    @contextmanager
    def alone(self, row: int) -> Iterator[None]:
        """While a row's own run goes through the model, after a step of those that wait for one."""
        with self._lock:
            self._apart.add(row)
            self._lock.notify_all()
            end = time.monotonic() + PATIENCE
            while not self._stepped and self._rows - self._apart and (left := end - time.monotonic()) > 0:
                self._lock.wait(left)
            try:
                yield
            finally:
                self._stepped = False
                self._apart.discard(row)
                self._lock.notify_all()
