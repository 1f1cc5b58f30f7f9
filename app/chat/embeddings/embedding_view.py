"""The page of a bundle that makes vectors: lines to paste, a table of similarities, and a search that ranks the lines.

lines, search ──compare──▶ Embeddings ──changed──▶ table, ranking, figures, problem
"""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.chat.embeddings.similarity_table import SimilarityTable
from app.state.embeddings import MOST_CHARACTERS, POOLINGS, TABLE_LINES, Embeddings, lines_of
from app.text.formatting import format_number, pluralize
from app.widgets import Banner, button, label
from app.widgets.actions import add_action
from app.widgets.fields import combo_box, line_edit, progress_bar
from app.widgets.layouts import STRETCH, hbox, splitter, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel

RANKING_HEIGHT = 26 * G


class LinesEdit(QPlainTextEdit):
    """A field for lines of text, which are not wrapped; Ctrl+Enter submits them.

    Wrapping a line of 200,000 characters would block the window for 14 s, and more are not pasted at all.
    """

    submitted = Signal()
    refused = Signal(str)  # a text that is too long

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText(self.tr("Paste texts, one in each line"))
        self.setAccessibleName(self.tr("Texts to compare, one in each line"))

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Qt's name: what is pasted or dropped."""
        if len(source.text()) > MOST_CHARACTERS:
            self.refused.emit(source.text())
        else:
            super().insertFromMimeData(source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: Ctrl+Enter means something here."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.submitted.emit()
        else:
            super().keyPressEvent(event)


class EmbeddingView(QWidget):
    """Shows what `model` has; figures are of its bundle, and of the lines that were compared."""

    def __init__(self, model: Embeddings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.heading = label("", "heading")
        self.summary = label("", "muted", wrap=True)
        self.banner = Banner()
        self.lines = LinesEdit()
        self.count = label("", "muted", selectable=False)
        self.pooling = ignore_wheel(combo_box(self.tr("Pooling")))
        self.pooling.addItem(self.tr("Pooling of the bundle"), "")
        for mode in POOLINGS:
            self.pooling.addItem(mode, mode)
        set_tool_tip(self.pooling, self.tr("How a vector is made of the tokens', for a bundle that does not state it"))
        tip = self.tr("Compares each two lines (Ctrl+Enter)")
        self.compare = button(self.tr("Compare"), "", "primary", self._compare, tip)
        self.stop = button(self.tr("Cancel"), "stop", "", self.cancel, self.tr("Stops the comparison (Esc)"))
        self.working = progress_bar(self.tr("Vectors are computed"), height=4)
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
        self._show()

    def _arrange(self) -> None:
        actions = hbox(self.compare, self.stop, STRETCH, self.pooling)
        left, right = QWidget(), QWidget()
        vbox((self.lines, 1), self.count, actions, self.working, margins=(0, 0, G, 0), parent=left)
        found = hbox((self.search, 1), self.rank)
        foot = hbox((self.cell, 1), self.copy)
        vbox(found, self.ranking, (self.table, 1), self.note, foot, margins=(G, 0, 0, 0), parent=right)
        halves = splitter(Qt.Orientation.Horizontal, (left, 2), (right, 3))
        halves.setHandleWidth(1)
        head = vbox(self.heading, self.summary, spacing=G // 2)
        vbox(head, self.banner, (halves, 1), margins=(2 * G, 2 * G, 2 * G, 2 * G), spacing=2 * G, parent=self)

    def _connect(self) -> None:
        self.model.changed.connect(self._show)
        self.lines.textChanged.connect(self._show_count)
        self.search.returnPressed.connect(self._compare)
        self.table.selectionModel().currentChanged.connect(self._show_cell)
        self.lines.submitted.connect(self._compare)
        self.lines.refused.connect(self.model.compare)
        add_action(self, self.tr("Compare the lines"), self._compare)
        add_action(self, self.tr("Search the lines"), self.search.setFocus, "Ctrl+F")
        add_action(self, self.tr("Copy the similarities as TSV"), self.table.copy_all)

    def set_bundle(self, bundle: str, title: str) -> None:
        """Shows the page of a bundle; the lines stay, figures of another bundle go."""
        self.heading.setText(self.tr("Compare texts with {0}").format(title))
        self.model.set_bundle(bundle)

    def cancel(self) -> None:
        """Stops a running comparison."""
        if self.model.running:
            self.lines.setFocus()  # the pressed button is hidden
            self.model.cancel()

    def _compare(self) -> None:
        self.model.compare(self.lines.toPlainText(), self.search.text(), str(self.pooling.currentData()))

    def _show(self) -> None:
        model = self.model
        self.stop.setVisible(model.running)
        self.working.setVisible(model.running)
        if model.problem:
            self.banner.show_message("warning", model.problem)
        elif model.error is not None:
            self.banner.error(model.error.message, model.error.details)
        else:
            self.banner.clear()
        self._show_count()
        self._show_report()

    def _show_count(self) -> None:
        count = len(lines_of(self.lines.toPlainText()))
        text = pluralize(count, self.tr("1 line"), self.tr("{0} lines"))
        request = self.model.request
        if request is not None and lines_of(self.lines.toPlainText()) != request.texts:
            text += self.tr(" · changed since they were compared")
        self.count.setText(text)

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
