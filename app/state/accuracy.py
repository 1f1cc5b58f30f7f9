"""One comparison of two bundles: asked of a worker of its own, followed, and kept when it ends.

start(Eval) ──▶ progress … ──▶ Comparison | error          a worker a comparison: it holds two models

A result says itself what was compared: both bundles as they were when it began, whatever is opened afterwards.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.worker_client import WorkerClient
from workflows.wire.codec import to_fields
from workflows.wire.events import ErrorEvent, Event, LogEvent, ProgressEvent, StageEvent
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.requests import Eval

State = Literal["idle", "running", "done", "failed", "cancelled"]
PROVIDER, SOURCE_PRECISION = "cpu", "fp32"
"""What the engine compares on, and what it builds a source as."""
WHOSE = ("candidate", "candidate_precision", "reference", "reference_precision", "provider", "began")
COLUMNS = ("part", "layer", "hidden_cosine", "key_cosine", "value_cosine")


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """One of the two. built_at: which build of the bundle; empty for a source, which is built to be compared."""

    name: str
    path: str
    precision: str
    built_at: str


@dataclass(frozen=True, slots=True)
class AccuracySubjects:
    """What is compared. prompts: their file; empty for the demo's own, or plain sentences. began: local time, ISO."""

    candidate: ComparedModel
    reference: ComparedModel
    provider: str
    prompts: str
    steps: int
    began: str


@dataclass(frozen=True, slots=True)
class AccuracyComparison:
    """A report, and whose it is."""

    of: AccuracySubjects
    report: EvalReport


Describe = Callable[[str], Mapping[str, object]]
"""What a bundle's own files say of it; empty for what is none."""


def compared_model(path: str, summary: Mapping[str, object]) -> ComparedModel:
    """A bundle as its files describe it, or a source by what was typed."""
    if not summary:
        return ComparedModel(path, path, SOURCE_PRECISION, "")
    name, precision, built_at = (str(summary.get(key, "")) for key in ("name", "precision", "built_at"))
    return ComparedModel(name, path, precision, built_at)


def as_json(found: AccuracyComparison) -> str:
    """As `joinery eval --json` prints it, and the tokens besides; `compared` says what was."""
    fields = {"compared": asdict(found.of), **to_fields(found.report)}
    return json.dumps(fields, default=to_fields, ensure_ascii=False, indent=1) + "\n"


def as_csv(found: AccuracyComparison) -> str:
    """The layers' cosines, one row a layer, each with whose they are."""
    of, text = found.of, io.StringIO()
    whose = (of.candidate.name, of.candidate.precision, of.reference.name, of.reference.precision)
    writer = csv.writer(text)
    writer.writerow((*WHOSE, *COLUMNS))
    writer.writerows(
        [*whose, of.provider, of.began, *(getattr(row, name) for name in COLUMNS)] for row in found.report.layers
    )
    return text.getvalue()


class AccuracyModel(QObject):
    """The comparison that runs, or the last one that ended."""

    changed = Signal()
    finished = Signal()

    def __init__(
        self, new_worker: Callable[[], WorkerClient], describe: Describe, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._new_worker, self._describe = new_worker, describe
        self._worker: WorkerClient | None = None
        self._job: Job[EvalReport] | None = None
        self.state: State = "idle"
        self.request: Eval | None = None
        self.of: AccuracySubjects | None = None
        """What is compared, or was last."""
        self.result: AccuracyComparison | None = None
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
        self.request, self.of = request, self._compared(request)
        self.result, self.error = None, None
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

    def _compared(self, request: Eval) -> AccuracySubjects:
        candidate, reference = (
            compared_model(path, self._describe(path)) for path in (request.bundle, request.against)
        )
        began = datetime.now().astimezone().isoformat(timespec="seconds")
        return AccuracySubjects(candidate, reference, PROVIDER, request.prompts, request.steps, began)

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
        assert self.of is not None
        self.result, self.state = AccuracyComparison(self.of, report), "done"
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
