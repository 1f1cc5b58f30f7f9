"""Texts given to a bundle without a chat: the request that runs, and the report of the last one.

lines ──send──▶ worker of its own ──report──▶ changed
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, TypeVar

from PySide6.QtCore import QObject, Signal

from app.jobs.latest_request import LatestRequest
from app.jobs.worker_client import WorkerClient
from app.text.formatting import format_number
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import Request

MOST_LINES, MOST_CHARACTERS = 2_000, 200_000
"""The most lines, and the most characters of all."""
TextUse = Literal["chat", "vectors", "labels", ""]
_USES: dict[str, TextUse] = {
    "feature-extraction": "vectors",
    "text-classification": "labels",
    "token-classification": "labels",
    **dict.fromkeys(("fill-mask", "image-classification", "depth-estimation"), ""),
}
Sent = TypeVar("Sent", bound=Request[Any])
Report = TypeVar("Report")


def use_of(bundle: Mapping[str, Any] | None) -> TextUse:
    """What a person does with a bundle, by its summary; empty for one that takes no texts by itself, and for none."""
    return "" if bundle is None else _USES.get(str(bundle.get("task", "")), "chat")


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text that are not blank."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


class TextTask(QObject, Generic[Sent, Report]):
    """Gives texts to one bundle at a time. new_worker: makes the worker, when the first texts are sent: one that
    ends after a while, and the model with it."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._requests = LatestRequest(new_worker, parent=self)
        self._requests.answered.connect(self._on_answer)
        self._requests.failed.connect(self._on_error)
        self._sent: Sent | None = None
        self.bundle = ""
        self.request: Sent | None = None
        """What `report` answers."""
        self.report: Report | None = None
        self.error: ErrorEvent | None = None
        """Why the last request failed."""
        self.problem = ""
        """Why the texts cannot be sent, before a request is made."""

    @property
    def running(self) -> bool:
        """Whether a request runs."""
        return self._sent is not None

    def set_bundle(self, bundle: str) -> None:
        """Takes another bundle; figures of the one before are forgotten."""
        if bundle != self.bundle:
            self._stop()
            self.bundle, self.request, self.report, self.error, self.problem = bundle, None, None, None, ""
            self.changed.emit()

    def cancel(self) -> None:
        """Stops the running request; the last report stays."""
        self._stop()
        self.changed.emit()

    def _send(self, text: str, make: Callable[[tuple[str, ...]], Sent], least: int = 1, reason: str = "") -> bool:
        """Sends the request that `make` makes of the lines of a text; returns False where `problem` says why not.

        least: the number of lines that it needs; reason: why fewer do not do.
        """
        lines = lines_of(text) if len(text) <= MOST_CHARACTERS else ()
        self.error, self.problem = None, self._problem_of(text, lines)
        if not self.problem and len(lines) < least:
            self.problem = reason
        if not self.problem:
            self._sent = make(lines)
            self._requests.send(self._sent)
        self.changed.emit()
        return not self.problem

    def _stop(self) -> None:
        self._sent = None
        self._requests.cancel()

    def _problem_of(self, text: str, lines: tuple[str, ...]) -> str:
        if len(text) > MOST_CHARACTERS:
            most = format_number(MOST_CHARACTERS)
            return self.tr("The texts have more than {0} characters: paste fewer at once.").format(most)
        if len(lines) > MOST_LINES:
            count, most = format_number(len(lines)), format_number(MOST_LINES)
            return self.tr("There are {0} lines, and at most {1} are read: paste fewer at once.").format(count, most)
        return "" if lines else self.tr("There is no text: paste one in each line.")

    def _on_answer(self, report: Report) -> None:
        self.request, self.report, self._sent = self._sent, report, None
        self.changed.emit()

    def _on_error(self, error: ErrorEvent) -> None:
        self._sent = None
        self.error = None if error.kind == "cancelled" else error
        self.changed.emit()
