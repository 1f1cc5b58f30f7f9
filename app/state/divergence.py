"""The search for the first value where two runs diverge, in workers of its own.

start(Diverge) ──▶ progress … ──▶ DivergenceReport | error
on two machines: RecordValues on A's ──a file──▶ Diverge on B's
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QObject

from app.jobs.one_shot_worker import ReportModel
from app.jobs.worker_client import WorkerClient
from app.state.machines import LOCAL
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.base import Done
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.requests import Diverge, RecordValues


class DivergenceModel(ReportModel):
    """The search that runs, or the last one. new_worker: makes a worker on the machine of a name."""

    request: Diverge | None
    report: DivergenceReport | None

    def __init__(self, new_worker: Callable[[str], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(lambda: new_worker(self._machine), parent)
        self._machine = self._machine_of_b = LOCAL
        self._folder: TemporaryDirectory[str] | None = None

    def compare(self, request: Diverge, machines: tuple[str, str]) -> bool:
        """Starts a search with A and B on these machines; returns False while another runs."""
        if self.running:
            return False
        self._machine, self._machine_of_b = machines
        if self._machine == self._machine_of_b:
            return self.start(request)
        self._folder = TemporaryDirectory()
        self.request, self.report, self.progress = request, None, None
        self._run(RecordValues(request, str(Path(self._folder.name, "recording"))))
        return True

    def _on_answer(self, report: DivergenceReport | Done) -> None:
        if isinstance(report, Done):
            assert self.request is not None and self._folder is not None
            self._machine, self.progress = self._machine_of_b, None
            self._run(replace(self.request, recorded=str(Path(self._folder.name, "recording"))))
            return
        self._remove_folder()
        super()._on_answer(report)

    def _on_error(self, error: ErrorEvent) -> None:
        self._remove_folder()
        super()._on_error(error)

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
