"""One process that the window can kill: jobs in as JSON lines on stdin, events out as JSON lines on stdout.

    stdin ──reader thread──▶ queue ──main thread──▶ Jobs ──▶ events ──▶ stdout
              └─ cancel, ping: taken at once

Once it opens what comes from elsewhere the process has no network, and takes no further job that may ask the hub: from
its first job on that never asks; in a build or a comparison, when all is here that it is made of. A probe, which is no
last word, has another process open what it found.

Every event carries "job", the id of the request that it belongs to. Jobs run one after another. Whatever else in the
process prints goes to stderr. The end of stdin ends the process at once, whatever it is doing.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import IO, NamedTuple

from workflows.common.errors import (
    Cancelled,
    HubError,
    JoineryError,
    MemoryShortError,
    RemoteCodeError,
    RequestError,
    describe_os_error,
    is_out_of_memory,
    out_of_memory_message,
    package_error,
    printable,
)
from workflows.process.sandbox import confine, memory_limit
from workflows.process.subprocesses import claim_stdout
from workflows.service import JobContext, JobRunner
from workflows.wire.events import ErrorEvent, Event, NoticeEvent, ProgressEvent, ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.request_lines import parse_line, read_request
from workflows.wire.requests import NETWORK_REQUESTS, Cancel, Generate, Open, Ping, Request

PROGRESS_EVERY_S = 0.05


class _QueuedRequest(NamedTuple):
    """A request that waits for its turn, and its id."""

    id: int
    request: Request[object]


class Worker:
    """Runs what comes on `requests` and writes events to `out`.

    confine: has the process do without a network, told how many bytes of weights it will map; what could not be taken.
    """

    def __init__(
        self,
        requests: IO[str],
        out: IO[str],
        jobs: JobRunner | None = None,
        confine: Callable[[int], str] = lambda _: "",
    ) -> None:
        self._requests, self._out = requests, out
        self._write = threading.Lock()
        self._queue: queue.Queue[_QueuedRequest] = queue.Queue()
        self._pending: set[int] = set()  # taken and not answered to the end
        self._cancelled: set[int] = set()
        self._stoppable: int | None = None
        self._stopping = threading.Lock()
        self._jobs = jobs or JobRunner()
        self._confine: Callable[[int], str] | None = confine
        self._progress_at = 0.0

    def run(self) -> None:
        """Serves until stdin ends; the process then exits."""
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        while True:
            taken = self._queue.get()
            self._serve(taken)
            self._pending.discard(taken.id)
            self._cancelled.discard(taken.id)

    def _read(self) -> None:
        for line in self._requests:
            ident = 0
            try:
                envelope = parse_line(line)
                ident = envelope.id
                request = read_request(envelope)
            except RequestError as error:
                self._emit(ident, _error_event(error))
                continue
            if isinstance(request, Cancel):
                self._cancel(request.target)
            elif isinstance(request, Ping):
                self._emit(ident, ResultEvent(value=Done()))
            else:
                self._pending.add(ident)
                self._queue.put(_QueuedRequest(ident, request))
        os._exit(0)  # the window is gone: whatever runs has nobody to run for

    def _cancel(self, target: int) -> None:
        """Marks a job that waits or runs; one that has ended, or never was, is nobody's loss."""
        if target not in self._pending:
            return
        self._cancelled.add(target)
        with self._stopping:  # so that a late stop cannot reach the job after this one
            if self._stoppable == target:
                self._jobs.stop()

    def _serve(self, taken: _QueuedRequest) -> None:
        try:
            self._run(taken)
        except Exception as error:  # noqa: BLE001 - the last wall: the window must hear of every failure
            self._emit(taken.id, _error_event(error, taken.request.job))

    def _run(self, taken: _QueuedRequest) -> None:
        generates = isinstance(taken.request, Generate)
        if taken.id in self._cancelled and not generates:  # a generation ends with a done of its own
            raise Cancelled("The job was cancelled before it began.")
        self._prepare(taken)
        told = JobContext(
            self._reporter(taken.id), lambda: taken.id in self._cancelled, partial(self._give_up, taken.id)
        )
        self._stoppable = taken.id if isinstance(taken.request, Generate | Open) else None
        try:
            for event in self._jobs.run(taken.request, told):
                self._emit(taken.id, event)
        finally:
            with self._stopping:
                self._stoppable = None

    def _prepare(self, taken: _QueuedRequest) -> None:
        """Gives up the network before the first job that needs none."""
        if isinstance(taken.request, NETWORK_REQUESTS):
            if self._confine is None:
                raise RequestError(f"This worker has given up the network: start another one to {taken.request.job}.")
        else:
            self._give_up(taken.id, 0)

    def _give_up(self, ident: int, mapped: int) -> None:
        """Once; says where it could not."""
        if self._confine is not None:
            confine, self._confine = self._confine, None
            if why := confine(mapped):
                self._emit(ident, NoticeEvent(code="open", message=why))

    def _emit(self, job: int, event: Event) -> None:
        line = event.to_line(job)
        with self._write:
            self._out.write(line + "\n")
            self._out.flush()

    def _reporter(self, job: int) -> Callable[[Event], None]:
        """Passes events on; progress at a rate that a person can follow, its last one always."""

        def report(event: Event) -> None:
            if isinstance(event, ProgressEvent):
                now = time.monotonic()
                if now - self._progress_at < PROGRESS_EVERY_S and event.done < event.total:
                    return
                self._progress_at = now
            self._emit(job, event)

        return report


def _error_event(error: Exception, job: str = "") -> ErrorEvent:
    """What is said of it while it is handled. job: what was asked for."""
    details = traceback.format_exc()
    if is_out_of_memory(error):
        return ErrorEvent(kind=MemoryShortError.kind, message=out_of_memory_message(job), details=details)
    if not isinstance(error, JoineryError):
        error = package_error(error, job) or error
    if isinstance(error, OSError):
        return ErrorEvent(kind="system", message=describe_os_error(error), details=details)
    if not isinstance(error, JoineryError):
        message = f"{type(error).__name__}: {printable(error, 300)} This is a fault of Joinery: see the details."
        return ErrorEvent(kind="internal", message=message, details=details)
    return ErrorEvent(
        kind=error.kind,
        message=str(error),
        details=details,
        files=error.files if isinstance(error, RemoteCodeError) else None,
        reason=error.reason if isinstance(error, HubError) else None,
    )


def main() -> None:
    """Takes stdout for events alone: file descriptor 1 is made stderr's before anything heavy is imported."""
    out = claim_stdout("utf-8")
    sys.stdout = sys.stderr
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    Worker(sys.stdin, out, confine=lambda mapped: confine(memory_limit(mapped))).run()


if __name__ == "__main__":
    main()
