"""A worker on another machine that looks like one here: the process that the window starts in a worker's place.

    stdin ──request lines──▶ paths mapped, files copied ──▶ worker there ──events, paths of this machine──▶ stdout
              ├─ ping: answered here while a copy runs or the worker there computes, else sent on
              └─ cancel: stops a copy here, or is sent on

A ProcessEvent a second carries the worker's memory while it works. Everything that ends the connection ends the open
jobs with one sentence, then this process.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from workflows import __version__
from workflows.common.errors import Cancelled, JoineryError, RemoteError, RequestError, describe_os_error
from workflows.process.machines import RemoteMachine, machine_named
from workflows.process.subprocesses import claim_stdout
from workflows.service.remote.connection import Connection
from workflows.service.remote.copying import Copier
from workflows.service.remote.path_fields import map_request
from workflows.service.remote.remote_worker import WORKER, LineListener, localize_line
from workflows.service.worker import NO_JOB
from workflows.wire.events import ErrorEvent, Event, HelloEvent, NoticeEvent, ProcessEvent, ProgressEvent, ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.request_lines import Envelope, parse_line, read_request, to_line
from workflows.wire.requests import Cancel, Ping
from workflows.wire.version import wire_version

_LAST = ('"event":"result"', '"event":"done"', '"event":"ready"', '"event":"error"')
"""What the line of a job's last event holds."""
Item = tuple[str, Envelope | bytes | None]
"""("request", an envelope), ("event", a line of the worker there), or ("end", None)."""


class _Lines(LineListener):
    """Puts the worker's lines into the bridge's queue, and passes on its memory."""

    def __init__(self, machine: RemoteMachine, bridge: Bridge) -> None:
        super().__init__(machine, lambda text: bridge.emit(NO_JOB, NoticeEvent(code="history", message=text)))
        self._bridge = bridge

    def on_line(self, line: bytes) -> None:
        if b'"event":"hello"' in line[:60]:  # the connection has compared the versions
            return
        self._bridge.items.put(("event", line))

    def on_errors(self, data: bytes) -> None:
        sys.stderr.write(data.decode("utf-8", "replace"))
        sys.stderr.flush()

    def on_state(self, memory: int, active: bool) -> None:
        self._bridge.computes = active
        if active:
            self._bridge.emit(NO_JOB, ProcessEvent(memory=memory))

    def on_end(self) -> None:
        self._bridge.items.put(("end", None))


class Bridge:
    """Connects one stream of requests with a worker on a machine. end: ends the process."""

    def __init__(
        self, machine: RemoteMachine, requests: IO[str], out: IO[str], end: Callable[[int], None] = os._exit
    ) -> None:
        self._machine, self._requests, self._out, self._end = machine, requests, out, end
        self.items: queue.Queue[Item] = queue.Queue()
        self.computes = True
        """Whether the worker there computes, or is being reached."""
        self._write = threading.Lock()
        self._open: dict[int, tuple[str, str] | None] = {}  # job → the file to fetch at its end: there, here
        self._cancelled: set[int] = set()
        self._copies: int | None = None
        self._connection: Connection | None = None

    def run(self) -> None:
        """Serves until stdin or the connection ends."""
        self.emit(NO_JOB, HelloEvent(joinery=__version__, wire=wire_version()))
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        try:
            with Connection(self._machine) as connection:
                lines = _Lines(self._machine, self)
                copier = Copier(connection)
                lines.paths = copier.paths
                connection.start(WORKER, [], lines)
                self._connection = connection
                self._serve(connection, copier)
        except (JoineryError, OSError) as error:
            self._fail(error)

    def emit(self, job: int, event: Event) -> None:
        """Writes an event."""
        self._print(event.to_line(job))

    # -- requests ------------------------------------------------------------------------------------

    def _read(self) -> None:
        for line in self._requests:
            try:
                envelope = parse_line(line)
            except RequestError as error:
                self.emit(NO_JOB, ErrorEvent(kind=error.kind, message=str(error)))
                continue
            if envelope.job == Ping.job:
                self._ping(envelope.id)
            elif envelope.job == Cancel.job:
                self._cancel(envelope)
            else:
                self._open[envelope.id] = None
                self.items.put(("request", envelope))
        self._end(0)  # the window has ended, and ssh ends with this process

    def _ping(self, ident: int) -> None:
        """Answers at once, unless the worker there has given no sign of life by itself."""
        if self.computes or self._copies is not None or self._connection is None:
            self.emit(ident, ResultEvent(value=Done()))
        else:
            self._forward(to_line(ident, Ping()))

    def _cancel(self, envelope: Envelope) -> None:
        target = envelope.fields.get("target")
        if type(target) is int and target in self._open:
            self._cancelled.add(target)
            if self._copies != target and self._connection is not None:
                self._forward(to_line(envelope.id, Cancel(target)))

    def _forward(self, line: str) -> None:
        if self._connection is not None:
            try:
                self._connection.write_input(line.encode() + b"\n")
            except RemoteError:
                self.items.put(("end", None))

    # -- the main thread -----------------------------------------------------------------------------

    def _serve(self, connection: Connection, copier: Copier) -> None:
        """Handles requests and events in their order. Raises RemoteError at the end of the connection."""
        while True:
            kind, item = self.items.get()
            if isinstance(item, Envelope):
                self._request(connection, copier, item)
            elif kind == "event" and isinstance(item, bytes):
                self._pass_on(connection, localize_line(item, copier.paths).decode())
            else:
                raise RemoteError(connection.child_problem())

    def _request(self, connection: Connection, copier: Copier, envelope: Envelope) -> None:
        """Copies what a request reads, and sends it on; what is wrong with it ends the job alone."""
        ident = envelope.id
        try:
            if ident in self._cancelled:
                raise Cancelled("The job was cancelled before it began.")
            request = read_request(envelope)
            copier.report = partial(self._progress, ident)
            copier.cancelled = lambda: ident in self._cancelled
            self._copies = ident
            try:
                mapped = map_request(request, copier, lambda name: str(connection.request("output_file", name=name)))
            finally:
                self._copies = None
        except RemoteError:
            raise
        except (JoineryError, OSError) as error:
            self._close(ident)
            self.emit(ident, _error_event(error))
            return
        self._open[ident] = mapped.fetched
        self._forward(to_line(ident, mapped.request))
        if ident in self._cancelled:  # between the copy and this line, when the worker there did not know the job
            self._forward(to_line(ident, Cancel(ident)))

    def _progress(self, ident: int, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            self.emit(ident, event)

    def _pass_on(self, connection: Connection, line: str) -> None:
        """Prints an event, after fetching the file that its job has written there."""
        if any(one in line[:60] for one in _LAST):
            job = _job_of(line)
            fetched = self._open.get(job)
            self._close(job)
            if fetched is not None and '"event":"error"' not in line[:60]:
                try:
                    connection.fetch(fetched[0], Path(fetched[1]))
                except OSError as error:
                    self.emit(job, _error_event(error))
                    return
        self._print(line)

    def _close(self, ident: int) -> None:
        self._open.pop(ident, None)
        self._cancelled.discard(ident)

    def _fail(self, error: Exception) -> None:
        """Ends the open jobs with the reason, and then this process."""
        event = _error_event(error)
        for ident in [*self._open]:
            self.emit(ident, event)
        self.emit(NO_JOB, event)
        sys.stderr.write(f"{event.message}\n")
        sys.stderr.flush()
        self._end(1)

    def _print(self, line: str) -> None:
        with self._write:
            self._out.write(line + "\n")
            self._out.flush()


def _job_of(line: str) -> int:
    """The id at the beginning of an event's line; 0 for a line without."""
    head = line[:40].removeprefix('{"job":').partition(",")[0]
    return int(head) if head.isdecimal() else NO_JOB


def _error_event(error: Exception) -> ErrorEvent:
    if isinstance(error, JoineryError):
        return ErrorEvent(kind=error.kind, message=str(error))
    assert isinstance(error, OSError)
    return ErrorEvent(kind="system", message=describe_os_error(error))


def main() -> None:
    """Serves the machine named in the argument."""
    out = claim_stdout("utf-8")
    sys.stdout = sys.stderr
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        machine = machine_named(sys.argv[1])
    except (JoineryError, OSError) as error:
        out.write(_error_event(error).to_line(NO_JOB) + "\n")
        out.flush()
        sys.exit(1)
    Bridge(machine, sys.stdin, out).run()


if __name__ == "__main__":
    main()
