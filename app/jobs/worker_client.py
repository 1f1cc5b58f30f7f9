"""A worker process: requests in, events out, one JSON object a line.

    request() ─▶ Job ─one line─▶ [stdin  worker process  stdout] ─lines─▶ Event ─▶ Job.event … on_answer | on_error
                  │                         └─ stderr ─▶ Worker.log
                  └─ cancel(): a message; after GRACE_MS terminate; after KILL_MS more, kill

A worker starts with its first request, and again with the next request after it died. When it dies, `crashed`
says why (exit code or signal, last lines of stderr), then every open job finishes with an ErrorEvent of kind `crashed`
(or `cancelled`, where it died because it would not stop). One that does not answer while a job is open is said to hang.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Generator, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from app.jobs.job import Job
from app.jobs.json_slices import LARGE, decode_in_steps
from app.jobs.liveness import LivenessMonitor
from app.jobs.time_slices import TimeSlicer, run_at_once
from app.jobs.worker_process import exit_cause, lower_priority, worker_environment
from workflows.process.subprocesses import python_command
from workflows.wire.events import FINAL_EVENTS, ErrorEvent, Event, parse_in_steps
from workflows.wire.request_lines import to_line
from workflows.wire.requests import Cancel, Ping, Request

GRACE_MS = 8_000
KILL_MS = 2_000
HARD_GRACE_MS, HARD_KILL_MS = 1_200, 300
"""Of work on a provider: what a driver has fused, or hangs in, hears no message, and is to be gone within 2 s."""
_STDERR_LINES = 40
LONGEST = 64 << 20
"""Bytes of a line from which on it is none of the engine's: a graph of 20,000 nodes takes a quarter of that."""
_NOBODY = 0
"""The id of a ping, whose answer counts because it comes."""


Asked = TypeVar("Asked")
Found = tuple[Job[object] | None, Event | None]
"""Whose line it is and what it says; None for a job that has ended."""
_LAST = {"result", "done", "ready", "error"}
KILLED_MS = 10_000
"""A killed process is gone at once, but on a busy machine its end is heard of late; destroyed before, Qt complains."""


class WorkerClient(QObject):
    """A process that takes jobs; `program` is its command line, by default the engine's worker."""

    begun = Signal(object)  # the Job that was asked for
    crashed = Signal(str)
    hung = Signal(bool)
    """It does not answer, though something was asked of it; or it does again, or has ended."""
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
        self._buffer: list[bytes] = []
        self._lines: deque[bytes] = deque()
        self._slices = TimeSlicer(self)
        self._outbox: list[bytes] = []
        self._errors: deque[str] = deque(maxlen=_STDERR_LINES)
        self._stopping = self._wrong = ""
        self._closing = False
        self._pulse = LivenessMonitor(lambda: self._send(_NOBODY, Ping()), self)
        self._pulse.changed.connect(self.hung)
        self.grace_ms, self.kill_ms = GRACE_MS, KILL_MS
        self.background = False
        """Whether its process stands back where the window or another worker wants the processor."""
        self.over = False
        """Whether nothing is to be started any more: the window closes, and a request ends as cancelled."""
        self._terminated = False
        self._deadline = QTimer(self, singleShot=True)
        self._deadline.timeout.connect(self._escalate)
        self._rss = QTimer(self, interval=1000)
        self._rss.timeout.connect(self._measure)

    @property
    def pid(self) -> int:
        """The process id; 0 when none is running."""
        return self._process.processId() if self._process else 0

    @property
    def busy(self) -> bool:
        """Whether a job is open."""
        return bool(self._jobs)

    @property
    def last_lines(self) -> str:
        """What the process wrote to stderr lately."""
        return "\n".join(self._errors)

    def request(self, request: Request[Asked]) -> Job[Asked]:
        """Send a job; the process is started where none runs."""
        result = Job(self._next, request, self._cancel)
        self._next += 1
        self._jobs[result.id] = result
        if self.over:
            QTimer.singleShot(0, self, self._refuse)
            return result
        if self._process is None:
            self._start()
        self._send(result.id, request)
        if len(self._jobs) == 1:
            self.busyChanged.emit(True)
        self.begun.emit(result)
        return result

    def close(self, wait_ms: int = 1500) -> None:
        """End the process in order: its stdin is closed; one that stays is killed. Open jobs end as cancelled."""
        process = self._process
        if process is None:
            return
        self._stopping, self._closing = self.tr("Closed."), True
        process.closeWriteChannel()
        if not process.waitForFinished(wait_ms) and self._process is process:
            process.kill()
            process.waitForFinished(KILLED_MS)

    def retire(self) -> None:
        """`close` without waiting; `retired` is emitted when nothing runs any more. For a worker of one job."""
        process = self._process
        if process is None:
            self.retired.emit()
            return
        self._stopping, self._closing = self.tr("Closed."), True
        process.finished.connect(self.retired)
        process.closeWriteChannel()
        QTimer.singleShot(self.kill_ms, process, process.kill)

    def kill(self) -> None:
        """End the process at once; open jobs end as cancelled, and the next request starts a new one."""
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
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        self._process, self._buffer, self._stopping, self._wrong, self._closing = process, [], "", "", False
        self._terminated = False
        self._errors.clear()
        self._rss.start()
        process.start(self._program[0], self._program[1:])

    def _refuse(self) -> None:
        """Ends what was asked for after the end."""
        jobs, self._jobs = list(self._jobs.values()), {}
        for job in jobs:
            job.take(ErrorEvent(kind="cancelled", message=self.tr("Closed.")))

    def _send(self, ident: int, request: Request[object]) -> None:
        self._outbox.append(to_line(ident, request).encode() + b"\n")
        self._flush()

    def _on_started(self) -> None:
        if self.background:
            lower_priority(self.pid)
        self._flush()

    def _flush(self) -> None:
        process = self._process
        if process is not None and process.state() == QProcess.ProcessState.Running:
            for message in self._outbox:
                process.write(message)
            self._outbox.clear()

    def _read(self) -> None:
        if self._process is None:
            return
        self._buffer.append(bytes(self._process.readAllStandardOutput().data()))
        self._pulse.hear()
        if self._wrong:
            self._buffer.clear()
        elif sum(map(len, self._buffer)) > LONGEST:
            self._wrong = self.tr("The worker sent a line that is too long to be read, and was ended.")
            self._process.kill()
        elif b"\n" in self._buffer[-1]:
            *lines, rest = b"".join(self._buffer).split(b"\n")
            self._buffer = [rest]
            self._lines.extend(raw for raw in lines if raw.strip())
            self._drain()

    def _drain(self) -> None:
        """Takes the lines in their order; a graph's takes long, and is read in slices while the others wait."""
        while self._lines and not self._slices.busy:
            raw = self._lines[0]
            if len(raw) > LARGE:
                self._slices.run(self._large(raw), self._on_large, lambda _error: self._on_large(None))
                return
            self._lines.popleft()
            self._take(raw)

    def _drain_at_once(self) -> None:
        """No process is left to wait for."""
        self._slices.stop()
        while self._lines:
            self._take(self._lines.popleft())

    def _on_large(self, found: Found | None) -> None:
        self._deliver(self._lines.popleft(), found)
        self._drain()

    def _take(self, raw: bytes) -> None:
        try:
            found = run_at_once(self._event(json.loads(raw)))
        except (ValueError, RecursionError):
            found = None
        self._deliver(raw, found)

    def _large(self, raw: bytes) -> Generator[None, None, Found]:
        return (yield from self._event((yield from decode_in_steps(raw))))

    def _event(self, payload: Any) -> Generator[None, None, Found]:
        """What a line says. Raises ValueError for one that is no event; an answer that cannot be read is an error."""
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
            message = self.tr("What the worker answered cannot be read.")
            return job, ErrorEvent(kind="internal", message=message, details=f"{job.request.job}: {error}")

    def _deliver(self, raw: bytes, found: Found | None) -> None:
        """One line: an event for a job that is open, or something else, which goes to the log."""
        if found is None:
            self.log.emit(raw.decode(errors="replace").rstrip())
            return
        job, event = found
        if job is None or event is None:
            return
        if isinstance(event, FINAL_EVENTS):
            self._forget(job)
        job.take(event)

    def _forget(self, job: Job[object]) -> None:
        self._jobs.pop(job.id, None)
        if not self._jobs:
            self.busyChanged.emit(False)

    def _read_errors(self) -> None:
        if self._process is None:
            return
        self._pulse.hear()
        for text in bytes(self._process.readAllStandardError().data()).decode(errors="replace").splitlines():
            self._errors.append(text)
            self.log.emit(text)

    def _cancel(self, job: Job[object]) -> None:
        if job.cancelled:
            return
        job.cancelled, job.cancelled_at = True, time.monotonic()
        self._send(self._next, Cancel(job.id))
        self._next += 1
        if not self._deadline.isActive():
            self._deadline.start(self.grace_ms)

    def _escalate(self) -> None:
        """A job that was cancelled goes on: terminate, and the next time kill."""
        late = [job.cancelled_at for job in self._jobs.values() if job.cancelled]
        if not late or self._process is None:
            return
        left = self.grace_ms - round((time.monotonic() - min(late)) * 1000)
        if left > 0:
            self._deadline.start(left)
            return
        self._stopping = self.tr("Stopped: the worker did not answer and was ended.")
        if self._terminated:
            self._process.kill()
        else:
            self._terminated = True
            self._process.terminate()
            self._deadline.start(self.kill_ms)

    def _measure(self) -> None:
        import psutil

        if self.busy and self.pid:
            self._pulse.look(self.pid)
        else:
            self._pulse.end()
        try:
            self.memory.emit(psutil.Process(self.pid).memory_info().rss if self.pid else 0)
        except psutil.Error:
            self.memory.emit(0)

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._on_end(exit_cause(code, status))

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            QTimer.singleShot(0, self, self._on_failed_start)  # not from within the request that started it

    def _on_failed_start(self) -> None:
        if self._process is not None and self._process.state() == QProcess.ProcessState.NotRunning:
            self._on_end(self.tr("it could not be started (%1)").replace("%1", self._process.errorString()))

    def _on_end(self, cause: str) -> None:
        """The process is gone: say so, and end what it had open."""
        process = self._process
        if process is None:
            return
        self._read()
        self._drain_at_once()
        self._read_errors()
        self._process = None
        self._pulse.end()
        self._outbox.clear()
        self._rss.stop()
        self._deadline.stop()
        process.deleteLater()
        self.memory.emit(0)
        jobs, self._jobs = list(self._jobs.values()), {}
        kind, message = "cancelled", self._stopping
        if self._wrong or not message:
            unexpected = self.tr("The worker process ended unexpectedly: %1.").replace("%1", cause)
            kind, message = "crashed", self._wrong or unexpected
        if not self._closing:
            self.crashed.emit(message)
        for job in jobs:
            job.take(ErrorEvent(kind=kind, message=message, details=self.last_lines))
        if jobs:
            self.busyChanged.emit(False)
