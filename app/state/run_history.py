"""The run history as the window shows it: read, watched, removed and restored in a background thread.

runs.db ──thread──▶ lines ──changed──▶ table;   steps(ids) ──thread──▶ latencies, cached
write(request) ──worker──▶ a report in a file
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.background_tasks import BackgroundTasks
from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from app.state.measured_runs import RunConfiguration
from app.state.run_rows import RunRow, run_rows
from workflows.common.errors import BundleError
from workflows.measure.history import DATABASE_FILE, RunHistory, short_digest
from workflows.measure.run_measures import MEASURES, drafts_of, measure_value
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.runs import RunRecord, RunReport, RunStep, WrittenReport
from workflows.wire.requests import WriteReport

WATCH_MS = 1000
CACHED_RUNS = 64
"""Runs whose steps stay in memory."""
Stamp = tuple[tuple[int, int], ...]


class HistoryModel(QObject):
    """One per window. lines: the newest first. loaded: whether they have been read."""

    changed = Signal()
    errorOccurred = Signal(str)  # noqa: N815
    removed = Signal(int)  # the number of runs, which `undo` restores
    written = Signal(object)  # a WrittenReport
    writingChanged = Signal()  # noqa: N815

    def __init__(self, home: Path, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages: list[str] = []
        self._history = RunHistory(home / DATABASE_FILE, self._messages.append)
        self._tasks = BackgroundTasks(self)
        self._one_shot = OneShotWorker(new_worker, self)
        self._steps: dict[str, list[RunStep]] = {}
        self._gone: list[RunReport] = []
        self._stamp: Stamp | None = None
        self._reading = self._again = False
        self._watch = QTimer(self, interval=WATCH_MS)
        self._watch.timeout.connect(self.read_if_changed)
        self.lines: list[RunRow] = []
        self._limits: dict[RunConfiguration, float | None] = {}
        self.loaded = False

    def watch(self, on: bool) -> None:
        """Reads now and whenever the file changes; False stops that."""
        if on:
            self.read_if_changed()
            self._watch.start()
        else:
            self._watch.stop()

    def read_if_changed(self) -> None:
        """Reads again if the file has changed."""
        stamp = self._file_stamp()
        if stamp != self._stamp and not self._reading:
            self._stamp = stamp  # before reading, as a write meanwhile changes it again
            self.read()

    def read(self) -> None:
        """Reads again; at most one reading runs, and one waits."""
        self._again = self._reading
        if not self._reading:
            self._reading = True
            self._tasks.run(self._read, self._on_runs, self._on_read_failed)

    def _read(self) -> list[RunRow]:
        """The rows, in a thread. A run never changes, so that only those are made that were not there before."""
        if not self._history.path.exists():
            return []  # no run was recorded: reading must not create the file
        before = {line.run.id: line for line in self.lines}
        runs = self._history.runs(known={ident: line.run for ident, line in before.items()})
        made = {line.run.id: line for line in run_rows(run for run in runs if run.id not in before)}
        return [before.get(run.id) or made[run.id] for run in runs]

    def _on_runs(self, lines: list[RunRow]) -> None:
        self._reading = False
        self.lines, self.loaded = lines, True
        self._limits.clear()
        self.changed.emit()
        while self._messages:
            self.errorOccurred.emit(self._messages.pop())
        if self._again:
            self.read()

    def _on_read_failed(self, message: str) -> None:
        self._reading = self._again = False
        self.errorOccurred.emit(message)

    def _file_stamp(self) -> Stamp:
        """Times and sizes of the database and of SQLite's write-ahead log; an empty log counts as none."""
        stamp = list[tuple[int, int]]()
        for path in (self._history.path, self._history.path.with_name(f"{DATABASE_FILE}-wal")):
            try:
                stat = path.stat()
            except OSError:
                continue
            if stat.st_size:
                stamp.append((stat.st_mtime_ns, stat.st_size))
        return tuple(stamp)

    def decode_limit(self, owner: RunConfiguration) -> float | None:
        """Tokens per second at most by memory bandwidth, from the last benchmark of this bundle on the CPU.

        None for other providers: a benchmark measures the bandwidth that the processor gets, and they may have memory
        of their own.
        """
        if owner.provider != "cpu":
            return None
        if owner not in self._limits:  # asked for several times a second while a reply runs
            self._limits[owner] = self._find_limit(owner)
        return self._limits[owner]

    def _find_limit(self, owner: RunConfiguration) -> float | None:
        benchmark = "bench", str(Path(owner.path).resolve()), "cpu"
        for run in (line.run for line in self.lines):
            if (run.kind, run.bundle, run.provider) == benchmark and run.time >= owner.built_at and not drafts_of(run):
                speed, share = (measure_value(run, MEASURES[key]) for key in ("decode", "roofline"))
                if speed and share:
                    return speed / share
        return None

    def steps(self, runs: Sequence[RunRecord], done: Callable[[list[RunReport]], object]) -> None:
        """Calls `done` with the steps of runs, at once if they are cached."""
        if all(run.id in self._steps for run in runs):
            done([RunReport(run, self._steps[run.id]) for run in runs])
            return
        missing = [run.id for run in runs if run.id not in self._steps]

        def take(loaded: dict[str, list[RunStep]]) -> None:
            cached = {one: self._steps[one] for one in list(self._steps)[-CACHED_RUNS:]}
            self._steps = cached | {run.id: self._steps[run.id] for run in runs if run.id in self._steps} | loaded
            done([RunReport(run, self._steps[run.id]) for run in runs])

        self._tasks.run(lambda: {one: self._history.steps(one) for one in missing}, take, self.errorOccurred.emit)

    def recipe(self, run: RunRecord, done: Callable[[str | None], object]) -> None:
        """Calls `done` with the recipe in the run's bundle; None if the bundle was built again or is gone."""

        def read() -> str | None:
            from workflows.bundle.read import read_bundle  # imports pydantic: not while the window starts

            try:
                bundle = read_bundle(run.bundle)
                return bundle.text("recipe.json") if short_digest(bundle.digest) == run.digest else None
            except (BundleError, OSError):
                return None

        self._tasks.run(read, done, self.errorOccurred.emit)

    def remove(self, idents: Sequence[str]) -> None:
        """Removes runs; `undo` restores the last ones."""
        missing = list(idents)
        if missing:
            self._tasks.run(lambda: self._history.remove(missing), self._removed, self.errorOccurred.emit)

    def undo(self) -> None:
        """Restores the runs that were removed last."""
        gone, self._gone = self._gone, []

        def failed(message: str) -> None:
            self._gone = gone
            self.errorOccurred.emit(message)

        if gone:
            self._tasks.run(lambda: self._history.restore(gone), lambda _: self.read(), failed)

    def _removed(self, gone: list[RunReport]) -> None:
        self._gone = gone
        self.read()
        self.removed.emit(len(gone))

    @property
    def writing(self) -> bool:
        """Whether a report is being written."""
        return self._one_shot.running

    def write(self, request: WriteReport) -> None:
        """Has a worker write a report; does nothing while another is being written."""
        if self.writing:
            return
        job = self._one_shot.run(request)
        job.on_answer(self._written)
        job.on_error(self._not_written)
        self.writingChanged.emit()

    def _written(self, report: WrittenReport) -> None:
        self.writingChanged.emit()
        self.written.emit(report)

    def _not_written(self, error: ErrorEvent) -> None:
        self.writingChanged.emit()
        if error.kind != "cancelled":
            self.errorOccurred.emit(error.message)

    def close(self) -> None:
        """Stops reading."""
        self._watch.stop()
        self._tasks.close()
