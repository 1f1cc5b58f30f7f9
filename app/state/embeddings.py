"""Texts compared by a bundle that makes vectors: the request that runs, and the report of the last one.

compare(lines, search) ──Embed──▶ worker of its own ──EmbedReport──▶ report ──▶ changed
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args, get_type_hints

from PySide6.QtCore import QObject, Signal

from app.jobs.latest_request import LatestRequest
from app.jobs.worker_client import WorkerClient
from app.text.formatting import format_number
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.requests import Embed

TASK = "feature-extraction"
"""The task of a bundle that makes vectors."""
TABLE_LINES, MOST_LINES, MOST_CHARACTERS = 200, 2_000, 200_000
"""The most lines with a table of each two, the most lines, and the most characters of all."""
IDLE_MS = 2 * 60_000
"""The worker ends after this time without a job, and the model with it."""
POOLINGS: tuple[str, ...] = get_args(get_args(get_type_hints(Embed)["pooling"])[0])
"""The poolings to choose from, where a bundle states none."""


def makes_vectors(bundle: Mapping[str, Any] | None) -> bool:
    """Whether a bundle, by its summary, makes vectors and cannot chat."""
    return bundle is not None and bundle.get("task") == TASK


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text that are not blank."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


class Embeddings(QObject):
    """Compares texts with one bundle at a time. new_worker: makes the worker, when the first texts are compared."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._new_worker = new_worker
        self._requests: LatestRequest | None = None
        self._sent: Embed | None = None
        self.bundle = ""
        self.request: Embed | None = None
        """What `report` answers."""
        self.report: EmbedReport | None = None
        self.error: ErrorEvent | None = None
        """Why the last request failed."""
        self.problem = ""
        """Why the texts cannot be compared, before a request is made."""

    @property
    def running(self) -> bool:
        """Whether texts are being compared."""
        return self._sent is not None

    def set_bundle(self, bundle: str) -> None:
        """Takes another bundle; figures of the one before are forgotten."""
        if bundle != self.bundle:
            self._stop()
            self.bundle, self.request, self.report, self.error, self.problem = bundle, None, None, None, ""
            self.changed.emit()

    def compare(self, text: str, search: str = "", pooling: str = "") -> bool:
        """Compares the lines of a text, and ranks them by a search; returns False where it says why not."""
        lines = lines_of(text) if len(text) <= MOST_CHARACTERS else ()
        self.error, self.problem = None, self._problem_of(text, lines, bool(search.strip()))
        if not self.problem:
            self._sent = Embed(
                self.bundle,
                lines,
                query=search.strip(),
                table=1 < len(lines) <= TABLE_LINES,
                pooling=cast(Any, pooling or None),
            )
            self._worker().send(self._sent)
        self.changed.emit()
        return not self.problem

    def cancel(self) -> None:
        """Stops the running request; the last report stays."""
        self._stop()
        self.changed.emit()

    def _stop(self) -> None:
        self._sent = None
        if self._requests is not None:
            self._requests.cancel()

    def _problem_of(self, text: str, lines: tuple[str, ...], searches: bool) -> str:
        if len(text) > MOST_CHARACTERS:
            most = format_number(MOST_CHARACTERS)
            return self.tr("The texts have more than {0} characters: paste fewer at once.").format(most)
        if len(lines) > MOST_LINES:
            count, most = format_number(len(lines)), format_number(MOST_LINES)
            return self.tr("There are {0} lines, and at most {1} are compared: paste fewer at once.").format(
                count, most
            )
        if not lines:
            return self.tr("There is no text: paste one in each line.")
        if len(lines) < 2 and not searches:
            return self.tr("There is one line alone: paste a second one to compare it with, or search.")
        return ""

    def _worker(self) -> LatestRequest:
        if self._requests is None:
            worker = self._new_worker()
            worker.idle_ms = IDLE_MS
            self._requests = LatestRequest(worker, parent=self)
            self._requests.answered.connect(self._on_answer)
            self._requests.failed.connect(self._on_error)
        return self._requests

    def _on_answer(self, report: EmbedReport) -> None:
        self.request, self.report, self._sent = self._sent, report, None
        self.changed.emit()

    def _on_error(self, error: ErrorEvent) -> None:
        self._sent = None
        self.error = None if error.kind == "cancelled" else error
        self.changed.emit()
