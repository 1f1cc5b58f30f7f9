"""Threads that each continue a row of a batch, and whose single tokens go through the model together.

    thread of row 0 ──step(token)──┐ waits until every row that takes part has one, or `PATIENCE` has passed
    thread of row 1 ──step(token)──┴─▶ RowBatch.step ──▶ the logits of each
    thread of row 2 ──alone(): a chunk of its prompt──▶ between two steps of the others

A row that is slow, for its reader does not take its tokens, delays the others' step by PATIENCE at most. A prompt's
runs are as long as others may wait for them, by what the last runs and steps took: longer where more prompts wait than
rows make tokens, so that each row has its share of the time.

Prompts that arrive together are read one after another, the shortest first. The one with the earliest deadline goes:
each is due once as many more tokens were read as it has itself, so later ones delay it by no more than that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Condition

from workflows.common.tensors import Array

PATIENCE = 0.01  # seconds from the first row's token on
LONGEST = 3.0  # times a step that a run of a prompt may take beside as many others as prompts wait
FEWEST, SHORT = 8, 64  # tokens of such a run; of a prompt that is read in one, for it delays the others once
JointStep = Callable[[Mapping[int, int]], dict[int, Array]]


class StepTurns:
    """Whose turn it is: who takes part, which tokens wait, and what came of them. run: a step of some rows."""

    def __init__(self, run: JointStep) -> None:
        self._run, self._lock = run, Condition()
        self._rows, self._apart = set[int](), set[int]()  # those that take part; in or before a run of their prompt
        self._decoding = set[int]()  # those whose prompt is read
        self._due, self._left = dict[int, int](), dict[int, int]()  # deadlines of the others; tokens they have left
        self._read, self._ended = 0, 0.0  # tokens of all prompts that were read; when the model was last free
        self._pending = dict[int, int]()
        self._results = dict[int, Array | Exception]()
        self._since, self._stepped = 0.0, True  # when the first token came; whether a step followed the last chunk
        self._step_s, self._run_length = 0.0, 2 * FEWEST  # seconds of the last step; tokens of a run beside others

    @contextmanager
    def taking_part(self, row: int) -> Iterator[None]:
        """While a row generates: the others' steps wait for its token."""
        with self._lock:
            self._rows.add(row)
        try:
            yield
        finally:
            with self._lock:
                self._end_prompt(row)
                self._rows.discard(row)
                self._decoding.discard(row)
                self._lock.notify_all()

    def step(self, row: int, token: int) -> Array:
        """The logits [V] after a row's token. Raises what the step raises, for each of its rows."""
        with self._lock:
            self._since = time.monotonic() if not self._pending else self._since
            self._pending[row] = token
            self._end_prompt(row)
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
        tokens, self._pending, began = self._pending, {}, time.monotonic()
        try:
            self._results |= {row: logits.copy() for row, logits in self._run(tokens).items()}
            self._step_s = time.monotonic() - began
        except Exception as error:  # noqa: BLE001 - each row's thread raises it; one that got none would wait for ever
            self._results |= dict.fromkeys(tokens, error)
        self._stepped, self._ended = True, time.monotonic()
        self._lock.notify_all()

    def next_run(self, row: int, longest: int, read: int, length: int) -> int:
        """How many tokens the next run of a row's prompt takes, of whose `length` tokens it has `read`."""
        with self._lock:
            if row not in self._due:
                self._decoding.discard(row)
                self._due[row] = self._read + length - read
            self._left[row] = length - read
            if not self._decoding - {row} or (not read and length <= SHORT):
                return longest
            return min(longest, self._run_length)

    @contextmanager
    def alone(self, row: int, tokens: int) -> Iterator[None]:
        """While a row's own run of `tokens` goes through the model, after a step of those that wait for one and after
        the prompts that are due earlier.
        """
        with self._lock:
            self._apart.add(row)
            self._due.setdefault(row, self._read + tokens)  # several tokens at once that are no prompt
            self._lock.notify_all()
            self._wait_for_turn(row)
            began = time.monotonic()
            try:
                yield
                self._fit(tokens, time.monotonic() - began)
            finally:
                self._read += tokens
                self._stepped, self._ended = False, time.monotonic()
                self._apart.discard(row)
                if tokens >= self._left.get(row, tokens):
                    self._end_prompt(row)
                self._lock.notify_all()

    def _wait_for_turn(self, row: int) -> None:
        """No longer than nothing has run for PATIENCE, for another row may have stopped between two runs."""
        began = time.monotonic()
        while not self._is_turn(row) and (left := max(began, self._ended) + PATIENCE - time.monotonic()) > 0:
            self._lock.wait(left)

    def _is_turn(self, row: int) -> bool:
        return min(self._due, key=self._due.__getitem__) == row and (self._stepped or not self._decoding - self._apart)

    def _end_prompt(self, row: int) -> None:
        self._decoding.add(row)
        self._due.pop(row, None)
        self._left.pop(row, None)

    def _fit(self, tokens: int, seconds: float) -> None:
        """Halves or doubles the runs beside others, by what a run of `tokens` took."""
        most = LONGEST * self._step_s * max(1.0, len(self._due) / max(1, len(self._decoding)))
        if tokens >= self._run_length and seconds < most / 2:
            self._run_length *= 2
        elif tokens <= self._run_length and seconds > most > 0:
            self._run_length = max(FEWEST, self._run_length // 2)
