"""Results of trying bundles on providers, saved with the build they belong to.

    check(bundle, provider) ──Preflight──▶ SavedPreflight ──▶ preflights.json;   find(bundle, provider) ──▶ it │ None

A result belongs to one build of a bundle and to a provider: a bundle that was built again has none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from app.state.json_file import JsonFile, SavedList
from workflows.wire.codec import dumps, read
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.preflight import ComponentPreflight, PreflightReport
from workflows.wire.requests import Preflight

LIMIT = 120
Summary = Mapping[str, Any]


@dataclass(frozen=True)
class SavedPreflight:
    """One result. built_at: of the bundle; at: when it was tried; both ISO times. machine: "" for this one."""

    bundle: str
    built_at: str
    at: str
    report: PreflightReport
    machine: str = ""

    def component(self, name: str) -> ComponentPreflight | None:
        """The result for one graph."""
        return next((one for one in self.report.components if one.name == name), None)


class Preflights(SavedList):
    """The results, the newest first, and the check that runs."""

    def __init__(self, folder: Path, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        path, title = folder / "preflights.json", "The list of checked bundles"
        self._file = JsonFile(path, _decode, _encode, list[SavedPreflight], self._report_error, title)
        self._one_shot = OneShotWorker(new_worker, self)
        self.running: tuple[str, str] | None = None
        """The bundle and provider that are tried now."""
        self._failed: tuple[tuple[str, str], str] | None = None
        """The bundle and provider that could not be tried last, and why."""
        self.machine = ""
        """The machine whose results are shown; "" for this one."""
        self._rows = self._file.load()

    def find(self, bundle: Summary, provider: str) -> SavedPreflight | None:
        """The result for the bundle with this summary, as it is built now."""
        key = str(bundle["path"]), str(bundle.get("built_at", "")), provider, self.machine
        return next(
            (row for row in self._rows if (row.bundle, row.built_at, row.report.provider, row.machine) == key), None
        )

    def is_checking(self, bundle: Summary | None, provider: str) -> bool:
        """Whether this bundle is tried on this provider now."""
        return bundle is not None and self.running == (str(bundle["path"]), provider)

    def failure_of(self, bundle: Summary | None, provider: str) -> str:
        """Why the last check failed, if it was of this bundle and provider; else empty."""
        failed = bundle is not None and self._failed is not None and self._failed[0] == (str(bundle["path"]), provider)
        return self._failed[1] if failed and self._failed is not None else ""

    def check(self, bundle: Summary, provider: str) -> bool:
        """Tries a bundle; returns False while another is tried."""
        if self._one_shot.running:
            return False
        path, built_at = str(bundle["path"]), str(bundle.get("built_at", ""))
        self.running, machine = (path, provider), self.machine
        tried = self.running
        self._failed = None
        job = self._one_shot.run(Preflight(path, provider))
        job.on_answer(lambda report: self._on_report(path, built_at, report, machine))
        job.on_error(lambda error: self._on_error(tried, error))
        self.changed.emit()
        return True

    def show_machine(self, name: str) -> None:
        """Shows the results of another machine; "" for this one."""
        self.machine = name
        self.changed.emit()

    def cancel(self) -> None:
        """Cancels the check."""
        self._one_shot.cancel()

    def _on_report(self, path: str, built_at: str, report: PreflightReport, machine: str) -> None:
        self.running = None
        result = SavedPreflight(path, built_at, datetime.now(UTC).isoformat(timespec="seconds"), report, machine)

        def put_first(rows: list[SavedPreflight]) -> list[SavedPreflight]:
            own = (path, report.provider, machine)
            others = [row for row in rows if (row.bundle, row.report.provider, row.machine) != own]
            return [result, *others][:LIMIT]

        self._rows = self._file.change(put_first, self._rows)
        self.changed.emit()

    def _on_error(self, tried: tuple[str, str], error: ErrorEvent) -> None:
        self.running = None
        self._failed = None if error.kind == "cancelled" else (tried, error.message)
        self.changed.emit()


def _decode(rows: Any) -> list[SavedPreflight]:
    return read(list[SavedPreflight], rows)


def _encode(rows: list[SavedPreflight]) -> Any:
    return json.loads(dumps(rows))
