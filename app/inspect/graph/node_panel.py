"""The details panel: the facts about the selection as text, with links to neighbours and to values of initializers."""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QFont, QGuiApplication, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.node_facts import FactLine, as_text, describe_selection
from app.inspect.graph.tensor_card import TensorCard
from app.jobs.job import Job
from app.state.graph_model import GraphModel
from app.widgets.actions import tool_button
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import BODY, SMALL, G, mono_font, sans_font, theme
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.graphs import TensorReport


class NodePanel(QWidget):
    """Follows the selection; `revealRequested` carries the node or scope of a clicked link."""

    revealRequested = Signal(object)  # noqa: N815

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.lines: list[FactLine] = []
        self._job: Job[TensorReport] | None = None
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setAccessibleName(self.tr("Details of the selection"))
        self.text.anchorClicked.connect(self._follow)
        self.tensor = TensorCard()
        self.copy_button = tool_button("copy", self.tr("Copy the details (Ctrl+Shift+C)"), "muted", self.copy)
        below = hbox(STRETCH, self.copy_button)
        vbox((self.text, 1), self.tensor, below, parent=self, spacing=G // 2)
        model.selectionChanged.connect(self._on_selection)
        theme().changed.connect(self._write)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(as_text(self.lines))

    def _on_selection(self, key: BoxKey | None) -> None:
        self._job = None
        self.tensor.hide()
        self.lines = describe_selection(self.model, key)
        self._write()

    # -- the text --------------------------------------------------------------------------------------------

    def _write(self) -> None:
        """Writes plain text with formats, so that names from a file are never parsed as HTML."""
        self.text.clear()
        cursor = self.text.textCursor()
        cursor.beginEditBlock()  # one layout, at the end
        for place, line in enumerate(self.lines):
            text = line.text.lstrip()
            block = QTextBlockFormat()
            block.setTopMargin(G if line.role == "heading" else 0)
            block.setBottomMargin(2)
            block.setLeftMargin(12 if text != line.text else 0)
            if place:
                cursor.insertBlock(block)
            else:
                cursor.setBlockFormat(block)
            cursor.insertText(text, self._format(line))
        cursor.endEditBlock()
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _format(self, line: FactLine) -> QTextCharFormat:
        result = QTextCharFormat()
        result.setFont(_font(line.role))
        color = {"muted": "muted", "removed": "removed", "added": "added", "changed": "changed"}.get(line.role, "text")
        if line.link:
            result.setAnchor(True)
            result.setAnchorHref(line.link)
            color = "accent"
        result.setForeground(theme().color(color))
        return result

    # -- links -----------------------------------------------------------------------------------------------

    def _follow(self, url: QUrl) -> None:
        kind, _, place = url.toString().partition(":")
        graph = self.model.graph
        if graph is None or not place.isdigit():
            return
        if kind == "node":
            self.revealRequested.emit(int(place))
        elif kind == "scope":
            self.revealRequested.emit(graph.nodes[int(place)].scope)
        elif kind == "value":
            self.request_values(int(place))

    def request_values(self, value: int) -> None:
        """Requests the values of an initializer."""
        graph = self.model.graph
        if graph is None:
            return
        initializer = graph.values[value]
        self.tensor.show_reading(initializer.name)
        job = self._job = self.model.request_tensor(initializer.name, before=initializer.change == "removed")
        job.on_answer(lambda report: self._on_tensor(job, report))
        job.on_error(lambda error: self._on_error(job, error))

    def _on_tensor(self, job: Job[TensorReport], report: TensorReport) -> None:
        if job is self._job:
            self._job = None
            self.tensor.show_tensor(report)

    def _on_error(self, job: Job[TensorReport], error: ErrorEvent) -> None:
        if job is self._job:
            self._job = None
            self.tensor.show_error(error.message)


def _font(role: str) -> QFont:
    if role == "mono":
        return mono_font(SMALL)
    font = sans_font(BODY + 2 if role == "title" else SMALL)
    if role in ("title", "heading"):
        font.setWeight(QFont.Weight.DemiBold)
    return font
