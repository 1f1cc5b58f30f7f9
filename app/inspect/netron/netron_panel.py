"""The panel with Netron: one model, or before and after side by side.

request(scope) ──worker's "netron"──▶ a small file for each side ──▶ NetronView
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.jobs.job import Job
from app.state.graph_model import GraphModel
from app.text.translatable import tr
from app.widgets import Banner, button, label
from app.widgets.fields import progress_bar
from app.widgets.layouts import STRETCH, hbox, splitter, stack, vbox
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.graphs import ExcerptReport

if TYPE_CHECKING:
    from app.inspect.netron.netron_view import NetronView


SYSTEM_PACKAGES = "libnss3 libasound2 libxcomposite1 libxdamage1 libxrandr2 libxtst6 libxkbfile1 libgssapi-krb5-2"
"""The system libraries that Qt WebEngine needs beyond those of the window; the installer has the same list."""


def start_engine() -> tuple[Any, str]:
    """The browser engine, or None and the reason; imports Qt WebEngine on the first call."""
    try:
        from app.inspect.netron.browser_engine import browser_engine

        return browser_engine(), ""
    except ImportError as error:
        text = tr("Netron's view needs Qt WebEngine, which cannot be loaded ({0}): install what Debian calls {1}.")
        return None, text.format(str(error).partition(":")[0], SYSTEM_PACKAGES)
    except RuntimeError as error:
        return None, str(error)


class NetronPanel(QWidget):
    """Requests the models and shows them; `failed` carries the reason where nothing can be shown."""

    failed = Signal(str)
    shown = Signal()
    closed = Signal()

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.views: list[NetronView] = []
        self._jobs: list[Job[ExcerptReport]] = []
        self._files: dict[int, tuple[Path, str]] = {}
        if (app := QCoreApplication.instance()) is not None:
            app.aboutToQuit.connect(self.clear)  # before the engine closes: pages must be deleted before their profile
        self.title = label("", "heading")
        back = button(self.tr("Back to the graph"), "chevron-left", clicked=self.closed.emit)
        self.progress = progress_bar(self.tr("Netron is being started"))
        self.sides = splitter(Qt.Orientation.Horizontal)
        head = hbox(back, self.title, STRETCH)
        vbox(head, self.progress, (self.sides, 1), parent=self)

    def request(self, scope: str) -> None:
        """Requests the models of a scope, or of the whole graph where `scope` is empty."""
        self.clear()
        self.title.setText(scope or self.model.title)
        self.progress.show()
        sides = [where for where in (self.model.against, self.model.where) if where is not None]
        self._jobs = [self.model.request_excerpt(where, scope) for where in sides]
        for place, job in enumerate(self._jobs):
            job.on_answer(partial(self._on_file, job, place))
            job.on_error(partial(self._on_error, job))

    def _on_file(self, job: Job[ExcerptReport], place: int, report: ExcerptReport) -> None:
        if job in self._jobs:
            self._files[place] = (Path(report.file), self.title.text())
            if len(self._files) == len(self._jobs):
                self._show()

    def _on_error(self, job: Job[ExcerptReport], error: ErrorEvent) -> None:
        if job in self._jobs:
            self._fail(error.message)

    def _fail(self, sentence: str) -> None:
        self.clear()
        self.failed.emit(sentence)

    def _show(self) -> None:
        engine, reason = start_engine()
        if engine is None:
            self._fail(reason)
            return
        from app.inspect.netron.netron_view import NetronView

        for place in sorted(self._files):
            view = NetronView(engine)
            self.views.append(view)
            self.sides.addWidget(view)
            view.loadFinished.connect(lambda _ok: self.progress.hide())
            view.open(*self._files[place])
        if len(self.views) == 2:
            for view, name in zip(self.views, (self.tr("Netron, before"), self.tr("Netron, after")), strict=True):
                view.setAccessibleName(name)
        self.shown.emit()

    def clear(self) -> None:
        """Closes the views, and cancels the requests."""
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            job.cancel()
        self._files.clear()
        for view in self.views:
            view.close_model()
        self.views.clear()
        self.progress.hide()


class NetronSwitch(QObject):
    """Switches `stack` between the graph and Netron; `changed` follows each switch."""

    changed = Signal()

    def __init__(
        self, model: GraphModel, graph: QWidget, tool: QToolButton, banner: Banner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._graph, self._tool, self._banner = model, graph, tool, banner
        self.panel = NetronPanel(model)
        self.stack = stack(graph, self.panel)
        tool.clicked.connect(self.set_shown)
        self.panel.shown.connect(lambda: self._show(self.panel))
        self.panel.failed.connect(self._on_failed)
        self.panel.closed.connect(self.close)

    @property
    def is_shown(self) -> bool:
        return self.stack.currentWidget() is self.panel

    def set_shown(self, on: bool) -> None:
        """Shows the selected scope in Netron, or the graph."""
        if on:
            key, outline = self._model.selected, self._model.outline
            path = key if isinstance(key, str) else ""
            if isinstance(key, int) and outline is not None:
                path = outline.of[key].path
            self.show(path)
        else:
            self.close()

    def show(self, scope: str) -> None:
        """Shows a scope in Netron, or the whole graph where `scope` is empty; the graph stays until Netron is ready."""
        self._banner.clear()
        self._tool.setChecked(True)
        self.panel.request(scope)

    def close(self) -> None:
        self.panel.clear()
        self._tool.setChecked(False)
        self._show(self._graph)

    def _show(self, widget: QWidget) -> None:
        self.stack.setCurrentWidget(widget)
        self.changed.emit()

    def _on_failed(self, sentence: str) -> None:
        self.close()
        self._banner.show_message("info", sentence)
