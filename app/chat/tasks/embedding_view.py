"""The page of a bundle that makes vectors: lines to paste, a table of similarities, and a search that ranks the lines.

lines, search ──compare──▶ Embeddings ──changed──▶ table, ranking, figures, problem
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QWidget

from app.chat.tasks.example_texts import sentences
from app.chat.tasks.similarity_table import SimilarityTable
from app.chat.tasks.texts_panel import TextsPanel
from app.state.embeddings import POOLINGS, TABLE_LINES, Embeddings
from app.text.formatting import format_number
from app.widgets import button, label
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.fields import combo_box, line_edit
from app.widgets.layouts import hbox, splitter, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel

RANKING_HEIGHT = 26 * G


class EmbeddingView(QWidget):
    """Shows what `model` has; figures are of its bundle, and of the lines that were compared."""

    def __init__(self, model: Embeddings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.heading = label("", "heading")
        self.summary = label("", "muted", wrap=True)
        self.pooling = ignore_wheel(combo_box(self.tr("Pooling")))
        self.pooling.addItem(self.tr("Pooling of the bundle"), "")
        for mode in POOLINGS:
            self.pooling.addItem(mode, mode)
        set_tool_tip(self.pooling, self.tr("How a vector is made of the tokens', for a bundle that does not state it"))
        tip = self.tr("Compares each two lines (Ctrl+Enter)")
        self.texts = TextsPanel(model, self.tr("Compare"), tip, self.tr("Vectors are computed"), [self.pooling])
        self.search = line_edit(self.tr("Search the lines"), self.tr("Search the lines by their meaning"), clear=True)
        self.rank = button(self.tr("Search"), "search", "", self._compare)
        self.ranking = ReadOnlyTable(
            TextTableModel(["", self.tr("Similarity"), self.tr("Line")], numbers=(0, 1)),
            self.tr("Lines by similarity"),
            stretch=2,
        )
        self.ranking.setMaximumHeight(RANKING_HEIGHT)
        self.table = SimilarityTable(self.tr("Similarities of each two lines"))
        self.cell = label("", "muted", wrap=True)
        self.copy = button(self.tr("Copy as TSV"), "copy", "", self.table.copy_all, self.tr("Copies the whole table"))
        self.note = label("", "warning", wrap=True)
        self._arrange()
        self._connect()
        self._show_report()

    def _arrange(self) -> None:
        right = QWidget()
        found = hbox((self.search, 1), self.rank)
        foot = hbox((self.cell, 1), self.copy)
        vbox(found, self.ranking, (self.table, 1), self.note, foot, margins=(G, 0, 0, 0), parent=right)
        halves = splitter(Qt.Orientation.Horizontal, (self.texts, 2), (right, 3))
        halves.setHandleWidth(1)
        head = vbox(self.heading, self.summary, spacing=G // 2)
        vbox(head, (halves, 1), margins=(2 * G, 2 * G, 2 * G, 2 * G), spacing=2 * G, parent=self)
        self.overlay = BannerOverlay(self, self.texts.banner)

    def _connect(self) -> None:
        self.model.changed.connect(self._show_report)
        self.texts.started.connect(self._compare)
        self.texts.examples.clicked.connect(lambda: self.texts.show_examples(sentences(self)))
        self.search.returnPressed.connect(self._compare)
        self.table.selectionModel().currentChanged.connect(self._show_cell)
        self.texts.lines.refused.connect(self.model.compare)
        add_action(self, self.tr("Compare the lines"), self._compare)
        add_action(self, self.tr("Search the lines"), self.search.setFocus, "Ctrl+F")
        add_action(self, self.tr("Copy the similarities as TSV"), self.table.copy_all)

    def set_bundle(self, bundle: Mapping[str, Any], title: str) -> None:
        """Shows the page of a bundle, by its summary; the lines stay, figures of another bundle go."""
        self.heading.setText(self.tr("Compare texts with {0}").format(title))
        self.model.set_bundle(str(bundle["path"]))

    def _compare(self) -> None:
        self.model.compare(self.texts.lines.toPlainText(), self.search.text(), str(self.pooling.currentData()))

    def _show_report(self) -> None:
        report, request = self.model.report, self.model.request
        lines = request.texts if request is not None else ()
        scores = report.scores if report is not None else []
        if report is None or request is None:
            self.summary.setText(self.tr("This bundle makes vectors of texts: paste lines and compare them."))
        else:
            text = self.tr("{0} · vectors of {1} numbers · {2} similarity · on {3}")
            numbers = format_number(report.dimensions)
            self.summary.setText(text.format(report.summary, numbers, report.similarity, request.provider))
        if self.table.cells.scores is not scores:
            self.table.cells.fill(lines, scores, report.similarity if report is not None else "cosine")
            self._show_ranking(lines, report.ranking if report is not None else [])
            self._show_cell()
        self.copy.setEnabled(bool(scores))
        notes = list(report.notes) if report is not None else []
        if len(lines) > TABLE_LINES:
            text = self.tr("The table shows up to {0} lines; a search ranks all of them.")
            notes.append(text.format(format_number(TABLE_LINES)))
        self.note.setText("\n".join(notes[:5] + ["…"] * (len(notes) > 5)))
        self.note.setVisible(bool(notes))

    def _show_ranking(self, lines: tuple[str, ...], scores: list[float]) -> None:
        order = sorted(range(len(scores)), key=lambda place: -scores[place])
        rows = [(str(rank), format_number(scores[at], 4), lines[at]) for rank, at in enumerate(order, 1)]
        self.ranking.rows.fill(rows)
        self.ranking.setVisible(bool(rows))

    def _show_cell(self, current: QModelIndex | None = None, _before: object = None) -> None:
        """Shows the two lines of the current cell."""
        cells = self.table.cells
        if current is not None and current.isValid() and cells.scores:
            self.cell.setText(cells.describe(current.row(), current.column()))
        else:
            hint = self.tr("Choose a cell to read its two lines.")
            self.cell.setText(hint if cells.scores else self.tr("The similarities of each two lines appear here."))
