"""A process that the window can kill: jobs in as JSON lines on stdin, events out as JSON lines on stdout.

    stdin ──reader thread──▶ queue ──main thread──▶ JobRunner ──▶ events ──▶ stdout
              └─ cancel, ping: handled at once

The process gives up network access before it opens untrusted input, and then refuses jobs that may need the hub: a job
without network use gives it up first, a build or a comparison once everything is fetched. A probe opens its source in
another process.

The first line greets: a HelloEvent with the versions of Joinery and of the wire, which belongs to no job. Every event
has the key "job", the id of its request, or 0. Jobs run one after another. All other output of the process goes
to stderr. The end of stdin ends the process at once, whatever it does.
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

from workflows import __version__
from workflows.common.errors import (
    Cancelled,
    HubError,
    JoineryError,
    MemoryShortError,
    PackageError,
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
from workflows.wire.events import ErrorEvent, Event, HelloEvent, NoticeEvent, ProgressEvent, ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.request_lines import parse_line, read_request
from workflows.wire.requests import NETWORK_REQUESTS, Cancel, Generate, Open, Ping, Request
from workflows.wire.version import wire_version

PROGRESS_EVERY_S = 0.05
NO_JOB = 0
"""The id of events that belong to no job."""


class _QueuedRequest(NamedTuple):
    """A request in the queue, with its id."""

    id: int
    request: Request[object]


class Worker:
    """Runs the requests of one stream and writes events to another.

    confine: removes network access, given the bytes of weights to be mapped; returns what failed, as a sentence.
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
        self._pending: set[int] = set()  # ids without a final event yet
        self._cancelled: set[int] = set()
        self._stoppable: int | None = None
        self._stopping = threading.Lock()
        self._jobs = jobs or JobRunner()
        self._confine: Callable[[int], str] | None = confine
        self._progress_at = 0.0

    def greet(self) -> None:
        """Writes which Joinery and which wire this is."""
        self._emit(NO_JOB, HelloEvent(joinery=__version__, wire=wire_version()))

    def run(self) -> None:
        """Runs requests until stdin ends; the process then exits."""
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        running = list[threading.Thread]()
        while True:
            queued = self._queue.get()
            running = [thread for thread in running if thread.is_alive()]
            if isinstance(queued.request, Generate) and self._jobs.rows is not None:
                running.append(threading.Thread(target=self._finish, args=(queued,), daemon=True))
                running[-1].start()
                continue
            for thread in running:
                thread.join()
            self._finish(queued)

    def _finish(self, queued: _QueuedRequest) -> None:
        self._serve(queued)
        self._pending.discard(queued.id)
        self._cancelled.discard(queued.id)

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
        os._exit(0)  # the window has ended: no job has a reader

    def _cancel(self, target: int) -> None:
        """Marks a waiting or running job as cancelled; ignores other ids."""
        if target not in self._pending:
            return
        self._cancelled.add(target)
        with self._stopping:  # a late stop must not reach the next job
            if self._stoppable == target:
                self._jobs.stop()

    def _serve(self, queued: _QueuedRequest) -> None:
        try:
            self._run(queued)
        except Exception as error:  # noqa: BLE001 - the window must get every failure
            self._emit(queued.id, _error_event(error, queued.request.job))

    def _run(self, queued: _QueuedRequest) -> None:
        generates = isinstance(queued.request, Generate)
        if queued.id in self._cancelled and not generates:  # a cancelled generation ends with its own event
            raise Cancelled("The job was cancelled before it began.")
        self._prepare(queued)
        context = JobContext(
            self._reporter(queued.id), lambda: queued.id in self._cancelled, partial(self._give_up, queued.id)
        )
        is_alone = self._jobs.rows is None  # else a stop would end the others' steps, too
        self._stoppable = queued.id if isinstance(queued.request, Generate | Open) and is_alone else None
        try:
            for event in self._jobs.run(queued.request, context):
                self._emit(queued.id, event)
        finally:
            with self._stopping:
                self._stoppable = None

    def _prepare(self, queued: _QueuedRequest) -> None:
        """Gives up network access before the first job that needs none."""
        if isinstance(queued.request, NETWORK_REQUESTS):
            if self._confine is None:
                raise RequestError(f"This worker has given up the network: start another one to {queued.request.job}.")
        else:
            self._give_up(queued.id, 0)

    def _give_up(self, ident: int, mapped: int) -> None:
        """Gives up network access, once; reports what failed."""
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
        """Emits events; progress at most every PROGRESS_EVERY_S seconds, except the last."""

        def report(event: Event) -> None:
            if isinstance(event, ProgressEvent):
                now = time.monotonic()
                if now - self._progress_at < PROGRESS_EVERY_S and event.done < event.total:
                    return
                self._progress_at = now
            self._emit(job, event)

        return report


_COMMANDS = dict.fromkeys(("probe", "recipe", "warm"), "build")
"""Jobs that no command is named after → the command that does them."""


def _error_event(error: Exception, job: str = "") -> ErrorEvent:
    """The event of the error being handled. job: the name of its request."""
    details = traceback.format_exc()
    if is_out_of_memory(error):
        return ErrorEvent(kind=MemoryShortError.kind, message=out_of_memory_message(job, error), details=details)
    if not isinstance(error, JoineryError):
        error = package_error(error, _COMMANDS.get(job, job)) or error
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
        reason=_reason(error),
    )


def _reason(error: JoineryError) -> str | None:
    """What the window offers a remedy for: why the hub has no such id, or the part of Joinery that is missing."""
    if isinstance(error, PackageError):
        return error.part or None
    return error.reason if isinstance(error, HubError) else None


def main() -> None:
    """Runs a worker; redirects file descriptor 1 to stderr before anything heavy is imported."""
    out = claim_stdout("utf-8")
    sys.stdout = sys.stderr
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    worker = Worker(sys.stdin, out, confine=lambda mapped: confine(memory_limit(mapped)))
    worker.greet()
    worker.run()


if __name__ == "__main__":
    main()
