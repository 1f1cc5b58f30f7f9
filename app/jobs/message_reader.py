"""Reads what a worker writes to stdout: one JSON object a line, each an event of an open job.

bytes ──feed──▶ lines ──parse (a large line in time slices, while the others wait)──▶ received(job, event) │ log(line)
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Generator, Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.time_slices import TimeSlicer, run_at_once
from app.text.engine_text import translate_event
from workflows.wire.events import ErrorEvent, Event, parse, parse_in_steps

LARGE = 200_000
"""Lines of at least so many bytes are parsed in slices; so much takes a few milliseconds."""
_DICTS, _LISTS, _FEW = 3, 4, 50
_SPACE = re.compile(r"[ \t\n\r]*")
_raw = json.JSONDecoder().raw_decode
Parsed = Generator[None, None, tuple[Any, int]]


def decode_in_steps(raw: bytes) -> Generator[None, None, Any]:
    """Returns what `json.loads` returns, pausing after every few elements. Raises ValueError for invalid JSON."""
    text = raw.decode()
    yield
    value, end = yield from _value(text, _skip(text, 0), 0)
    if _skip(text, end) != len(text):
        raise ValueError("there is text after the JSON value")
    return value


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _value(text: str, at: int, depth: int) -> Parsed:
    first = text[at : at + 1]
    if first == "{" and depth < _DICTS:
        return (yield from _dict(text, at, depth))
    if first == "[" and depth < _LISTS:
        return (yield from _list(text, at, depth))
    return _whole(text, at)


def _whole(text: str, at: int) -> tuple[Any, int]:
    try:
        return _raw(text, at)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _dict(text: str, at: int, depth: int) -> Parsed:
    result: dict[str, Any] = {}
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return result, at + 1
    while True:
        key, at = _raw(text, at)
        at = _expect(text, at, ":")
        result[key], at = yield from _value(text, at, depth + 1)
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return result, at + 1
        at = _expect(text, at, ",")


def _list(text: str, at: int, depth: int) -> Parsed:
    result: list[Any] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return result, at + 1
    while True:
        if text[at : at + 1] == "[":  # a row, or a piece of rows
            value, at = _whole(text, at)
            yield
        else:
            value, at = yield from _value(text, at, depth + 1)
        result.append(value)
        if len(result) % _FEW == 0:
            yield
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return result, at + 1
        at = _expect(text, at, ",")


def _expect(text: str, at: int, sign: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise ValueError(f"'{sign}' is missing at character {at}")
    return _skip(text, at + 1)


LONGEST = 64 << 20
"""Bytes that no line of the engine reaches: a graph of 20,000 nodes takes a quarter of that."""
NO_JOB = 0
"""The id of what belongs to no job: a ping, which counts as a sign of life alone, and a worker's announcements."""
_ANNOUNCED = {"hello", "process", "error"}
_LAST = {"result", "done", "ready", "error"}
JobEvent = tuple[Job[object] | None, Event | None]
"""A job and its event; None for a job that has ended."""


class MessageReader(QObject):
    """Reads the lines of one process after the other. jobs: those that are open, by id."""

    received = Signal(object, object)  # Job, Event
    log = Signal(str)  # a line that is no event
    announced = Signal(object)  # an Event that belongs to no job
    overflowed = Signal()  # a line is longer than LONGEST; nothing is read until `reset`

    def __init__(self, jobs: Mapping[int, Job[object]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._buffer: list[bytes] = []
        self._lines: deque[bytes] = deque()
        self._slices = TimeSlicer(self)
        self._overflowed = False

    def reset(self) -> None:
        """Begins with another process."""
        self._buffer, self._overflowed = [], False

    def feed(self, data: bytes) -> None:
        """Takes what the process wrote since the last time."""
        if self._overflowed:
            return
        self._buffer.append(data)
        if sum(map(len, self._buffer)) > LONGEST:
            self._overflowed = True
            self._buffer.clear()
            self.overflowed.emit()
        elif b"\n" in data:
            *lines, rest = b"".join(self._buffer).split(b"\n")
            self._buffer = [rest]
            self._lines.extend(raw for raw in lines if raw.strip())
            self._drain()

    def finish(self) -> None:
        """Reads the remaining lines at once, as the process has ended."""
        self._slices.stop()
        while self._lines:
            self._read(self._lines.popleft())

    def _drain(self) -> None:
        while self._lines and not self._slices.busy:
            raw = self._lines[0]
            if len(raw) > LARGE:
                self._slices.run(self._parse_large(raw), self._on_large, lambda _error: self._on_large(None))
                return
            self._lines.popleft()
            self._read(raw)

    def _on_large(self, parsed: JobEvent | None) -> None:
        self._deliver(self._lines.popleft(), parsed)
        self._drain()

    def _read(self, raw: bytes) -> None:
        try:
            parsed = run_at_once(self._parse(json.loads(raw)))
        except (ValueError, RecursionError):
            parsed = None
        self._deliver(raw, parsed)

    def _parse_large(self, raw: bytes) -> Generator[None, None, JobEvent]:
        return (yield from self._parse((yield from decode_in_steps(raw))))

    def _parse(self, payload: Any) -> Generator[None, None, JobEvent]:
        """The event of a line. Raises ValueError for a line that is no event; an unreadable answer is an error."""
        if not isinstance(payload, dict) or type(payload.get("job")) is not int:
            raise ValueError("the line belongs to no job")
        if payload["job"] == NO_JOB and payload.get("event") in _ANNOUNCED:
            self.announced.emit(parse(payload, Event))
            return None, None
        job = self._jobs.get(payload["job"])
        if job is None:
            return None, None
        try:
            return job, (yield from parse_in_steps(payload, job.request.answer))
        except ValueError as error:
            if payload.get("event") not in _LAST:
                raise
            message = self.tr("The worker's answer cannot be read.")
            return job, ErrorEvent(kind="internal", message=message, details=f"{job.request.job}: {error}")

    def _deliver(self, raw: bytes, parsed: JobEvent | None) -> None:
        if parsed is None:
            self.log.emit(raw.decode(errors="replace").rstrip())
            return
        job, event = parsed
        if job is not None and event is not None:
            self.received.emit(job, translate_event(event))
