"""Reads what a worker writes to stdout: one JSON object a line, each an event of an open job.

bytes ──feed──▶ lines ──parse (a large line in time slices, while the others wait)──▶ received(job, event) │ log(line)
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Generator, Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.json_slices import LARGE, decode_in_steps
from app.jobs.time_slices import TimeSlicer, run_at_once
from workflows.wire.events import ErrorEvent, Event, parse_in_steps

LONGEST = 64 << 20
"""Bytes that no line of the engine reaches: a graph of 20,000 nodes takes a quarter of that."""
_LAST = {"result", "done", "ready", "error"}
JobEvent = tuple[Job[object] | None, Event | None]
"""A job and its event; None for a job that has ended."""


class MessageReader(QObject):
    """Reads the lines of one process after the other. jobs: those that are open, by id."""

    received = Signal(object, object)  # Job, Event
    log = Signal(str)  # a line that is no event
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
            raise ValueError("a line that is of no job")
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
            self.received.emit(job, event)
