"""The build part of Joinery: offers it where a job misses it, and installs it into Joinery's own folder.

a worker's PackageError of the part ──▶ a note with a button ──describe──▶ described(PartReport), to be confirmed
                                                       install ──a worker of its own──▶ installed │ failed
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import DescribePart, InstallPart

PART = "build"


class BuildPart(QObject):
    """One installation at a time; the status line shows its progress and cancels it."""

    missed = Signal(object)
    """The ErrorEvent of a job on this machine that ended because the part is not installed."""
    described = Signal(object)
    """A PartReport: what installing would do, or that it is installed."""
    installed = Signal()
    failed = Signal(object)
    """An ErrorEvent; also that of a cancelled installation."""

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asking, self._installing = OneShotWorker(new_worker, self), OneShotWorker(new_worker, self)

    @property
    def running(self) -> bool:
        """Whether the part is being installed."""
        return self._installing.running

    def watch(self, worker: WorkerClient) -> None:
        """Emits `missed` for jobs of a worker from now on."""
        worker.jobStarted.connect(lambda job: self._watch_job(worker, job))

    def _watch_job(self, worker: WorkerClient, job: Job[object]) -> None:
        job.on_error(lambda error: self._on_job_error(worker, error))

    def _on_job_error(self, worker: WorkerClient, error: ErrorEvent) -> None:
        if error.kind == "package" and error.reason == PART and not worker.remote:
            self.missed.emit(error)

    def describe(self) -> None:
        """Finds out what installing would do; `described` has the answer."""
        if not self._asking.running and not self.running:
            job = self._asking.run(DescribePart())
            job.on_answer(self.described.emit)
            job.on_error(self.failed.emit)

    def install(self) -> None:
        """Installs the part, unless that is under way."""
        if not self.running:
            job = self._installing.run(InstallPart())
            job.on_answer(lambda _: self.installed.emit())
            job.on_error(self.failed.emit)
