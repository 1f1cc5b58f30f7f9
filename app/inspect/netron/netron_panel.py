"""Netron in the place of the picture: one model, or before and after side by side, or why there is none.

show(scope) ──worker's "netron"──▶ a small file for each side ──▶ NetronView
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSplitter, QVBoxLayout, QWidget

from app.jobs.job import Job
from app.state.graph_model import GraphModel
from app.widgets import button, label
from app.widgets.theme import G
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.graphs import ExcerptReport

if TYPE_CHECKING:
    from app.inspect.netron.netron_view import NetronView


SYSTEM_PACKAGES = "libnss3 libasound2 libxcomposite1 libxdamage1 libxrandr2 libxtst6 libxkbfile1 libgssapi-krb5-2"
"""What Qt WebEngine loads beside what the window needs; the installer knows the same."""


def start_engine() -> tuple[Any, str]:
    """The engine, or None and the sentence why there is none. The library is loaded here and not before."""
    try:
        from app.inspect.netron.browser_engine import browser_engine

        return browser_engine(), ""
    except ImportError as error:
        text = QCoreApplication.translate(
            "NetronPanel",
            "Netron's view needs Qt WebEngine, which cannot be loaded ({0}): install what Debian calls {1}.",
        )
        return None, text.format(str(error).partition(":")[0], SYSTEM_PACKAGES)
    except RuntimeError as error:
        return None, str(error)


class NetronPanel(QWidget):
    """Asks for the models and shows them; `refused` carries one sentence, and then nothing is shown."""

    refused = Signal(str)
    shown = Signal()
    left = Signal()

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.views: list[NetronView] = []
        self._jobs: list[Job[ExcerptReport]] = []
        self._files: dict[int, tuple[Path, str]] = {}
        if (app := QCoreApplication.instance()) is not None:
            app.aboutToQuit.connect(self.clear)  # before the engine's own, which was not made yet: pages go first
        self.title = label("", "heading")
        back = button(self.tr("Back to the graph"), "chevron-left", clicked=self.left.emit)
        self.progress = QProgressBar()
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Netron is being started"))
        self.sides = QSplitter(Qt.Orientation.Horizontal)
        self.sides.setChildrenCollapsible(False)
        head = QHBoxLayout()
        head.setSpacing(G)
        head.addWidget(back)
        head.addWidget(self.title)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(G)
        column.addLayout(head)
        column.addWidget(self.progress)
        column.addWidget(self.sides, 1)

    def ask(self, scope: str) -> None:
        """Fetches the models of a scope, or of the whole graph where `scope` is empty."""
        self.clear()
        self.title.setText(scope or self.model.title)
        self.progress.show()
        sides = [where for where in (self.model.against, self.model.where) if where is not None]
        self._jobs = [self.model.request_excerpt(where, scope) for where in sides]
        for place, job in enumerate(self._jobs):
            job.on_answer(partial(self._on_file, job, place))
            job.on_error(partial(self._on_error, job))

    def _on_file(self, job: Job[ExcerptReport], place: int, found: ExcerptReport) -> None:
        if job in self._jobs:
            self._files[place] = (Path(found.file), self.title.text())
            if len(self._files) == len(self._jobs):
                self._show()

    def _on_error(self, job: Job[ExcerptReport], error: ErrorEvent) -> None:
        if job in self._jobs:
            self._refuse(error.message)

    def _refuse(self, sentence: str) -> None:
        self.clear()
        self.refused.emit(sentence)

    def _show(self) -> None:
        found, reason = start_engine()
        if found is None:
            self._refuse(reason)
            return
        from app.inspect.netron.netron_view import NetronView

        for place in sorted(self._files):
            view = NetronView(found)
            self.views.append(view)
            self.sides.addWidget(view)
            view.loadFinished.connect(lambda _ok: self.progress.hide())
            view.open(*self._files[place])
        if len(self.views) == 2:
            for view, name in zip(self.views, (self.tr("Netron, before"), self.tr("Netron, after")), strict=True):
                view.setAccessibleName(name)
        self.shown.emit()

    def clear(self) -> None:
        """Lets the views go, and whatever was asked for."""
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            job.cancel()
        self._files.clear()
        for view in self.views:
            view.leave()
        self.views.clear()
        self.progress.hide()
