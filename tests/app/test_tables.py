"""Tables: what they show where, and that a large one asks for no more than what is seen."""

from __future__ import annotations

import re

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QStyleOptionHeader, QTableWidget
from pytestqt.qtbot import QtBot

from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import theme


class CountingRows(TextTableModel):
    """Counts how often it is asked for its size."""

    asked = 0

    def rowCount(self, parent: object = None) -> int:
        self.asked += 1
        return super().rowCount(QModelIndex())


def test_choosing_all_requests_what_is_seen_alone(qtbot: QtBot) -> None:
    rows = CountingRows([str(column) for column in range(20)])
    rows.fill([[f"{row}.{column}" for column in range(20)] for row in range(500)])
    table = ReadOnlyTable(rows, "numbers")
    qtbot.addWidget(table)
    table.horizontalHeader().setSectionResizeMode(table.horizontalHeader().ResizeMode.Interactive)
    table.resize(600, 300)
    table.show()
    table.grab()
    rows.asked = 0
    table.selectAll()
    table.grab()
    assert rows.asked < 2000  # of 10,000 cells
    assert table.selected_text().count("\n") == 499


def test_numbers_stand_on_the_right() -> None:
    rows = TextTableModel(["what", "how many"], numbers=(1,))
    rows.fill([("a", "1")])
    right = [bool(int(rows.index(0, at).data(Qt.ItemDataRole.TextAlignmentRole)) & 2) for at in (0, 1)]
    headings = [bool(rows.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole) & 2)
                for at in (0, 1)]  # fmt: skip
    assert right == headings == [False, True]


def test_the_arrow_of_a_sorted_column_points_the_way_its_values_go(qtbot: QtBot) -> None:
    """Qt calls the arrow of a descending column up, and the sheet draws it downwards."""
    view = QTableWidget(2, 1)
    qtbot.addWidget(view)
    view.setSortingEnabled(True)
    for order, part in ((Qt.SortOrder.AscendingOrder, "SortDown"), (Qt.SortOrder.DescendingOrder, "SortUp")):
        view.horizontalHeader().setSortIndicator(0, order)
        option = QStyleOptionHeader()
        view.horizontalHeader().initStyleOptionForIndex(option, 0)
        assert option.sortIndicator.name == part  # type: ignore[attr-defined]
    sheet = theme().sheet
    assert re.search(r"up-arrow \{ image: url\([^)]*chevron-down", sheet)
    assert re.search(r"down-arrow \{ image: url\([^)]*chevron-up", sheet)
