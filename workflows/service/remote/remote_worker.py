"""A worker on another machine: its requests and events in this process.

RemoteWorker.events(Generate(…), cancelled) ──lines──▶ worker there ──▶ events, the last one a final event
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from workflows.common.errors import Cancelled, RemoteError, error_of_kind, printable
from workflows.process.machines import RemoteMachine
from workflows.service.remote.connection import Cancellation, ChildListener, Connection
from workflows.service.remote.copying import CopiedPaths, Copier
from workflows.service.remote.path_fields import map_request
from workflows.service.remote.remote_history import record_remote_run
from workflows.wire.codec import PayloadMismatch
from workflows.wire.events import FINAL_EVENTS, ErrorEvent, Event, parse
from workflows.wire.request_lines import to_line
from workflows.wire.requests import Cancel, Request

WORKER = "workflows.service.worker"
_POLL_S = 0.1
GRACE_S = 8.0
"""Seconds for a cancelled job to end; a worker that hangs is left to the end of its connection."""


class LineListener(ChildListener):
    """Collects the child's lines in a queue; None at its end. Records its runs. notify: receives its problems."""

    def __init__(self, machine: RemoteMachine, notify: Callable[[str], None]) -> None:
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.paths = CopiedPaths()
        self._machine, self._notify = machine, notify
        self._rest = b""

    def on_output(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.on_line(line)

    def on_line(self, line: bytes) -> None:
        """One whole line."""
        self.lines.put(line)

    def on_run(self, run: object) -> None:
        record_remote_run(self._machine, self.paths, run, self._notify)

    def on_end(self) -> None:
        self.lines.put(None)


def localize_line(line: bytes, paths: CopiedPaths) -> bytes:
    """A line of JSON with the paths of this machine."""
    return paths.localized(line.decode("utf-8", "replace"), _as_in_json).encode()


def _as_in_json(path: str) -> str:
    """A path as a JSON text has it, without the quotes."""
    return json.dumps(path, ensure_ascii=False)[1:-1]


class RemoteWorker:
    """Runs requests one after another in a worker on a machine. Ends with its connection."""

    def __init__(
        self,
        machine: RemoteMachine,
        notify: Callable[[str], None],
        report: Callable[[Event], None] = lambda _: None,
        cancelled: Cancellation = lambda: False,
    ) -> None:
        """Connects and starts the worker. report, cancelled: of copies. Raises RemoteError and Cancelled."""
        self.connection = Connection(machine, cancelled)
        self._copier = Copier(self.connection, report, cancelled)
        self._listener = LineListener(machine, notify)
        self._listener.paths = self._copier.paths
        self._ident = 0
        try:
            self.connection.start(WORKER, [], self._listener)
        except BaseException:
            self.connection.close()
            raise

    def events(self, request: Request[object], cancelled: Cancellation = lambda: False) -> Iterator[Event]:
        """The events of a request, the last one its answer.

        Raises the error that it ended with, RemoteError, and Cancelled GRACE_S after a cancellation without an answer.
        """
        mapped = map_request(request, self._copier, self._output_file)
        self._ident += 2
        ident, cancelled_at = self._ident, float("inf")
        self._send(to_line(ident, mapped.request))
        while True:
            if cancelled_at == float("inf") and cancelled():
                cancelled_at = time.monotonic()
                self._send(to_line(ident + 1, Cancel(ident)))
            if time.monotonic() - cancelled_at > GRACE_S:
                raise Cancelled("Cancelled.")
            try:
                line = self._listener.lines.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if line is None:
                raise RemoteError(self.connection.child_problem())
            event = self._parsed(line, ident, request.answer)
            if event is None:
                continue
            if isinstance(event, ErrorEvent):
                raise error_of_kind(event.kind, event.message, RemoteError)
            if isinstance(event, FINAL_EVENTS) and mapped.fetched is not None:
                self.connection.fetch(mapped.fetched[0], Path(mapped.fetched[1]))
            yield event
            if isinstance(event, FINAL_EVENTS):
                return

    def close(self) -> None:
        """Ends the worker and the connection."""
        self.connection.close()

    def _send(self, line: str) -> None:
        self.connection.write_input(line.encode() + b"\n")

    def _output_file(self, name: str) -> str:
        return str(self.connection.request("output_file", name=name))

    def _parsed(self, line: bytes, ident: int, answer: type) -> Event | None:
        """The event of a line; None for one of another job, or for what is no event."""
        try:
            payload = json.loads(localize_line(line, self._copier.paths))
            return parse(payload, answer) if isinstance(payload, dict) and payload.get("job") == ident else None
        except PayloadMismatch as error:
            raise RemoteError(f"The worker's answer cannot be read: {printable(error)}.") from None
        except ValueError:
            return None
