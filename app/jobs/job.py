"""One request to a worker, and the signals of its events.

WorkerClient ──take──▶ event …  on_answer | on_error  finished
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from workflows.wire.events import FINAL_EVENTS, ErrorEvent, Event, ResultEvent
from workflows.wire.requests import Request

Answer = TypeVar("Answer", covariant=True)


class _JobSignals(QObject):
    received = Signal(object)
    finished = Signal(object)
    answered = Signal(object)
    failed = Signal(object)


class Job(Generic[Answer]):
    """One request. `event` emits every event but the last, `finished` the last, after on_answer or on_error."""

    def __init__(self, ident: int, request: Request[Answer], cancel: Callable[[Job[Answer]], None]) -> None:
        self._signals = _JobSignals()  # not a QObject itself: that has a method `event`
        self.event = self._signals.received
        self.finished = self._signals.finished
        self._cancel = cancel
        self.id = ident
        self.request = request
        self.ended = False
        self.cancelled = False
        self.cancelled_at = 0.0

    def cancel(self) -> None:
        """Asks the worker to stop the job, and enforces it. The job still ends with `finished`."""
        if not self.ended:
            self._cancel(self)

    def on_answer(self, take: Callable[[Answer], object], owner: QObject | None = None) -> None:
        """Calls `take` with the request's answer, if there is one. owner: it is not called after the owner's end."""
        self._signals.answered.connect(_while_alive(owner, take))

    def on_error(self, take: Callable[[ErrorEvent], object], owner: QObject | None = None) -> None:
        """Calls `take` with the error: the job was cancelled, failed, or its worker died. owner: see on_answer."""
        self._signals.failed.connect(_while_alive(owner, take))

    def take(self, event: Event) -> None:
        """Handles one event of the worker; the last one ends the job."""
        if isinstance(event, FINAL_EVENTS):
            self.ended = True
            if isinstance(event, ErrorEvent):
                self._signals.failed.emit(event)
            else:
                self._signals.answered.emit(event.value if isinstance(event, ResultEvent) else event)
            self.finished.emit(event)
            self._signals.deleteLater()  # and the connections, which often hold this job
        else:
            self.event.emit(event)


def _while_alive(owner: QObject | None, take: Callable[[Any], object]) -> Callable[[Any], object]:
    """`take`, as long as Qt has not deleted `owner`: a dialog may be closed before a job of its answers."""
    return take if owner is None else lambda value: take(value) if isValid(owner) else None
