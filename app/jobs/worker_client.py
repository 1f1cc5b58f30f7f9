"""A worker process: requests in, events out, one JSON object a line.

    request() ─▶ Job ─one line─▶ [stdin  worker process  stdout] ─MessageReader─▶ Job.event … on_answer | on_error
                  │                         └─ stderr ─▶ WorkerClient.log
                  └─ cancel(): a message; after GRACE_MS terminate; after KILL_MS more, kill

The process starts with the first request, and again with the next request after it died. When it dies, `crashed`
gives the reason (exit code or signal, last lines of stderr), then every open job finishes with an ErrorEvent of kind
`crashed` (or `cancelled`, where it died because it would not stop).
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.jobs.job import Job
from app.jobs.liveness import ProcessMonitor
from app.jobs.message_reader import NO_JOB, MessageReader
from app.text.engine_text import translate_engine_text
from workflows import __version__
from workflows.process.subprocesses import module_search_path, python_command, signal_description
from workflows.wire.events import FINAL_EVENTS, ErrorEvent, Event, HelloEvent, ProcessEvent
from workflows.wire.request_lines import to_line
from workflows.wire.requests import Cancel, Ping, Request
from workflows.wire.version import wire_version

GRACE_MS = 8_000
KILL_MS = 2_000
HARD_GRACE_MS, HARD_KILL_MS = 1_200, 300
"""Limits for work on a provider: a driver that compiles or hangs reads no message, and has to be gone within 2 s."""
_STDERR_LINES = 40
Answer = TypeVar("Answer")
KILLED_MS = 10_000
"""A killed process ends at once, but a busy machine reports it late; Qt complains if it is destroyed before."""


class WorkerClient(QObject):
    """A process that takes jobs. program: its command line, by default the engine's worker."""

    jobStarted = Signal(object)  # noqa: N815  the Job
    crashed = Signal(str)
    hung = Signal(bool)
    """Emitted with True when the process hangs while it has work, with False when it lives again or has ended."""
    log = Signal(str)
    memory = Signal(object)
    busyChanged = Signal(bool)  # noqa: N815
    retired = Signal()

    def __init__(self, program: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._program = list(program or python_command("workflows.service.worker"))
        self._process: QProcess | None = None
        self._jobs: dict[int, Job[object]] = {}
        self._next = 1
        self._reader = MessageReader(self._jobs, self)
        self._reader.received.connect(self._on_event)
        self._reader.log.connect(self.log)
        self._reader.overflowed.connect(self._on_overflow)
        self._reader.announced.connect(self._on_announced)
        self._outbox: list[bytes] = []
        self._errors: deque[str] = deque(maxlen=_STDERR_LINES)
        self._stopping = self._protocol_error = ""
        self._closing = False
        self._monitor = ProcessMonitor(lambda: self._send(to_line(NO_JOB, Ping())), lambda: (self.pid, self.busy), self)
        self._monitor.hung.connect(self.hung)
        self._monitor.memory.connect(self.memory)
        self.grace_ms, self.kill_ms = GRACE_MS, KILL_MS
        self.background = False
        """Whether the process runs at a lower priority than the window and other workers."""
        self.refusing = False
        """Whether requests end as cancelled and start no process, as the window closes."""
        self.idle_ms = 0
        """How long the process lives without a job; 0 for as long as the window. The next request starts another."""
        self._idle = QTimer(self, singleShot=True)
        self._idle.timeout.connect(self._end_idle)
        self._terminated = False
        self._deadline = QTimer(self, singleShot=True)
        self._deadline.timeout.connect(self._escalate)

    @property
    def pid(self) -> int:
        """The process id; 0 when none is running."""
        return self._process.processId() if self._process else 0

    @property
    def remote(self) -> bool:
        """Whether the process is another machine's worker."""
        return self._monitor.remote

    @property
    def busy(self) -> bool:
        """Whether a job is open."""
        return bool(self._jobs)

    @property
    def last_lines(self) -> str:
        """The last lines that the process wrote to stderr."""
        return "\n".join(self._errors)

    def request(self, request: Request[Answer]) -> Job[Answer]:
        """Sends a job; starts the process if none runs."""
        result = Job(self._next, request, self._cancel)
        self._next += 1
        self._idle.stop()
        if self._closing:  # an idle process is about to end; its end would end the new job
            self.close()
        self._jobs[result.id] = result
        if self.refusing:
            QTimer.singleShot(0, self, self._refuse)
            return result
        if self._process is None:
            self._start()
        self._send(to_line(result.id, request))
        if len(self._jobs) == 1:
            self.busyChanged.emit(True)
        self.jobStarted.emit(result)
        return result

    def use_program(self, program: Sequence[str] | None, *, remote: bool = False) -> None:
        """Ends the process; the next request starts `program`. remote: it connects to another machine's worker."""
        self.close()
        self._program = list(program or python_command("workflows.service.worker"))
        self._monitor.remote = remote

    def close(self, wait_ms: int = 1500) -> None:
        """Ends the process by closing its stdin; kills it after `wait_ms`. Open jobs end as cancelled."""
        process = self._process
        if process is None:
            return
        self._stopping, self._closing = self.tr("Closed."), True
        process.closeWriteChannel()
        if not process.waitForFinished(wait_ms) and self._process is process:
            process.kill()
            process.waitForFinished(KILLED_MS)

    def retire(self) -> None:
        """Ends the process like `close`, without waiting; `retired` is emitted when it has ended."""
        process = self._process
        if process is None:
            self.retired.emit()
            return
        self._stopping, self._closing = self.tr("Closed."), True
        process.finished.connect(self.retired)
        process.closeWriteChannel()
        QTimer.singleShot(self.kill_ms, process, process.kill)

    def _end_idle(self) -> None:
        if self._process is not None:
            self._stopping, self._closing = self.tr("Closed."), True
            self._process.closeWriteChannel()

    def kill(self) -> None:
        """Kills the process; open jobs end as cancelled, and the next request starts a new one."""
        if self._process is not None:
            self._stopping = self.tr("Stopped: the worker was ended.")
            self._process.kill()

    def _start(self) -> None:
        process = QProcess(self)
        process.setProcessEnvironment(worker_environment())
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.started.connect(self._on_started)
        # bound methods, no closures: one that held the worker would delete it from within its child's destructor
        process.finished.connect(self._on_end)
        process.errorOccurred.connect(self._on_error)
        self._process, self._stopping, self._protocol_error, self._closing = process, "", "", False
        self._reader.reset()
        self._terminated = False
        self._errors.clear()
        self._monitor.start()
        process.start(self._program[0], self._program[1:])

    def _refuse(self) -> None:
        """Cancels the jobs that were requested while the window closes."""
        jobs = list(self._jobs.values())
        self._jobs.clear()
        for job in jobs:
            job.take(ErrorEvent(kind="cancelled", message=self.tr("Closed.")))

    def _on_started(self) -> None:
        if self.background:
            lower_priority(self.pid)
        self._send()

    def _send(self, *lines: str) -> None:
        """Writes lines to the process, once it runs."""
        self._outbox += [line.encode() + b"\n" for line in lines]
        process = self._process
        if process is not None and process.state() == QProcess.ProcessState.Running:
            for message in self._outbox:
                process.write(message)
            self._outbox.clear()

    def _read(self) -> None:
        if self._process is not None:
            self._monitor.note_output()
            self._reader.feed(bytes(self._process.readAllStandardOutput().data()))

    def _on_overflow(self) -> None:
        self._protocol_error = self.tr("The worker sent a line that is too long to be read, and was ended.")
        if self._process is not None:
            self._process.kill()

    def _on_announced(self, event: Event) -> None:
        """What a worker says of itself: its versions, its memory on another machine, or why it ends."""
        if isinstance(event, HelloEvent) and event.wire != wire_version():
            text = self.tr("The worker is of Joinery {0}, and the window of {1}: install one version.")
            self._protocol_error = text.format(event.joinery, __version__)
            if self._process is not None:
                self._process.kill()
        elif isinstance(event, ProcessEvent):
            self.memory.emit(event.memory)
        elif isinstance(event, ErrorEvent):
            self._protocol_error = event.message

    def _on_event(self, job: Job[object], event: Event) -> None:
        if isinstance(event, FINAL_EVENTS):
            self._jobs.pop(job.id, None)
            if not self._jobs:
                if self.idle_ms:
                    self._idle.start(self.idle_ms)
                self.busyChanged.emit(False)
        job.take(event)

    def _read_errors(self) -> None:
        if self._process is None:
            return
        self._monitor.note_output()
        for text in bytes(self._process.readAllStandardError().data()).decode(errors="replace").splitlines():
            self._errors.append(text)
            self.log.emit(text)

    def _cancel(self, job: Job[object]) -> None:
        if job.cancelled:
            return
        job.cancelled, job.cancelled_at = True, time.monotonic()
        self._send(to_line(self._next, Cancel(job.id)))
        self._next += 1
        if not self._deadline.isActive():
            self._deadline.start(self.grace_ms)

    def _escalate(self) -> None:
        """Terminates a process whose cancelled job goes on, and the next time kills it."""
        late = [job.cancelled_at for job in self._jobs.values() if job.cancelled]
        if not late or self._process is None:
            return
        remaining = self.grace_ms - round((time.monotonic() - min(late)) * 1000)
        if remaining > 0:
            self._deadline.start(remaining)
            return
        self._stopping = self.tr("Stopped: the worker did not answer and was ended.")
        if self._terminated:
            self._process.kill()
        else:
            self._terminated = True
            self._process.terminate()
            self._deadline.start(self.kill_ms)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            QTimer.singleShot(0, self, self._on_end)  # not from within the request that started it

    def _on_end(self, code: int = 0, status: QProcess.ExitStatus | None = None) -> None:
        """The process has ended: reports why, and ends its open jobs. status: None where it could not be started."""
        process = self._process
        if process is None or (status is None and process.state() != QProcess.ProcessState.NotRunning):
            return
        if status is None:
            cause = self.tr("it could not be started ({0})").format(process.errorString())
        else:
            cause = exit_cause(code, status)
        self._read()
        self._reader.finish()
        self._read_errors()
        self._process = None
        self._outbox.clear()
        self._deadline.stop()
        process.deleteLater()
        self._monitor.stop()
        jobs = list(self._jobs.values())
        self._jobs.clear()
        kind, message = "cancelled", self._stopping
        if self._protocol_error or not message:
            unexpected = self.tr("The worker process ended unexpectedly: {0}.").format(cause)
            kind, message = "crashed", self._protocol_error or unexpected
        if not self._closing:
            self.crashed.emit(message)
        for job in jobs:
            job.take(ErrorEvent(kind=kind, message=message, details=self.last_lines))
        if jobs:
            self.busyChanged.emit(False)


BACKGROUND_NICE = 10


def exit_cause(code: int, status: QProcess.ExitStatus) -> str:
    """How a process ended, as text. Qt reports a signal's number as the exit code of a crash."""
    if status == QProcess.ExitStatus.CrashExit:
        ended = signal_description(code) if sys.platform != "win32" else f"code {code & 0xFFFFFFFF:#x}"
        return translate_engine_text(ended)
    return f"exit code {code}"


def lower_priority(pid: int) -> None:
    """Lowers the priority of a process; does nothing for one that has ended."""
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        if sys.platform == "win32":
            process.nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            process.nice(min(process.nice() + BACKGROUND_NICE, 19))


def worker_environment() -> QProcessEnvironment:
    """The environment of a worker: the window's, without telemetry, unbuffered, with this checkout's packages first."""
    environment = QProcessEnvironment.systemEnvironment()
    for name in ("ORT_DISABLE_TELEMETRY", "PYTHONUNBUFFERED", "HF_HUB_DISABLE_TELEMETRY"):
        environment.insert(name, "1")
    environment.insert("PYTHONIOENCODING", "utf-8")
    environment.insert("PYTHONPATH", module_search_path(environment.value("PYTHONPATH")))
    return environment
