"""`joinery serve` on another machine, for clients of this one.

clients ──▶ a port here ──ssh -L──▶ a port of the loopback there ──▶ `joinery serve --json --stop-at-eof`
stop, or the end of stdin here ──frames──▶ the end of its stdin: it ends after the requests that run
the end of the connection ──▶ the agent there kills it
"""

from __future__ import annotations

import http.client
import json
import queue
import random
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from workflows.common.errors import Cancelled, RemoteError, RequestError, error_of_kind, printable
from workflows.common.loopback import is_loopback
from workflows.process.machines import RemoteMachine
from workflows.process.standard_input import call_at_eof
from workflows.service.http.listening import AddressError, listen, shown_address
from workflows.service.http.settings import VARIABLES, ServerSettings
from workflows.service.remote.connection import Connection
from workflows.service.remote.copying import Copier
from workflows.service.remote.remote_worker import LineListener, localize_line
from workflows.service.remote.ssh_command import Forward
from workflows.wire.codec import read
from workflows.wire.events import Event
from workflows.wire.reports.server import ServerStatus

_PORTS = range(20_000, 32_000)
"""Of the loopback there: below those that systems give to connections."""
_TRIES = 4
_POLL_S, _ANSWER_S = 0.1, 10.0


class StopRequests:
    """How often a stop was asked for: once lets what runs finish, twice ends it."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, *_: object) -> None:
        """Counts one more; also a signal's handler."""
        self.count += 1

    def stopping(self) -> bool:
        """Whether a stop was asked for."""
        return self.count > 0

    @property
    def now(self) -> bool:
        """Whether nothing is waited for."""
        return self.count > 1


@contextmanager
def stop_requests(*, at_eof: bool) -> Iterator[StopRequests]:
    """Counts SIGINT and SIGTERM, and the end of standard input if `at_eof`."""
    stops = StopRequests()
    before = {number: signal.signal(number, stops.add) for number in (signal.SIGINT, signal.SIGTERM)}
    if at_eof:
        call_at_eof(stops.add)
    try:
        yield stops
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def serve_there(
    machine: RemoteMachine,
    settings: ServerSettings,
    on_ready: Callable[[str], None],
    on_status: Callable[[ServerStatus], None],
    report: Callable[[Event], None],
    stops: StopRequests,
) -> None:
    """Copies the bundles to a machine and serves them there until a stop. on_ready: called with the address here.

    on_status: as of a server here. report: of the copies. What the server there logs goes to stderr.

    Raises RemoteError, the errors of a server here, AddressError for the port here, RequestError for settings that need
    a server of this machine, and what a copy raises.
    """
    _check(settings)
    with listen(settings.host, settings.port) as probe:
        port: int = probe.getsockname()[1]
    tries = random.SystemRandom().sample(_PORTS, _TRIES)
    for there in tries:
        forward = Forward(settings.host, port, there)
        try:
            with Connection(machine, stops.stopping, forward) as connection:
                run = _RemoteRun(connection, Copier(connection, report, stops.stopping), on_status, stops)
                run.start(settings, there)
                run.follow(partial(_announce, machine, forward, on_ready))
        except AddressError:
            if there == tries[-1]:
                raise
        except Cancelled:  # a stop while it starts
            return
        else:
            return


class _ServerListener(LineListener):
    """Puts what the server there writes to stderr among its lines, behind a mark that JSON has not."""

    MARK = b"\0"

    def __init__(self, machine: RemoteMachine) -> None:
        super().__init__(machine, lambda text: self.lines.put(self.MARK + text.encode()))
        self._log_rest = b""

    def on_errors(self, data: bytes) -> None:
        *lines, self._log_rest = (self._log_rest + data).split(b"\n")
        for line in lines:
            self.lines.put(self.MARK + line)


class _RemoteRun:
    """One server there, from its start to its end."""

    def __init__(
        self,
        connection: Connection,
        copier: Copier,
        on_status: Callable[[ServerStatus], None],
        stops: StopRequests,
    ) -> None:
        self._connection, self._copier, self._on_status, self._stops = connection, copier, on_status, stops
        self._listener = _ServerListener(connection.machine)
        self._listener.paths = copier.paths
        self._error: tuple[str, str] | None = None

    def start(self, settings: ServerSettings, port: int) -> None:
        """Copies the bundles and starts it. Raises RemoteError, Cancelled, and what a copy raises."""
        arguments = _arguments(settings, port, self._copier)
        # a variable: other users there can read a command line
        secret = {f"{VARIABLES}TOKEN": settings.token} if settings.token else {}
        self._connection.start("workflows", arguments, self._listener, **secret)

    def follow(self, on_serving: Callable[[], None]) -> None:
        """Passes on what it writes until it ends. Raises its error, and RemoteError."""
        is_stopping = False
        while not self._stops.now:
            if self._stops.stopping() and not is_stopping:
                is_stopping = True
                self._connection.write_input(b"")
            try:
                line = self._listener.lines.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if line is None:
                self._end()
                return
            line = localize_line(line, self._copier.paths)
            if line.startswith(_ServerListener.MARK):
                self._log(line[1:].decode("utf-8", "replace"))
            else:
                self._take(_fields(line), on_serving)

    def _take(self, fields: dict[str, Any], on_serving: Callable[[], None]) -> None:
        event = fields.pop("event", "")
        if event == "serving":
            on_serving()
        elif event == "status":
            self._on_status(read(ServerStatus, fields))
        elif event == "error":
            self._error = str(fields["kind"]), str(fields["message"])

    def _log(self, line: str) -> None:
        """Prints a line, unless it is that of the error, which is raised."""
        if self._error is None or line != f"joinery: {self._error[1]}":
            print(line, file=sys.stderr, flush=True)

    def _end(self) -> None:
        name = self._connection.machine.name
        if self._error is not None:
            kind, message = self._error
            if kind == AddressError("").kind:
                raise AddressError(f"{name}: {message}")
            raise error_of_kind(kind, f"{name}: {message}", RemoteError)
        if self._connection.exit_code != 0:
            raise RemoteError(self._connection.child_problem())


def _check(settings: ServerSettings) -> None:
    if not is_loopback(settings.host):
        raise RequestError(
            f"A server on another machine answers this machine alone, and not at {settings.host}: leave --host out, or "
            "run `joinery serve` there."
        )
    if settings.certificate is not None:
        raise RequestError("The connection to another machine is encrypted by ssh: leave the certificate out.")


def _arguments(settings: ServerSettings, port: int, copier: Copier) -> list[str]:
    """Those of `joinery serve` there; copies the bundles."""
    values = {
        "port": port, "provider": settings.provider, "capacity": settings.capacity, "rows": settings.rows,
        "queue": settings.queue, "seconds": settings.seconds, "idle": settings.idle_s, "body": settings.body_mb,
    }  # fmt: skip
    options = [f"--{name}={value}" for name, value in values.items() if value is not None]
    named = [f"{name}={copier.folder(folder)}" for name, folder in settings.bundles.items()]
    return ["serve", "--host=127.0.0.1", *options, "--json", "--stop-at-eof", "--", *named]


def _announce(machine: RemoteMachine, forward: Forward, on_ready: Callable[[str], None]) -> None:
    """Passes on the address here, once the server there has answered at it. Raises RemoteError."""
    asked = http.client.HTTPConnection(forward.host, forward.port, timeout=_ANSWER_S)
    try:
        asked.request("GET", "/health")
        asked.getresponse().read()
    except (OSError, http.client.HTTPException):
        raise RemoteError(
            f"{machine.name} serves, but its ssh server forwards no port: allow AllowTcpForwarding in its sshd_config."
        ) from None
    finally:
        asked.close()
    on_ready(shown_address(forward.host, forward.port))


def _fields(line: bytes) -> dict[str, Any]:
    """A line of the server. Raises RemoteError for one that is none."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise RemoteError(f"The server there wrote {printable(line.decode('utf-8', 'replace'))!r}, which is no event.")
    return fields
