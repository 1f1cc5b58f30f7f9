"""A table of results with buttons that copy it, with tabs, and save it, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.text.engine_text import translate_engine_text
from app.text.formatting import format_number
from app.widgets.basics import button, label
from app.widgets.file_suffix import suggested_file, with_file_suffix
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from workflows.common.errors import describe_os_error
from workflows.common.files import write_atomically


@dataclass(frozen=True)
class Cell:
    """What is shown, and copied, in the person's language, and what a file has, which programs read."""

    shown: str
    saved: str

    @classmethod
    def of(cls, number: float) -> Cell:
        """A number with four places."""
        return cls(format_number(number, 4), f"{number:.4f}")


Row = Sequence[str | Cell]


class ResultTable(QWidget):
    """Shows the rows of the last result; without rows, what will be there. name: of the table, for a screen reader."""

    failed = Signal(str)  # why the file could not be written

    def __init__(self, name: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.table: ReadOnlyTable | None = None
        self._rows: list[Row] = []
        self._headings: list[str] = []
        tip = self.tr("Copies the whole table")
        self.copies = button(self.tr("Copy as TSV"), "copy", "", self.copy, tip)
        self.saves = button(self.tr("Save as CSV …"), "save", "", self.choose_file)
        self.hint = label(hint, "muted", wrap=True)
        self._place = vbox(self.hint)
        vbox((self._place, 1), hbox(STRETCH, self.copies, self.saves), parent=self)
        self.clear()

    def show_rows(self, headings: Sequence[str], rows: Sequence[Row], numbers: Sequence[int], wide: int) -> None:
        """Replaces the table. numbers: the columns that are right-aligned; wide: the one that takes the room."""
        if self.table is None or list(headings) != self._headings:
            self._remove()
            self.table = ReadOnlyTable(TextTableModel(headings, numbers=numbers), self._name, stretch=wide)
            self._place.addWidget(self.table)
        self._headings, self._rows = list(headings), list(rows)
        self.table.rows.fill(self._shown())
        self._show_state()

    def clear(self) -> None:
        self._remove()
        self._rows, self._headings = [], []
        self._show_state()

    def _show_state(self) -> None:
        for part in (self.copies, self.saves):
            part.setEnabled(bool(self._rows))
        self.hint.setVisible(not self._rows)
        if self.table is not None:
            self.table.setVisible(bool(self._rows))

    def _remove(self) -> None:
        if self.table is not None:
            self._place.removeWidget(self.table)
            self.table.hide()
            self.table.deleteLater()
            self.table = None

    def _shown(self) -> list[list[str]]:
        return [[cell.shown if isinstance(cell, Cell) else cell for cell in row] for row in self._rows]

    def as_csv(self) -> str:
        """The whole table with its headings, as a file has it."""
        rows = [[cell.saved if isinstance(cell, Cell) else cell for cell in row] for row in self._rows]
        return self._text("excel", rows)

    def _text(self, dialect: str, rows: list[list[str]]) -> str:
        out = io.StringIO()
        csv.writer(out, dialect, lineterminator="\n").writerows([self._headings, *rows])
        return out.getvalue()

    def copy(self) -> None:
        """Copies the whole table as it is shown, with tabs between its cells."""
        if self._rows:
            QGuiApplication.clipboard().setText(self._text("excel-tab", self._shown()))

    def choose_file(self) -> None:
        title, kind = self.tr("Save the table"), self.tr("CSV (*.csv)")
        name, _ = QFileDialog.getSaveFileName(self, title, suggested_file("labels.csv"), kind)
        if name:
            self.save(with_file_suffix(name, ".csv"))

    def save(self, path: Path) -> None:
        try:
            write_atomically(path, self.as_csv().encode("utf-8-sig"))  # a spreadsheet knows the encoding by it
        except OSError as error:
            self.failed.emit(translate_engine_text(describe_os_error(error)))
