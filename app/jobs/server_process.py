"""A `joinery serve` that this window starts, follows and stops.

start ─▶ [stdin  `joinery serve --json --stop-at-eof`  stdout] ─lines─▶ served(address), reported(ServerStatus)
              └─ stop(): closed; the server ends after the requests that run     └─ stderr ─▶ logged(line)

It ends with the window, whose end closes its standard input.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from app.jobs.worker_client import KILLED_MS, exit_cause
from app.text.engine_text import translate_engine_text
from workflows.process.subprocesses import python_command
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.server import ServerStatus

_FOLLOWED = ("--json", "--stop-at-eof")
_PREFIX = "joinery: "


class ServerProcess(QObject):
    """One process. program: its command line before the arguments, by default the engine's."""

    served = Signal(str)  # the address; from now on it answers
    reported = Signal(object)  # a ServerStatus
    progressed = Signal(str)  # what it copies to another machine before it serves
    logged = Signal(str)
    ended = Signal(object)  # an ErrorEvent, or None for one that was stopped

    def __init__(self, program: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._program = list(program or python_command("workflows"))
        self._error: ErrorEvent | None = None
        self._stopping = self._has_ended = False
        self._partial = {"out": b"", "err": b""}
        self._process = QProcess(self)
        self._process.readyReadStandardOutput.connect(self._read_output)
        self._process.readyReadStandardError.connect(self._read_errors)
        self._process.finished.connect(self._on_end)
        self._process.errorOccurred.connect(self._on_error)

    @property
    def pid(self) -> int:
        """The process id; 0 when it does not run."""
        return int(self._process.processId())

    def start(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts it; once."""
        variables = QProcessEnvironment()
        for name, value in environment.items():
            variables.insert(name, value)
        self._process.setProcessEnvironment(variables)
        command = [*self._program, *arguments, *_FOLLOWED]
        self._process.start(command[0], command[1:])

    def stop(self) -> None:
        """Takes no more requests, and ends after those that run."""
        self._stopping = True
        self._process.closeWriteChannel()

    def kill(self) -> None:
        """Ends it at once, with the requests that run."""
        self._stopping = True
        self._process.kill()

    def close(self, wait_ms: int = 1500) -> None:
        """Ends it with the window: as `stop`, and after `wait_ms` as `kill`."""
        self.stop()
        if self._process.state() != QProcess.ProcessState.NotRunning and not self._process.waitForFinished(wait_ms):
            self._process.kill()
            self._process.waitForFinished(KILLED_MS)

    def _read_output(self) -> None:
        for line in self._lines("out", bytes(self._process.readAllStandardOutput().data())):
            try:
                self._take(json.loads(line))
            except (PayloadMismatch, ValueError, RecursionError, KeyError, TypeError):
                self.logged.emit(line)

    def _take(self, line: dict[str, Any]) -> None:
        """An event of the server. Raises PayloadMismatch, KeyError or TypeError for a line that is none."""
        values = {key: value for key, value in line.items() if key != "event"}
        if line["event"] == "serving":
            self.served.emit(str(line["address"]))
        elif line["event"] == "status":
            self.reported.emit(read(ServerStatus, values))
        elif line["event"] == "progress":
            self.progressed.emit(translate_engine_text(str(line["message"])))
        elif line["event"] == "error":
            self._error = read(ErrorEvent, values)

    def _read_errors(self) -> None:
        for line in self._lines("err", bytes(self._process.readAllStandardError().data())):
            self.logged.emit(translate_engine_text(line.removeprefix(_PREFIX)))

    def _lines(self, stream: str, data: bytes) -> list[str]:
        """The lines that are whole; the rest waits for more."""
        *lines, self._partial[stream] = (self._partial[stream] + data).split(b"\n")
        return [text for line in lines if (text := line.decode(errors="replace").rstrip())]

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            message = self.tr("The server could not be started ({0}).").format(self._process.errorString())
            self._end(ErrorEvent(kind="start", message=message))

    def _on_end(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read_output()
        self._read_errors()
        if self._error is not None:
            message = translate_engine_text(self._error.message)
            self._end(ErrorEvent(kind=self._error.kind, message=message))
        elif self._stopping:
            self._end(None)
        else:
            cause = self.tr("The server ended unexpectedly: {0}.").format(exit_cause(code, status))
            self._end(ErrorEvent(kind="crashed", message=cause))

    def _end(self, error: ErrorEvent | None) -> None:
        if not self._has_ended:
            self._has_ended = True
            self.ended.emit(error)
