"""One comparison of two bundles: asked of a worker of its own, followed, and kept when it ends.

start(Eval) ──▶ progress … ──▶ EvalReport | error          a worker a comparison: it holds two models
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.worker import Worker
from workflows.wire.codec import shell
from workflows.wire.events import ErrorEvent, Event, LogEvent, ProgressEvent, StageEvent
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.requests import Eval

State = Literal["idle", "running", "done", "failed", "cancelled"]
COLUMNS = ("part", "layer", "hidden_cosine", "key_cosine", "value_cosine")


def as_json(report: EvalReport) -> str:
    """As `joinery eval --json` prints it, and the tokens besides."""
    return json.dumps(report, default=shell, ensure_ascii=False, indent=1) + "\n"


def as_csv(report: EvalReport) -> str:
    """The layers' cosines, one row a layer."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([getattr(row, name) for name in COLUMNS] for row in report.layers)
    return text.getvalue()


class AccuracyModel(QObject):
    """The comparison that runs, or the last one that ended."""

    changed = Signal()
    finished = Signal()

    def __init__(self, new_worker: Callable[[], Worker], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._new_worker = new_worker
        self._worker: Worker | None = None
        self._job: Job[EvalReport] | None = None
        self.state: State = "idle"
        self.request: Eval | None = None
        self.report: EvalReport | None = None
        self.error: ErrorEvent | None = None
        self.note = ""
        self.done = self.total = 0.0
        self._began = 0.0

    @property
    def running(self) -> bool:
        """Whether a comparison is under way."""
        return self.state == "running"

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the prompts so far; None before the second."""
        if not self.running or self.done < 2:
            return None
        return (time.monotonic() - self._began) / self.done * (self.total - self.done)

    def start(self, request: Eval) -> bool:
        """Begins a comparison; False while another runs."""
        if self.running:
            return False
        self.request, self.report, self.error = request, None, None
        self.note, self.done, self.total = self.tr("Opening both …"), 0.0, 0.0
        self.state = "running"
        self._worker = self._new_worker()
        self._worker.background = True
        self._job = self._worker.request(request)
        self._job.event.connect(self._on_event)
        self._job.on_answer(self._on_answer)
        self._job.on_error(self._on_error)
        self.changed.emit()
        return True

    def cancel(self) -> None:
        """Ends it; what was compared so far is forgotten."""
        if self._job is not None:
            self.note = self.tr("Stopping …")
            self._job.cancel()
            self.changed.emit()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            if event.stage == "eval" and event.total != self.total:  # prompts first, suggestions afterwards
                self._began = time.monotonic()
            self.note = event.message
            self.done, self.total = (event.done, event.total) if event.stage == "eval" else (0.0, 0.0)
        elif isinstance(event, LogEvent):
            self.note = event.message
        elif isinstance(event, StageEvent) and event.state == "started":
            self.note = self.tr("Building the reference: {0}").format(event.stage)
        self.changed.emit()

    def _on_answer(self, report: EvalReport) -> None:
        self.report, self.state = report, "done"
        self._end()

    def _on_error(self, error: ErrorEvent) -> None:
        self.error, self.state = error, "cancelled" if error.kind == "cancelled" else "failed"
        self._end()

    def _end(self) -> None:
        worker, self._worker, self._job = self._worker, None, None
        if worker is not None:
            worker.retire()
        self.changed.emit()
        self.finished.emit()
