"""Reads the inspection of a bundle or an .onnx file from a worker.

InspectTarget ──worker's "inspect"──▶ finished(Inspection) | failed(ErrorEvent)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.state.inspection import InspectTarget, inspection_of
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.inspection import InspectReport
from workflows.wire.requests import InspectPath

if TYPE_CHECKING:
    from app.jobs.job import Job
    from app.state.context import AppContext

NO_TARGET = InspectTarget("")


class InspectionReader(QObject):
    """Reads one target at a time: `next_target` is to be read when the page is seen, `target` is read or being read."""

    started = Signal(object)  # InspectTarget
    finished = Signal(object, object)  # Inspection, InspectTarget
    failed = Signal(object, object)  # ErrorEvent, InspectTarget
    cleared = Signal()

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._job: Job[InspectReport] | None = None
        self.next_target = self.target = NO_TARGET

    def read(self, target: InspectTarget) -> None:
        """Reads `target` in place of whatever is being read."""
        self.next_target = self.target = target
        if self._job is not None:
            self._job.cancel()
        self.started.emit(target)
        job = self._job = self._context.probe_worker.request(InspectPath(target.path))
        job.on_answer(lambda report: self._on_report(job, target, report))
        job.on_error(lambda error: self._on_error(job, target, error))

    def read_again(self) -> None:
        """Reads the target anew."""
        if self.target.path:
            self.read(self.target)

    def catch_up(self) -> None:
        """Reads the next target, unless it was read already."""
        if not self.next_target.path:
            self.target = NO_TARGET
            self.cleared.emit()
        elif self.next_target.path != self.target.path:
            self.read(self.next_target)

    def _on_report(self, job: Job[InspectReport], target: InspectTarget, report: InspectReport) -> None:
        if job is self._job:
            self._job = None
            self.finished.emit(replace(inspection_of(target.path, report), before=target.before), target)

    def _on_error(self, job: Job[InspectReport], target: InspectTarget, error: ErrorEvent) -> None:
        if job is self._job:
            self._job = None
            self.failed.emit(error, target)
