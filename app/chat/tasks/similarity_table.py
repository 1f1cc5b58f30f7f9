"""How similar each two lines are, as numbers on a ground that is the stronger the more similar they are.

scores [N,N], lines ──▶ cells, heat;   selection, tsv() ──▶ clipboard
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.text.formatting import format_number
from app.text.translatable import tr
from app.widgets.plain_text import plain_tool_tip
from app.widgets.theme import SMALL, G, blend_colors, sans_font, theme

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_TEXT, _TIP, _SPOKEN = (int(role) for role in (
    Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole))  # fmt: skip
_GROUND, _INK, _ALIGNMENT = (int(role) for role in (
    Qt.ItemDataRole.BackgroundRole, Qt.ItemDataRole.ForegroundRole, Qt.ItemDataRole.TextAlignmentRole))  # fmt: skip
STRONGEST = 0.44
"""The strongest ground: text on it can still be read."""
CELL_WIDTH, HEAD_WIDTH, HEAD_CHARACTERS = 7 * G, 26 * G, 32


def heat(score: float, lowest: float, kind: str) -> float:
    """How strong a score's ground is: from −1, as unlike as can be, to 1. lowest: of all scores.

    kind: of the similarity. Distances, which are negative, have no opposite: 0 is the farthest.
    """
    if kind in ("euclidean", "manhattan"):
        return 1 - score / lowest if lowest < 0 else 1.0
    return max(-1.0, min(score, 1.0))


class SimilarityModel(QAbstractTableModel):
    """scores: each line with each line. A dot product is divided by the largest, for its ground alone."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.lines: Sequence[str] = ()
        self.scores: Sequence[Sequence[float]] = ()
        self._kind = "cosine"
        self._lowest = self._scale = 1.0

    def fill(self, lines: Sequence[str], scores: Sequence[Sequence[float]], kind: str) -> None:
        """Replaces the table."""
        self.beginResetModel()
        self.lines, self.scores, self._kind = lines, scores, kind
        self._lowest = min((score for row in scores for score in row), default=0.0)
        largest = max((abs(score) for row in scores for score in row), default=0.0)
        self._scale = largest if kind == "dot" and largest else 1.0
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.scores)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.scores)

    def data(self, index: Index, role: int = _TEXT) -> Any:
        """The content of a cell (Qt's name)."""
        row, column = index.row(), index.column()
        score = self.scores[row][column]
        if role == _TEXT:
            return format_number(score, 2)
        if role == _GROUND:
            return self.ground(score)
        if role == _INK:
            return theme().color("text")
        if role == _ALIGNMENT:
            return int(Qt.AlignmentFlag.AlignCenter)
        if role == _SPOKEN:
            return self.describe(row, column)
        if role == _TIP:
            return plain_tool_tip(self.describe(row, column))
        return None

    def ground(self, score: float) -> QColor:
        """The ground of a score."""
        strength = heat(score / self._scale, self._lowest, self._kind)
        tint = theme().color("prefill" if strength >= 0 else "warning")
        return blend_colors(tint, theme().color("surface"), STRONGEST * abs(strength))

    def describe(self, row: int, column: int) -> str:
        """Two lines and their score."""
        text = tr("{0} · line {1}: {2} · line {3}: {4}")
        score = format_number(self.scores[row][column], 4)
        return text.format(score, row + 1, short(self.lines[row], 80), column + 1, short(self.lines[column], 80))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _TEXT) -> Any:
        """The number of a line, in the rows with its beginning (Qt's name)."""
        if section >= len(self.lines):
            return None
        if role == _TEXT:
            number = str(section + 1)
            return number if orientation == Qt.Orientation.Horizontal else f"{number}  {short(self.lines[section])}"
        if role == _TIP:
            return plain_tool_tip(self.lines[section])
        if role == _ALIGNMENT and orientation == Qt.Orientation.Vertical:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def tsv(self, rows: Sequence[int], columns: Sequence[int]) -> str:
        """Scores with tabs between them, under and behind their lines; numbers have a decimal point."""
        head = ["", *(_cell(self.lines[column]) for column in columns)]
        body = [[_cell(self.lines[row]), *(f"{self.scores[row][column]:.4f}" for column in columns)] for row in rows]
        return "\n".join("\t".join(line) for line in (head, *body))


class SimilarityTable(QTableView):
    """Ctrl+C copies the selected rows and columns, with their lines."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = SimilarityModel(self)
        self.setModel(self.cells)
        self.setAccessibleName(name)
        self.setFont(sans_font(SMALL))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        for header, size in ((self.horizontalHeader(), CELL_WIDTH), (self.verticalHeader(), 28)):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setDefaultSectionSize(size)
            header.setHighlightSections(True)
        self.verticalHeader().setFixedWidth(HEAD_WIDTH)
        theme().changed.connect(self.viewport().update)

    def copy_all(self) -> None:
        """Copies the whole table."""
        every = range(len(self.cells.scores))
        QGuiApplication.clipboard().setText(self.cells.tsv(every, every))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            chosen = self.selectionModel().selectedIndexes()
            rows, columns = sorted({one.row() for one in chosen}), sorted({one.column() for one in chosen})
            QGuiApplication.clipboard().setText(self.cells.tsv(rows, columns))
        else:
            super().keyPressEvent(event)


def short(text: str, most: int = HEAD_CHARACTERS) -> str:
    """The beginning of a text."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _cell(text: str) -> str:
    """A text without what divides cells."""
    return " ".join(text.split())
