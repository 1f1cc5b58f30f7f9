"""One comparison of two bundles: asked of a worker of its own, followed, and kept when it ends.

start() ──job "eval"──▶ progress … ──▶ Report | error          a worker a comparison: it holds two models
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from app.jobs.worker import Job, Worker
from workflows.wire.events import ErrorEvent, Event, LogEvent, ProgressEvent, ResultEvent, StageEvent

State = Literal["idle", "running", "done", "failed", "cancelled"]
Token = tuple[int, str]
COLUMNS = ("part", "layer", "hidden_cosine", "key_cosine", "value_cosine")


@dataclass(frozen=True)
class Request:
    """What to compare: `reference` is a bundle's folder or a source; `prompts` a file, or empty for the usual ones.

    suggest: how many quantized nodes to suggest for exclusion at most. consented: SHA-256 of the code that the source
    may run.
    """

    candidate: str
    reference: str
    prompts: str = ""
    steps: int = 16
    suggest: int = 0
    consented: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layer:
    """Cosines of one layer; None where there is nothing to compare."""

    part: str
    number: int
    hidden: float | None
    key: float | None
    value: float | None


@dataclass(frozen=True)
class Answer:
    """What both generate by themselves after a prompt; the first `equal` tokens are the same."""

    prompt: str
    reference: list[Token]
    candidate: list[Token]
    equal: int

    @property
    def same(self) -> bool:
        """Whether all tokens are."""
        return self.equal == len(self.reference) == len(self.candidate)


@dataclass(frozen=True)
class Report:
    """The worker's answer; `value` is all of it, as it came."""

    value: dict[str, Any]
    layers: list[Layer] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def same(self) -> int:
        """How many prompts were answered with the same tokens."""
        return sum(answer.same for answer in self.answers)

    @property
    def excluded(self) -> list[str]:
        """The nodes that are suggested for exclusion, the most helpful first."""
        return [str(row["node"]) for row in self.value.get("suggestions", {}).get("exclude", [])]

    def to_json(self) -> str:
        """As `joinery eval --json` prints it, and the tokens besides."""
        return json.dumps(self.value, ensure_ascii=False, indent=1) + "\n"

    def to_csv(self) -> str:
        """The layers' cosines, one row a layer."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        writer.writerows([row.get(name) for name in COLUMNS] for row in self.value["layers"])
        return text.getvalue()


def parse_report(value: dict[str, Any]) -> Report:
    """Raises ValueError for a value that is no report."""
    try:
        layers = [
            Layer(row["part"], row["layer"], row["hidden_cosine"], row["key_cosine"], row["value_cosine"])
            for row in value["layers"]
        ]
        answers = [
            Answer(row["prompt"], _tokens(row["reference"]), _tokens(row["candidate"]), row["tokens_equal"])
            for row in value["greedy"]
        ]
        for name in ("positions", "top1_agreement", "top5_overlap", "kl_mean", "kl_max", "logit_max_abs_diff"):
            value[name]
        value["perplexity"]["reference"], value["perplexity"]["candidate"]
        if "suggestions" in value:
            [(row["node"], row["kl_mean"]) for row in value["suggestions"]["exclude"]]
            value["suggestions"]["after"]["kl_mean"]
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"no report of a comparison: {error!r}") from None
    return Report(value, layers, answers)


def _tokens(rows: list[list[Any]]) -> list[Token]:
    return [(int(row[0]), str(row[1])) for row in rows]


class AccuracyModel(QObject):
    """The comparison that runs, or the last one that ended."""

    changed = Signal()
    finished = Signal()

    def __init__(self, new_worker: Callable[[], Worker], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._new_worker = new_worker
        self._worker: Worker | None = None
        self._job: Job | None = None
        self.state: State = "idle"
        self.request: Request | None = None
        self.report: Report | None = None
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

    def start(self, request: Request) -> bool:
        """Begins a comparison; False while another runs."""
        if self.running:
            return False
        self.request, self.report, self.error = request, None, None
        self.note, self.done, self.total = self.tr("Opening both …"), 0.0, 0.0
        self.state = "running"
        self._worker = self._new_worker()
        self._worker.background = True
        self._job = self._worker.request(
            "eval",
            bundle=request.candidate,
            against=request.reference,
            prompts=request.prompts,
            options={"steps": request.steps, "suggest": request.suggest, "consented": list(request.consented)},
        )
        self._job.event.connect(self._on_event)
        self._job.finished.connect(self._on_finished)
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

    def _on_finished(self, event: Event) -> None:
        if isinstance(event, ResultEvent):
            try:
                self.report, self.state = parse_report(event.value), "done"
            except ValueError as error:
                event = ErrorEvent(kind="internal", message=self.tr("The report cannot be read."), details=str(error))
        if isinstance(event, ErrorEvent):
            self.error, self.state = event, "cancelled" if event.kind == "cancelled" else "failed"
        worker, self._worker, self._job = self._worker, None, None
        if worker is not None:
            worker.retire()
        self.changed.emit()
        self.finished.emit()
