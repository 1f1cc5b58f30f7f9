"""The recently used bundles, newest first, each with the summary in its files.

recents.json ──▶ entries ──read_summary──▶ summary, or the problem in one sentence

Other windows change the file too, so each change is made to the content on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.state.json_file import JsonFile, SavedList
from app.text.engine_text import translate_engine_text
from app.text.formatting import cache_label
from workflows.common.errors import BundleError

LIMIT = 30
Reader = Callable[[str], dict[str, Any]]


def read_summary(folder: str) -> dict[str, Any]:
    """The engine's bundle reader, imported when first needed: it brings pydantic along."""
    from workflows.bundle import read

    return read.read_summary(folder)


def bundle_title(summary: Mapping[str, Any]) -> str:
    """A bundle's name with what tells it from others of its model: `qwen3-demo · int4 · window 512`."""
    parts = (summary["name"], summary["precision"], cache_label(summary["layout"], summary["capacity"]))
    return " · ".join(str(part) for part in parts if part)


@dataclass(slots=True)
class RecentBundle:
    """A bundle in the list. `summary` is empty where `problem` says why."""

    path: str
    used_at: str = ""
    speed: float = 0.0
    """Decoded tokens per second of the last reply; 0 before the first."""
    provider: str = ""
    """The provider of that speed; empty in lists saved before this field."""
    summary: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    source: str = ""
    """What it was built of in this window; empty otherwise, and in lists saved before this field."""

    @property
    def checkpoint(self) -> str:
        """The folder, demo or hub id that it was built of; empty where that is not known."""
        return self.source or str(self.summary.get("source", ""))

    @property
    def name(self) -> str:
        """The bundle's name."""
        return str(self.summary.get("name") or Path(self.path).name)

    @property
    def missing(self) -> bool:
        """Whether its folder does not exist."""
        return not Path(self.path).exists()

    @property
    def title(self) -> str:
        """The title that tells it from other bundles of the same model: name · precision · cache."""
        return bundle_title(self.summary) if self.summary else self.name


class RecentBundles(SavedList):
    """The list; every change is saved at once."""

    def __init__(self, folder: Path, read: Reader = read_summary, parent: QObject | None = None) -> None:
        super().__init__(parent)
        path, title = folder / "recents.json", "The list of recent bundles"
        self._file = JsonFile(path, _decode, _encode, list[RecentBundle], self._report_error, title)
        self._read = read
        self._removed: tuple[int, RecentBundle] | None = None
        self.entries = self._file.load()

    def _change(self, change: Callable[[list[RecentBundle]], list[RecentBundle]]) -> None:
        """Changes the list on the disk, and shows the result."""
        rows = self._file.change(change, list(self.entries))
        known = {entry.path: entry for entry in self.entries}
        for row in rows:
            if row.path in known:
                row.summary, row.problem = known[row.path].summary, known[row.path].problem
            else:
                self._describe(row)
        self.entries = rows
        self.changed.emit()

    def refresh(self) -> None:
        """Reads every bundle's files again."""
        for entry in self.entries:
            self._describe(entry)
        self.changed.emit()

    def refresh_moved(self) -> None:
        """Reads the bundles again whose folder went or came back, and those with a problem."""
        moved = [entry for entry in self.entries if entry.problem or entry.missing]
        before = [(entry.summary, entry.problem) for entry in moved]
        for entry in moved:
            self._describe(entry)
        if before != [(entry.summary, entry.problem) for entry in moved]:
            self.changed.emit()

    def _describe(self, entry: RecentBundle) -> None:
        try:
            entry.summary, entry.problem = self._read(entry.path), ""
        except BundleError as error:
            entry.summary, entry.problem = {}, translate_engine_text(str(error))

    def find(self, path: str) -> RecentBundle | None:
        """The entry of a folder."""
        return _find(self.entries, path)

    def add(self, path: str, source: str = "") -> RecentBundle:
        """Puts a bundle first; it keeps its speed. source: what it was built of just now."""
        now = datetime.now(UTC).isoformat(timespec="seconds")

        def put_first(rows: list[RecentBundle]) -> list[RecentBundle]:
            entry = replace(_find(rows, path) or RecentBundle(path), used_at=now)
            entry.source = source or entry.source
            return [entry, *(row for row in rows if row.path != path)][:LIMIT]

        self._change(put_first)
        self._describe(self.entries[0])
        return self.entries[0]

    def note_speed(self, path: str, rate: float, provider: str) -> None:
        """Saves the decode rate of a reply, in tokens per second, with its provider."""
        if self.find(path) is not None and rate > 0:
            self._change(
                lambda rows: [replace(row, speed=rate, provider=provider) if row.path == path else row for row in rows]
            )

    def remove(self, path: str) -> None:
        """Removes a bundle from the list; its files stay."""
        entry = self.find(path)
        if entry is not None:
            self._removed = (self.entries.index(entry), entry)
            self._change(lambda rows: [row for row in rows if row.path != path])

    def relocate(self, path: str, other: str) -> None:
        """The bundle of an entry is that of another entry: it was moved, and keeps its speed."""
        old = self.find(path)
        if old is None or path == other:
            return

        def merge(rows: list[RecentBundle]) -> list[RecentBundle]:
            return [
                replace(row, speed=old.speed, provider=old.provider) if row.path == other else row
                for row in rows
                if row.path != path
            ]

        self._change(merge)

    def label_of(self, entry: RecentBundle) -> str:
        """The entry's title, or its path where another one has the same title."""
        return entry.title if sum(one.title == entry.title for one in self.entries) == 1 else entry.path

    def undo_remove(self) -> bool:
        """Puts the last removed bundle back; returns False if there is none."""
        if self._removed is None:
            return False
        index, entry = self._removed
        self._removed = None
        self._change(lambda rows: rows if _find(rows, entry.path) else [*rows[:index], entry, *rows[index:]])
        return True


def _find(rows: list[RecentBundle], path: str) -> RecentBundle | None:
    return next((row for row in rows if row.path == path), None)


def _decode(rows: Any) -> list[RecentBundle]:
    if not isinstance(rows, list):
        raise ValueError("it is not a JSON list")
    return [
        RecentBundle(
            str(row["path"]),
            str(row["used_at"]),
            float(row["speed"]),
            str(row.get("provider", "")),
            source=str(row.get("source", "")),
        )
        for row in rows
    ]


def _encode(rows: list[RecentBundle]) -> list[dict[str, Any]]:
    saved = ("path", "used_at", "speed", "provider", "source")
    return [{name: getattr(row, name) for name in saved} for row in rows]
