"""What was found when bundles were tried on providers: kept, with whose figures they are.

    check(bundle, provider) ──Preflight──▶ Checked ──▶ preflights.json;   find(bundle, provider) ──▶ Checked │ None

A figure belongs to a bundle as it was built and to a provider: one of a bundle that was built anew is no figure of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from app.state.json_file import JsonFile
from workflows.wire.codec import dumps, read
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.preflight import ComponentPreflight, PreflightReport
from workflows.wire.requests import Preflight

LIMIT = 120
Summary = Mapping[str, Any]


@dataclass(frozen=True)
class SavedPreflight:
    """One finding. built_at: of the bundle; at: when it was tried; both ISO times."""

    bundle: str
    built_at: str
    at: str
    report: PreflightReport

    def component(self, name: str) -> ComponentPreflight | None:
        """What was found of one graph."""
        return next((one for one in self.report.components if one.name == name), None)


class Preflights(QObject):
    """The findings, the newest first, and the one that is under way."""

    changed = Signal()
    trouble = Signal(str)

    def __init__(self, folder: Path, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = JsonFile(folder / "preflights.json", _decode, _encode, list[SavedPreflight], self._tell)
        self._errand = OneShotWorker(new_worker, self)
        self.running: tuple[str, str] | None = None
        """Bundle and provider that are tried now."""
        self._failed: tuple[tuple[str, str], str] | None = None
        """The bundle and the provider that could not be tried last, and why."""
        try:
            self._rows = self._file.read()
        except OSError as error:
            self._rows = []
            self._tell(f"The findings of earlier checks cannot be read: {error.strerror}.")

    def find(self, bundle: Summary, provider: str) -> SavedPreflight | None:
        """What was found of the bundle that a summary is of, as it is built now."""
        whose = str(bundle["path"]), str(bundle.get("built_at", "")), provider
        return next((row for row in self._rows if (row.bundle, row.built_at, row.report.provider) == whose), None)

    def is_trying(self, bundle: Summary | None, provider: str) -> bool:
        """Whether it is this bundle that is tried on this provider."""
        return bundle is not None and self.running == (str(bundle["path"]), provider)

    def why_not(self, bundle: Summary | None, provider: str) -> str:
        """Why the bundle could not be tried on the provider, where that was the last thing that was tried; or ""."""
        failed = bundle is not None and self._failed is not None and self._failed[0] == (str(bundle["path"]), provider)
        return self._failed[1] if failed and self._failed is not None else ""

    def check(self, bundle: Summary, provider: str) -> bool:
        """Tries a bundle; False while another is tried."""
        if self._errand.running:
            return False
        path, built_at = str(bundle["path"]), str(bundle.get("built_at", ""))
        self.running = tried = path, provider
        self._failed = None
        job = self._errand.run(Preflight(path, provider))
        job.on_answer(lambda report: self._on_report(path, built_at, report))
        job.on_error(lambda error: self._on_error(tried, error))
        self.changed.emit()
        return True

    def cancel(self) -> None:
        """Ends what is tried."""
        self._errand.cancel()

    def _on_report(self, path: str, built_at: str, report: PreflightReport) -> None:
        self.running = None
        found = SavedPreflight(path, built_at, datetime.now(UTC).isoformat(timespec="seconds"), report)

        def put_first(rows: list[SavedPreflight]) -> list[SavedPreflight]:
            others = [row for row in rows if (row.bundle, row.report.provider) != (path, report.provider)]
            return [found, *others][:LIMIT]

        try:
            self._rows = self._file.update(put_first)
        except OSError as error:
            self._rows = put_first(self._rows)
            self._tell(f"The finding cannot be saved: {error.strerror}.")
        self.changed.emit()

    def _on_error(self, tried: tuple[str, str], error: ErrorEvent) -> None:
        self.running = None
        self._failed = None if error.kind == "cancelled" else (tried, error.message)
        self.changed.emit()

    def _tell(self, message: str) -> None:
        QTimer.singleShot(0, self, lambda: self.trouble.emit(message))  # who listens may not be there yet


def _decode(rows: Any) -> list[SavedPreflight]:
    return read(list[SavedPreflight], rows)


def _encode(rows: list[SavedPreflight]) -> Any:
    return json.loads(dumps(rows))
