"""Tables to read: what cells say and how they stand, copying whole rows, counts with their bars."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.text.formatting import format_number
from app.widgets.tables import BarDelegate, CountTableModel, ReadOnlyTable, TextTableModel
from app.widgets.theme import theme

Role = Qt.ItemDataRole


@pytest.fixture
def rows(qapp: Any) -> TextTableModel:
    made = TextTableModel(["name", "bytes", "digest"], numbers=(1,), mono=(2,))
    made.fill([("a", "12", "f00"), ("b", "3", "ba5"), ("c", "40", "0dd")], ["error", ""])
    return made


@pytest.fixture
def table(qtbot: Any, rows: TextTableModel) -> ReadOnlyTable:
    made = ReadOnlyTable(rows, "Files")
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize(
    ("column", "side", "mono"),
    [
        (0, Qt.AlignmentFlag.AlignLeft, False),
        (1, Qt.AlignmentFlag.AlignRight, False),
        (2, Qt.AlignmentFlag.AlignLeft, True),
    ],
)
def test_a_column_stands_as_its_heading_does(
    rows: TextTableModel, column: int, side: Qt.AlignmentFlag, mono: bool
) -> None:
    cell, heading = rows.index(0, column), rows.headerData(column, Qt.Orientation.Horizontal, Role.TextAlignmentRole)
    assert cell.data(Role.TextAlignmentRole) == heading and heading & side
    assert (cell.data(Role.FontRole) is not None) == mono


def test_a_cell_that_is_cut_says_all_of_it(rows: TextTableModel) -> None:
    assert rows.index(2, 0).data(Role.ToolTipRole) == rows.index(2, 0).data() == "c"
    assert rows.headerData(1, Qt.Orientation.Horizontal) == "bytes"
    assert rows.headerData(1, Qt.Orientation.Vertical) is None


def test_a_tint_follows_the_theme_and_the_rows_without_one_have_none(rows: TextTableModel) -> None:
    theme().set_mode("light")
    light = rows.index(0, 0).data(Role.ForegroundRole)
    theme().set_mode("dark")
    assert rows.index(0, 0).data(Role.ForegroundRole) == theme().color("error") != light
    assert [rows.index(row, 0).data(Role.ForegroundRole) for row in (1, 2)] == [None, None]


def test_rows_have_no_rows_below_them(rows: TextTableModel) -> None:
    assert (rows.rowCount(), rows.columnCount()) == (3, 3)
    assert (rows.rowCount(rows.index(0, 0)), rows.columnCount(rows.index(0, 0))) == (0, 0)
    assert rows.data(QModelIndex()) is None


def test_other_rows_take_the_tints_of_the_old_ones_away(rows: TextTableModel) -> None:
    rows.fill([("z", "1", "2")])
    assert rows.rowCount() == 1 and rows.index(0, 0).data(Role.ForegroundRole) is None


def test_ctrl_c_copies_whole_rows_in_their_order(qtbot: Any, table: ReadOnlyTable) -> None:
    table.selectRow(2)
    table.selectionModel().select(
        table.rows.index(0, 1), table.selectionModel().SelectionFlag.Select | table.selectionModel().SelectionFlag.Rows
    )
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "a\t12\tf00\nc\t40\t0dd"


def test_tab_leaves_the_table_and_arrows_go_from_row_to_row(qtbot: Any, table: ReadOnlyTable) -> None:
    table.setCurrentIndex(table.rows.index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.currentIndex().row() == 1 and table.selected_text() == "b\t3\tba5"
    qtbot.keyClick(table, Qt.Key.Key_Tab)
    assert table.currentIndex().row() == 1


def test_counts_stand_the_largest_first_with_bars_to_scale(qapp: Any) -> None:
    counts = CountTableModel(["operator", "count", ""])
    counts.set_counts({"Add": 3, "MatMul": 1200, "Abs": 3}, format_number)
    assert [counts.index(row, 0).data() for row in range(3)] == ["MatMul", "Abs", "Add"]
    assert counts.index(0, 1).data() == "1,200"
    assert [counts.index(row, 2).data(Role.UserRole) for row in range(3)] == [1.0, 0.0025, 0.0025]
    assert counts.index(0, 1).data(Role.UserRole) is None
    counts.set_counts({"None": 0}, format_number)
    assert counts.index(0, 2).data(Role.UserRole) == 0.0
    counts.set_counts({}, format_number)
    assert counts.rowCount() == 0


@pytest.mark.parametrize(("share", "drawn"), [(1.0, 84), (0.5, 42), (0.0, 2)])
def test_a_bar_is_as_long_as_the_share(qtbot: Any, share: float, drawn: int) -> None:
    """Of the 84 pixels that it has; a share of nothing is seen all the same."""
    counts = CountTableModel(["operator", "count", ""])
    counts.set_counts({"whole": 100, "part": round(100 * share)}, format_number)
    table = ReadOnlyTable(counts, "Operators")
    qtbot.addWidget(table)
    picture = QImage(100, 28, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.black)
    painter, option = QPainter(picture), QStyleOptionViewItem()
    option.rect = QRect(0, 0, 100, 28)
    row = next(row for row in range(2) if counts.index(row, 0).data() == "part")
    BarDelegate("accent", table).paint(painter, option, counts.index(row, 2))
    painter.end()
    ink = theme().color("accent").rgb()
    assert sum(picture.pixel(x, 14) == ink for x in range(100)) == drawn
