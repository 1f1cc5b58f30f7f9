"""A connection to the agent on a machine: requests and answers, files, and one child's streams.

    connect(machine) ──ssh──▶ greeting, checked ──▶ Connection.request(op, …) ──▶ its answer
                                                    start(module, …) ──▶ on_output, on_run … exit_code
    silence, the end of ssh, another version ──▶ RemoteError, one sentence

Both ends send a sign of life every second, and give the connection up after SILENCE_S without one.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from workflows import __version__
from workflows.common.errors import Cancelled, RemoteError, error_from_dict, printable
from workflows.common.files import atomic_target
from workflows.process.machines import RemoteMachine
from workflows.process.subprocesses import exit_description, own_group
from workflows.service.remote.frames import (
    ALIVE,
    ALIVE_EVERY_S,
    CONTROL,
    DATA,
    ERRORS,
    INPUT,
    MARKER,
    OUTPUT,
    SILENCE_S,
    Frame,
    read_frame,
    write_control,
    write_frame,
)
from workflows.service.remote.ssh_command import Forward, connection_problem, ssh_command
from workflows.wire.version import wire_version

CONNECT_S = 40.0
"""Seconds for ssh to connect and the agent to greet; a jump host and a cold disk take their time."""
_POLL_S = 0.1
_LONGEST_MESSAGE = 1 << 16
_STDERR_BYTES = 1 << 16
Cancellation = Callable[[], bool]


class Greeting(NamedTuple):
    """What the agent states of its machine. free: bytes of the disk that files are copied to; copied: of the copies."""

    joinery: str
    wire: str
    python: str
    system: str
    pid: int
    free: int
    copied: int


class ChildListener:
    """What a child does, by callbacks of the reading thread; a subclass overrides those that it needs."""

    def on_output(self, data: bytes) -> None:
        """It wrote to stdout."""

    def on_errors(self, data: bytes) -> None:
        """It wrote to stderr."""

    def on_run(self, run: object) -> None:
        """It recorded a run: the fields of a RunReport."""

    def on_state(self, memory: int, active: bool) -> None:
        """Once a second: its resident bytes, and whether it works."""

    def on_end(self) -> None:
        """It has ended, or the connection has."""


class _FetchedFile:
    """A file that the reading thread writes. problem: what the system refused; the rest is dropped then."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.problem: OSError | None = None

    def write(self, content: bytes) -> None:
        if self.problem is None:
            try:
                self._file.write(content)
            except OSError as error:
                self.problem = error


class Connection:
    """An open connection; `close` ends it, and with it everything that it started there."""

    def __init__(
        self, machine: RemoteMachine, cancelled: Cancellation = lambda: False, forward: Forward | None = None
    ) -> None:
        """Connects. forward: a port that leads there while the connection lasts. Raises RemoteError and Cancelled."""
        self.machine = machine
        self.exit_code: int | None = None
        self._listener = ChildListener()
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._write, self._stderr = threading.Lock(), bytearray()
        self._received_at, self._silent, self._stopped = time.monotonic(), False, threading.Event()
        self._fetched: _FetchedFile | None = None
        self._refused = threading.Event()
        self._ssh = _start(machine, forward)
        threading.Thread(target=self._drain, name="ssh-stderr", daemon=True).start()
        self._reader = threading.Thread(target=self._read, name="frames", daemon=True)
        self._reader.start()
        try:
            self.greeting = self._greeted(cancelled)
        except BaseException:
            self.close()
            raise
        threading.Thread(target=self._keep_alive, name="alive", daemon=True).start()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- requests ------------------------------------------------------------------------------------

    def request(self, operation: str, cancelled: Cancellation = lambda: False, **fields: object) -> Any:
        """Sends a request and returns its answer. Raises its error, RemoteError if the connection ends, Cancelled."""
        if operation == "receive":
            self._refused.clear()
        self._send(CONTROL, {"op": operation, **fields})
        message = self._next(cancelled)
        if "error" in message:
            named = f"{self.machine.name}: {message['error']}"
            raise error_from_dict({"error": message.get("kind"), "message": named}, RemoteError)
        return message.get("answer")

    def send_data(self, data: bytes) -> bool:
        """Sends a part of a file; whether the other end wants more. Raises RemoteError."""
        self._send(DATA, data)
        return not self._refused.is_set()

    def fetch(self, path: str, target: Path, cancelled: Cancellation = lambda: False) -> None:
        """Copies a file of this session to `target`, which appears once it is whole. Raises OSError and as request."""
        with atomic_target(target) as draft, draft.open("wb") as file:
            fetched = self._fetched = _FetchedFile(file)
            try:
                self.request("fetch", cancelled, path=path)
            finally:
                self._fetched = None
            if fetched.problem is not None:
                raise fetched.problem

    # -- the child -----------------------------------------------------------------------------------

    def start(self, module: str, arguments: Sequence[str], listener: ChildListener, **environment: str) -> None:
        """Starts a module there; the listener gets what it writes. Raises as `request` does."""
        self._listener, self.exit_code = listener, None
        self.request("start", module=module, arguments=list(arguments), environment=environment)

    def write_input(self, data: bytes) -> None:
        """Writes to the child's stdin; no bytes close it. Raises RemoteError."""
        self._send(INPUT, data)

    def interrupt(self) -> None:
        """Interrupts the child, as Ctrl+C does. Raises RemoteError."""
        self.request("interrupt")

    def child_problem(self) -> str:
        """Why the child writes nothing more, as one sentence: it has ended, or the connection has."""
        if self.exit_code is None:
            return self.problem()
        return f"The process on {self.machine.name} {exit_description(self.exit_code)}: start it again."

    def problem(self) -> str:
        """Why the connection has ended, as one sentence."""
        if self._silent:
            return f"The connection to {self.machine.name} was lost: it gave no sign of life for {SILENCE_S:.0f} s."
        with suppress(subprocess.TimeoutExpired):
            self._ssh.wait(2.0)
        stderr = _text(self._stderr).strip()
        detail = f" ({printable(stderr.splitlines()[-1], 200)})" if stderr else ""
        return f"The connection to {self.machine.name} was lost{detail}: what ran there was ended."

    def close(self) -> None:
        """Ends the connection. The agent ends with it."""
        self._stopped.set()
        with suppress(OSError, ValueError):  # a writer may hold the buffer; the descriptor closes with the process
            if self._write.acquire(timeout=0.2):
                assert self._ssh.stdin is not None
                self._ssh.stdin.close()
                self._write.release()
        try:
            self._ssh.wait(2.0)
        except subprocess.TimeoutExpired:
            self._ssh.kill()
            self._ssh.wait()
        if threading.current_thread() is not self._reader:
            self._reader.join(2.0)

    # -- threads -------------------------------------------------------------------------------------

    def _drain(self) -> None:
        assert self._ssh.stderr is not None
        with self._ssh.stderr as stream:
            while data := os.read(stream.fileno(), 1 << 12):
                self._stderr += data
                del self._stderr[:-_STDERR_BYTES]

    def _read(self) -> None:
        """Reads frames until the stream ends."""
        assert self._ssh.stdout is not None
        stream: BinaryIO = self._ssh.stdout  # type: ignore[assignment]
        try:
            with suppress(OSError, ValueError):
                if _skip_message(stream):
                    while (frame := read_frame(stream)) is not None:
                        self._received_at = time.monotonic()
                        self._take(frame)
        finally:  # whatever a listener raises: nobody waits for ever
            self._answers.put(None)
            self._listener.on_end()

    def _take(self, frame: Frame) -> None:
        if frame.kind == OUTPUT:
            self._listener.on_output(frame.content)
        elif frame.kind == ERRORS:
            self._listener.on_errors(frame.content)
        elif frame.kind == DATA and self._fetched is not None:
            self._fetched.write(frame.content)
        elif frame.kind == ALIVE:
            state = frame.json()
            if state:
                self._listener.on_state(int(state["memory"]), bool(state["active"]))
        elif frame.kind == CONTROL:
            message = frame.json()
            if "run" in message:
                self._listener.on_run(message["run"])
            elif "exit" in message:
                self.exit_code = int(message["exit"])
                self._listener.on_end()
            elif "stop" in message:
                self._refused.set()
            else:
                self._answers.put(message)

    def _keep_alive(self) -> None:
        """Sends signs of life, and ends ssh when the other end sends none."""
        while not self._stopped.wait(ALIVE_EVERY_S):
            if time.monotonic() - self._received_at > SILENCE_S:
                self._silent = True
                self._ssh.kill()
                return
            if self._write.acquire(blocking=False):  # whoever holds it sends, which is a sign of life
                try:
                    with suppress(OSError, ValueError):
                        write_frame(self._stdin, ALIVE)
                finally:
                    self._write.release()

    # -- internals -----------------------------------------------------------------------------------

    @property
    def _stdin(self) -> BinaryIO:
        assert self._ssh.stdin is not None
        return self._ssh.stdin  # type: ignore[return-value]

    def _send(self, kind: bytes, content: bytes | Mapping[str, object]) -> None:
        try:
            with self._write:
                if isinstance(content, bytes):
                    write_frame(self._stdin, kind, content)
                else:
                    write_control(self._stdin, content, kind)
        except (OSError, ValueError):
            raise RemoteError(self.problem()) from None

    def _next(self, cancelled: Cancellation, until: float | None = None) -> dict[str, Any]:
        """The next answer. Raises RemoteError at the end of the connection, TimeoutError, Cancelled."""
        while True:
            with suppress(queue.Empty):
                message = self._answers.get(timeout=_POLL_S)
                if message is None:
                    self._answers.put(None)
                    raise RemoteError(self.problem())
                return message
            if cancelled():
                raise Cancelled("Cancelled.")
            if until is not None and time.monotonic() > until:
                raise TimeoutError

    def _greeted(self, cancelled: Cancellation) -> Greeting:
        """The agent's greeting. Raises RemoteError that says why there is none, or that it does not fit."""
        try:
            facts = self._next(cancelled, time.monotonic() + CONNECT_S)["greeting"]
        except TimeoutError:
            raise RemoteError(connection_problem(self.machine, None, _text(self._stderr))) from None
        except RemoteError:
            with suppress(subprocess.TimeoutExpired):
                self._ssh.wait(2.0)
            raise RemoteError(connection_problem(self.machine, self._ssh.poll(), _text(self._stderr))) from None
        except KeyError:
            raise RemoteError(f"{self.machine.name} has another Joinery: install the same version on both.") from None
        there, name = f"{printable(facts.get('joinery'))} (wire {printable(facts.get('wire'))})", self.machine.name
        if (facts.get("joinery"), facts.get("wire")) != (__version__, wire_version()):
            raise RemoteError(
                f"{name} has Joinery {there}, and this machine {__version__} (wire {wire_version()}): install the same "
                "version on both."
            )
        if problem := facts.get("problem"):
            raise RemoteError(f"{name}: {printable(problem, 300)}")
        return Greeting(*(facts[field] for field in Greeting._fields))


def _start(machine: RemoteMachine, forward: Forward | None) -> subprocess.Popen[bytes]:
    """ssh, in a session of its own: Ctrl+C is not for it. Raises RemoteError and RequestError."""
    command = ssh_command(machine, forward)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **own_group(),
        )
    except OSError as error:
        raise RemoteError(
            f"{printable(command[0])} cannot be started ({error.strerror}): install the OpenSSH client."
        ) from None


def _text(stderr: bytearray) -> str:
    """What ssh has printed, after a moment in which the last lines are read."""
    time.sleep(_POLL_S)
    return bytes(stderr).decode("utf-8", "replace")


def _skip_message(stream: BinaryIO) -> bool:
    """Reads up to the agent's marker; False if there is none."""
    seen = b""
    while len(seen) < _LONGEST_MESSAGE and (byte := stream.read(1)):
        seen += byte
        if seen.endswith(MARKER):
            return True
    return False
