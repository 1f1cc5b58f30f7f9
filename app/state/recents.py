"""The bundles that were used last, newest first, each with what its own files say of it.

recents.json ──▶ entries ──read_summary──▶ summary, or the problem in one sentence
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSaveFile, Signal

from workflows.errors import BundleError

LIMIT = 30
Reader = Callable[[str], dict[str, Any]]


def read_summary(folder: str) -> dict[str, Any]:
    """The engine's bundle reader, imported when first needed: it brings pydantic along."""
    from workflows.bundle import read

    return read.read_summary(folder)


@dataclass(slots=True)
class Recent:
    """A bundle in the list. `summary` is empty where `problem` says why."""

    path: str
    used_at: str = ""
    speed: float = 0.0
    """Decoded tokens a second of the last reply; 0 before the first."""
    summary: dict[str, Any] = field(default_factory=dict)
    problem: str = ""

    @property
    def name(self) -> str:
        """What to call it."""
        return str(self.summary.get("name") or Path(self.path).name)


class Recents(QObject):
    """The list; every change is on disk at once."""

    changed = Signal()

    def __init__(self, folder: Path, read: Reader = read_summary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = folder / "recents.json"
        self._read = read
        self._removed: tuple[int, Recent] | None = None
        self.entries: list[Recent] = self._load()

    def _load(self) -> list[Recent]:
        """What the file holds; a damaged file counts as empty."""
        try:
            rows = json.loads(self._file.read_text("utf-8"))
            return [Recent(str(r["path"]), str(r["used_at"]), float(r["speed"])) for r in rows]
        except (OSError, ValueError, TypeError, KeyError):
            return []

    def _save(self) -> None:
        rows = [{"path": e.path, "used_at": e.used_at, "speed": e.speed} for e in self.entries]
        self._file.parent.mkdir(parents=True, exist_ok=True)
        target = QSaveFile(str(self._file))
        if target.open(QSaveFile.OpenModeFlag.WriteOnly):
            target.write(json.dumps(rows, indent=1).encode())
            target.commit()
        self.changed.emit()

    def refresh(self) -> None:
        """Read every bundle's files again."""
        for entry in self.entries:
            self._describe(entry)
        self.changed.emit()

    def _describe(self, entry: Recent) -> None:
        try:
            entry.summary, entry.problem = self._read(entry.path), ""
        except BundleError as error:
            entry.summary, entry.problem = {}, str(error)

    def find(self, path: str) -> Recent | None:
        """The entry of a folder."""
        return next((e for e in self.entries if e.path == path), None)

    def add(self, path: str) -> Recent:
        """Put a bundle first; it keeps its speed."""
        entry = self.find(path) or Recent(path)
        entry.used_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._describe(entry)
        self.entries = [entry, *(e for e in self.entries if e is not entry)][:LIMIT]
        self._save()
        return entry

    def note_speed(self, path: str, rate: float) -> None:
        """Keep the decode rate of a reply, in tokens a second."""
        entry = self.find(path)
        if entry is not None and rate > 0:
            entry.speed = rate
            self._save()

    def remove(self, path: str) -> None:
        """Take a bundle off the list; its files stay."""
        entry = self.find(path)
        if entry is not None:
            self._removed = (self.entries.index(entry), entry)
            self.entries.remove(entry)
            self._save()

    def undo_remove(self) -> bool:
        """Put the bundle back that was removed last; False where there is none."""
        if self._removed is None:
            return False
        index, entry = self._removed
        self._removed = None
        self.entries.insert(index, entry)
        self._save()
        return True
