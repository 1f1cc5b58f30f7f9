"""A command of `joinery` that runs on another machine, as it would here.

arguments ──each Path is copied──▶ `joinery …` there ──stdout, stderr──▶ here, its exit code, its runs
"""

from __future__ import annotations

import codecs
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from workflows.common.errors import Cancelled, RemoteError
from workflows.measure.recording import to_stderr
from workflows.process.machines import RemoteMachine
from workflows.process.subprocesses import signal_description
from workflows.service.remote.connection import Cancellation, ChildListener, Connection
from workflows.service.remote.copying import CopiedPaths, Copier
from workflows.service.remote.remote_history import record_remote_run
from workflows.wire.events import Event


class OutputFile(NamedTuple):
    """A file that the command writes, behind its option; it is fetched when the command has ended well."""

    option: str
    path: Path


Argument = str | tuple[str, Path] | OutputFile
"""A text as it is; or a text and the path of a file or folder that follows it: ("--draft=", Path("small"))."""
CANCELLED = "joinery: Cancelled."
"""What a cancelled command prints there, and the one here afterwards."""
_POLL_S, _GRACE_S = 0.1, 8.0


class TextSink(Protocol):
    """A text stream."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> object: ...


class _Printer(ChildListener):
    """Prints what the command writes; whole lines of stderr, with the paths of this machine."""

    def __init__(self, machine: RemoteMachine, paths: CopiedPaths, out: TextSink, errors: TextSink) -> None:
        self._machine, self._paths, self._out, self._errors = machine, paths, out, errors
        self._decoders = [codecs.getincrementaldecoder("utf-8")("replace") for _ in range(2)]
        self._line = ""
        self.ended = threading.Event()
        self.failure: Exception | None = None

    def on_output(self, data: bytes) -> None:
        self._print(self._out, self._decoders[0].decode(data))

    def on_errors(self, data: bytes) -> None:
        *lines, self._line = (self._line + self._decoders[1].decode(data)).split("\n")
        for line in lines:
            if line != CANCELLED:
                self._print(self._errors, self._paths.localized(line) + "\n")

    def on_run(self, run: object) -> None:
        record_remote_run(self._machine, self._paths, run, to_stderr)

    def on_end(self) -> None:
        if self._line:
            self._print(self._errors, self._paths.localized(self._line) + "\n")
            self._line = ""
        self.ended.set()

    def _print(self, stream: TextSink, text: str) -> None:
        """Prints, in the reading thread; what fails there is raised by the main one."""
        if self.failure is None:
            try:
                stream.write(text)
                stream.flush()
            except (OSError, ValueError, RemoteError) as error:
                self.failure = error
                self.ended.set()


def run_command(
    machine: RemoteMachine,
    arguments: Sequence[Argument],
    report: Callable[[Event], None],
    cancelled: Cancellation,
    columns: int,
    out: TextSink | None = None,
) -> int:
    """Runs `joinery ARGUMENTS` on a machine and returns its exit code. columns: the width of tables.

    Raises RemoteError, Cancelled, what a copy raises, and what writing to stdout raises.
    """
    with Connection(machine, cancelled) as connection:
        copier = Copier(connection, report, cancelled)
        texts, outputs = list[str](), dict[str, Path]()
        for one in arguments:
            if isinstance(one, OutputFile):
                there = str(connection.request("output_file", name=one.path.name))
                outputs[there] = one.path
                texts.append(one.option + there)
            else:
                texts.append(one if isinstance(one, str) else one[0] + copier.place(one[1]))
        printer = _Printer(machine, copier.paths, out or sys.stdout, sys.stderr)
        connection.start("workflows", texts, printer, COLUMNS=str(columns))
        _wait(connection, printer, cancelled)
        if printer.failure is not None:
            raise printer.failure
        code = connection.exit_code
        if code is None:
            raise RemoteError(connection.problem())
        for there, here in outputs.items() if not code else ():
            connection.fetch(there, here)
    if code == Cancelled.exit_code or (code < 0 and cancelled()):
        raise Cancelled("Cancelled.")
    if code < 0:
        raise RemoteError(f"joinery on {machine.name} ended by {signal_description(-code)}.")
    return code


def _wait(connection: Connection, printer: _Printer, cancelled: Cancellation) -> None:
    """Waits for the command's end; interrupts it once. Raises Cancelled if it goes on then."""
    waited = 0.0
    while not printer.ended.wait(_POLL_S):
        if cancelled():
            if not waited:
                connection.interrupt()
            waited += _POLL_S
            if waited > _GRACE_S:
                raise Cancelled("Cancelled.")
