"""The accuracy comparison of two bundles: it runs in its own worker, which holds both models.

start(Eval) ──▶ progress … ──▶ AccuracyResult | error

A result states what was compared: both bundles as they were when the comparison began.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from app.jobs.one_shot_worker import OneShotModel, OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.codec import to_fields
from workflows.wire.events import ErrorEvent, Event, LogEvent, ProgressEvent, StageEvent
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.requests import Eval

PROVIDER, SOURCE_PRECISION = "cpu", "fp32"
"""The provider that the engine compares on, and the precision that a checkpoint has there; the report's first note says
whether transformers ran it or Joinery built it."""
SUBJECT_COLUMNS = ("candidate", "candidate_precision", "reference", "reference_precision", "provider", "began")
COLUMNS = ("part", "layer", "hidden_cosine", "key_cosine", "value_cosine")


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """One of the two models. built_at: of a bundle; empty for a source, which is built for the comparison."""

    name: str
    path: str
    precision: str
    built_at: str


@dataclass(frozen=True, slots=True)
class AccuracySubjects:
    """What is compared. prompts: their file, or plain sentences; empty for the demo's own. began: local time, ISO."""

    candidate: ComparedModel
    reference: ComparedModel
    provider: str
    prompts: str
    steps: int
    began: str


@dataclass(frozen=True, slots=True)
class AccuracyResult:
    """A report with its subjects."""

    subjects: AccuracySubjects
    report: EvalReport


def compared_model(path: str, summary: Mapping[str, object]) -> ComparedModel:
    """The bundle with this summary, or the source at `path` if the summary is empty."""
    if not summary:
        return ComparedModel(path, path, SOURCE_PRECISION, "")
    name, precision, built_at = (str(summary.get(key, "")) for key in ("name", "precision", "built_at"))
    return ComparedModel(name, path, precision, built_at)


def as_json(comparison: AccuracyResult) -> str:
    """The report as `joinery eval --json` prints it, with the tokens and the subjects (`compared`)."""
    fields = {"compared": asdict(comparison.subjects), **to_fields(comparison.report)}
    return json.dumps(fields, default=to_fields, ensure_ascii=False, indent=1) + "\n"


def as_csv(comparison: AccuracyResult) -> str:
    """The cosines as CSV, one row a layer, each with its subjects."""
    subjects, text = comparison.subjects, io.StringIO()
    models = [value for one in (subjects.candidate, subjects.reference) for value in (one.name, one.precision)]
    writer = csv.writer(text)
    writer.writerow((*SUBJECT_COLUMNS, *COLUMNS))
    writer.writerows(
        [*models, subjects.provider, subjects.began, *(getattr(row, name) for name in COLUMNS)]
        for row in comparison.report.layers
    )
    return text.getvalue()


class AccuracyModel(OneShotModel):
    """The comparison that runs, or the last one. describe: returns the summary of a bundle; empty for anything else."""

    finished = Signal()

    def __init__(
        self,
        new_worker: Callable[[], WorkerClient],
        describe: Callable[[str], Mapping[str, object]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(OneShotWorker(new_worker, hard_stop=False, background=True), parent)
        self._describe = describe
        self.request: Eval | None = None
        self.subjects: AccuracySubjects | None = None
        """The subjects of the comparison that runs, or of the last one."""
        self.result: AccuracyResult | None = None
        self.note = ""
        self.done = self.total = 0.0
        self._began = 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated remaining seconds; None before the second prompt."""
        if not self.running or self.done < 2:
            return None
        return (time.monotonic() - self._began) / self.done * (self.total - self.done)

    def start(self, request: Eval) -> bool:
        """Starts a comparison; returns False while another runs."""
        if self.running:
            return False
        self.request, self.subjects = request, self._subjects(request)
        self.result = None
        self.note, self.done, self.total = self.tr("Opening both …"), 0.0, 0.0
        self._run(request)
        return True

    def _subjects(self, request: Eval) -> AccuracySubjects:
        candidate, reference = (
            compared_model(path, self._describe(path)) for path in (request.bundle, request.against)
        )
        began = datetime.now().astimezone().isoformat(timespec="seconds")
        return AccuracySubjects(candidate, reference, PROVIDER, request.prompts, request.steps, began)

    def cancel(self) -> None:
        """Cancels the comparison and discards its results."""
        if self.running:
            self.note = self.tr("Stopping …")
            super().cancel()
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
        assert self.subjects is not None
        self.result, self.state = AccuracyResult(self.subjects, report), "done"
        self.changed.emit()
        self.finished.emit()

    def _on_error(self, error: ErrorEvent) -> None:
        super()._on_error(error)
        self.finished.emit()
