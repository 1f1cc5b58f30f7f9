"""Builds that were started and not finished, also by a window that was closed or killed.

    BuildModel: started ──▶ builds.json ──▶ done, or refused: removed
                                       └──▶ a later start of the window: resume(…) or discard(…)

The progress of a build is read from the engine's folder of finished stages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QThreadPool

from app.state.build import BuildModel
from app.state.json_file import JsonFile, SavedList
from workflows.common.errors import RecipeError
from workflows.common.files import try_remove
from workflows.common.locks import Lock, LockHeldError, LocksUnsupportedError
from workflows.wire.codec import read
from workflows.wire.events import STAGES
from workflows.wire.goals import Goal
from workflows.wire.requests import Build

_STAGE = re.compile(rf"({'|'.join(STAGES)})-[0-9a-f]{{16}}")
_WORTH_RETRYING = ("cancelled", "crashed", "system", "diskfull")
"""Errors that have nothing to do with the request, so that the build is worth another try."""


@dataclass(frozen=True)
class UnfinishedBuild:
    """The request of a build. began: UTC, ISO. expected: the estimate in seconds."""

    source: str
    out: str
    options: dict[str, object] = field(default_factory=dict)
    consented: tuple[str, ...] = ()
    began: str = ""
    expected: float = 0.0
    goal: Goal | None = None

    @property
    def name(self) -> str:
        """The name of the bundle's folder."""
        return Path(self.out).name

    @property
    def work(self) -> Path:
        """The folder of its finished stages."""
        return Path(self.out).with_name(f".{self.name}.build")

    @property
    def stages(self) -> list[str]:
        """The finished stages, which will be reused."""
        try:
            matches = [_STAGE.fullmatch(entry.name) for entry in self.work.iterdir()]
        except OSError:
            return []
        return sorted(match[1] for match in matches if match)

    @property
    def in_use(self) -> bool:
        """Whether a process works on it, in this window or elsewhere."""
        lock = Lock(Path(self.out).with_name(f".{self.name}.lock"))
        if not lock.path.exists():
            return False
        try:
            lock.acquire()
        except LockHeldError:
            return True
        except (LocksUnsupportedError, OSError):
            return False
        lock.release()
        return False

    @property
    def request(self) -> Build:
        """The request for the same build."""
        return Build(self.source, self.out, dict(self.options), self.consented, goal=self.goal)


class UnfinishedBuilds(SavedList):
    """The list; every change is saved at once."""

    def __init__(self, folder: Path, build: BuildModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        path, title = folder / "builds.json", "The list of unfinished builds"
        self._file = JsonFile(path, _decode, _encode, list[UnfinishedBuild], self._report_error, title)
        self._build = build
        self._rows = self._file.load()
        build.started.connect(self._on_started)
        build.finished.connect(self._on_finished)

    @property
    def entries(self) -> list[UnfinishedBuild]:
        """The builds that no process works on, the newest first."""
        now = self._build.request.out if self._build.running and self._build.request else ""
        return [row for row in self._rows if row.out != now and not Path(row.out).exists() and not row.in_use]

    def resume(self, entry: UnfinishedBuild) -> bool:
        """Resumes a build; returns False while another runs."""
        return self._build.start(entry.request, entry.expected)

    def discard(self, out: str) -> None:
        """Removes a build and deletes its stages."""
        gone = next((row for row in self._rows if row.out == out), None)
        self._remove(out)
        if gone is not None:
            QThreadPool.globalInstance().start(lambda: try_remove(gone.work))  # takes a while for a large model

    def _on_started(self) -> None:
        request = self._build.request
        if request is None:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row = UnfinishedBuild(
            request.source, request.out, request.options, request.consented, now, self._build.expected, request.goal
        )
        self._change(lambda rows: [row, *(other for other in rows if other.out != row.out)])

    def _on_finished(self) -> None:
        build = self._build
        if build.request is None:
            return
        row = next((row for row in self._rows if row.out == build.request.out), None)
        refused = build.error is not None and build.error.kind not in _WORTH_RETRYING
        if build.state == "done" or (refused and row is not None and not row.stages):
            self._remove(build.request.out)
        else:
            self.changed.emit()

    def _remove(self, out: str) -> None:
        self._change(lambda rows: [row for row in rows if row.out != out])

    def _change(self, change: Callable[[list[UnfinishedBuild]], list[UnfinishedBuild]]) -> None:
        self._rows = self._file.change(change, self._rows)
        self.changed.emit()


def _decode(rows: object) -> list[UnfinishedBuild]:
    try:
        return read(list[UnfinishedBuild], rows)
    except RecipeError as error:  # an invalid goal
        raise ValueError(str(error)) from None


def _encode(rows: list[UnfinishedBuild]) -> list[dict[str, Any]]:
    return [asdict(row) for row in rows]
