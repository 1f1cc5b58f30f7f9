"""The sweep that the window shows: started in a worker of its own, and read from its folder's files alone.

start(RunSweep) ──worker──▶ the sweep;   open(folder) ──thread, once a second──▶ SweepSnapshot ──changed──▶ the tab
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.jobs.background_tasks import BackgroundTasks
from app.jobs.one_shot_worker import OneShotModel, OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.measure.sweep_folder import PLAN_FILE, SweepReader, SweepSnapshot
from workflows.wire.events import ErrorEvent, Event
from workflows.wire.reports.sweep import SweepReport
from workflows.wire.requests import RunSweep

WATCH_MS = 1000


class SweepModel(OneShotModel):
    """snapshot: the present state of the open folder; None while there is none. problem: why it cannot be read."""

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(OneShotWorker(new_worker, hard_stop=False), parent)  # steps have this worker's priority
        self._tasks = BackgroundTasks(self)
        self._reader: SweepReader | None = None
        self._reading = False
        self._watch = QTimer(self, interval=WATCH_MS)
        self._watch.timeout.connect(self.read)
        self.snapshot: SweepSnapshot | None = None
        self.problem = ""

    @property
    def folder(self) -> Path | None:
        """The open folder."""
        return self._reader.folder.path if self._reader else None

    def start(self, request: RunSweep) -> bool:
        """Runs a plan, and opens its folder; returns False while another one runs."""
        if self.running:
            return False
        self.open(Path(request.out))
        self._run(request)
        return True

    def open(self, folder: Path) -> None:
        """Shows another folder."""
        self._reader, self.snapshot, self.problem = SweepReader(folder), None, ""
        self.changed.emit()
        self.read()

    def watch(self, on: bool) -> None:
        """Reads now and every second; False stops that."""
        if on:
            self.read()
            self._watch.start()
        else:
            self._watch.stop()

    def read(self) -> None:
        """Reads the files that changed, in a thread; at most one reading runs."""
        reader = self._reader
        if reader is None or self._reading:
            return
        if self.running and not (reader.folder.path / PLAN_FILE).exists():
            return  # the worker is about to write it
        self._reading = True
        self._tasks.run(
            reader.read, lambda seen: self._take(reader, seen, ""), lambda why: self._take(reader, None, why)
        )

    def _take(self, reader: SweepReader, snapshot: SweepSnapshot | None, problem: str) -> None:
        self._reading = False
        if reader is not self._reader:  # another folder was opened meanwhile
            self.read()
            return
        is_same = (snapshot, problem) == (self.snapshot, self.problem)
        self.snapshot, self.problem = snapshot, problem
        if not is_same:
            self.changed.emit()

    def _on_event(self, event: Event) -> None:
        """Ignores events: the folder's files have the same, and more."""

    def _on_answer(self, report: SweepReport) -> None:
        self.state = "done"
        self.changed.emit()
        self.read()

    def _on_error(self, error: ErrorEvent) -> None:
        super()._on_error(error)
        self.read()

    def close(self) -> None:
        """Stops reading."""
        self._watch.stop()
        self._tasks.close()
