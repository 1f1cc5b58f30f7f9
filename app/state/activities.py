"""The jobs that run in all workers, and the last failure of each kind of job.

WorkerClient.jobStarted ──▶ Activity ──progress──▶ …  ──▶ ended
                                          └──▶ failed: until it is acknowledged, or a job of its kind starts
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent, Event, ProgressEvent

_OF_A_CACHE = {"rewind", "save_cache", "load_cache"}
_OF_GRAPHS = {"inspect", "graph", "diff", "tensor", "netron", "verify", "try_graph"}
_OF_DEVICES = {"devices", "plugin", "part"}
_OF_TEXTS_AND_SOUNDS = {"embed", "label", "sound"}
_OF_A_BUILD = {"probe", "recipe", "warm", "plan_assembly"}
QUIET = {"close", "form", "draft"} | _OF_A_BUILD | _OF_DEVICES | _OF_A_CACHE | _OF_GRAPHS | _OF_TEXTS_AND_SOUNDS
"""Jobs that the pages show themselves. A quiet job that reports transferred bytes, as a download, is shown as well."""


@dataclass(eq=False)
class Activity:
    """A running job."""

    job: Job[object]
    began: float
    progress: ProgressEvent | None = None

    @property
    def kind(self) -> str:
        """The job's name in the worker protocol."""
        return self.job.request.job

    @property
    def share(self) -> float | None:
        """The share that is done, 0 to 1; None where it is unknown."""
        known = self.progress is not None and self.progress.total > 0
        return min(1.0, self.progress.done / self.progress.total) if known and self.progress else None

    @property
    def seconds(self) -> float:
        """Seconds since the request."""
        return time.monotonic() - self.began

    @property
    def shown(self) -> bool:
        """Whether the status line shows it."""
        return self.kind not in QUIET or (self.progress is not None and self.progress.unit in ("B", "bytes"))


class Activities(QObject):
    """`running` in the order they started; `failures` by kind of job."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open: list[Activity] = []
        self.failures: dict[str, str] = {}

    @property
    def running(self) -> list[Activity]:
        """The jobs that the status line shows."""
        return [one for one in self._open if one.shown]

    @property
    def idle(self) -> bool:
        """Whether no job runs, not even one that the pages show themselves."""
        return not self._open

    def track_worker(self, worker: WorkerClient) -> None:
        """Lists the jobs of a worker from now on."""
        worker.jobStarted.connect(self._on_begun)

    def acknowledge(self, kind: str) -> None:
        """Removes a failure that the user has seen."""
        if self.failures.pop(kind, None) is not None:
            self.changed.emit()

    def _on_begun(self, job: Job[object]) -> None:
        activity = Activity(job, time.monotonic())
        self._open.append(activity)
        self.failures.pop(activity.kind, None)
        job.event.connect(lambda event: self._on_event(activity, event))
        job.finished.connect(lambda event: self._on_end(activity, event))
        self.changed.emit()

    def _on_event(self, activity: Activity, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            activity.progress = event
            self.changed.emit()

    def _on_end(self, activity: Activity, event: Event) -> None:
        self._open.remove(activity)
        if activity.shown and isinstance(event, ErrorEvent) and event.kind != "cancelled":
            self.failures[activity.kind] = event.message
        self.changed.emit()
