"""The table of similarities: numbers, grounds, what is copied and what is said of a cell."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.chat.tasks.similarity_table import STRONGEST, SimilarityTable, heat, short
from app.widgets.theme import blend_colors, theme

LINES = ("the cat", "a\tdog", "x" * 50)
SCORES = [[1.0, 0.5, -0.25], [0.5, 1.0, 0.0], [-0.25, 0.0, 1.0]]


@pytest.fixture
def table(qtbot: QtBot) -> SimilarityTable:
    made = SimilarityTable("Similarities")
    qtbot.addWidget(made)
    made.cells.fill(LINES, SCORES, "cosine")
    made.show()
    return made


def test_cells_and_heads(table: SimilarityTable) -> None:
    cells = table.cells
    assert [cells.index(0, c).data() for c in range(3)] == ["1.00", "0.50", "-0.25"]
    assert [cells.headerData(2, o) for o in (Qt.Orientation.Horizontal, Qt.Orientation.Vertical)] == [
        "3", f"3  {'x' * 31}…",
    ]  # fmt: skip
    spoken = cells.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "0.5000 · line 1: the cat · line 2: a\tdog" and short("abc", 3) == "abc"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_ground_is_the_stronger_the_more_alike_two_lines_are(table: SimilarityTable, mode: str) -> None:
    theme().set_mode(mode)  # type: ignore[arg-type]
    color, cells = theme().color, table.cells
    grounds = [cells.index(0, column).data(Qt.ItemDataRole.BackgroundRole) for column in range(3)]
    assert grounds[0] == blend_colors(color("prefill"), color("surface"), STRONGEST)
    assert grounds[2] == blend_colors(color("warning"), color("surface"), STRONGEST / 4)
    assert cells.ground(0.0) == color("surface") and len({one.name() for one in grounds}) == 3


def test_each_kind_of_similarity_has_its_scale(table: SimilarityTable) -> None:
    assert [heat(score, -4.0, "euclidean") for score in (0.0, -1.0, -4.0)] == [1.0, 0.75, 0.0]
    assert heat(0.0, 0.0, "manhattan") == 1.0 and heat(7.0, 0.0, "cosine") == 1.0
    table.cells.fill(LINES[:2], [[8.0, 4.0], [4.0, 2.0]], "dot")
    strongest = blend_colors(theme().color("prefill"), theme().color("surface"), STRONGEST)
    assert table.cells.ground(8.0) == strongest != table.cells.ground(4.0)


def test_what_is_copied_has_its_lines(table: SimilarityTable, qtbot: QtBot) -> None:
    table.copy_all()
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert rows[0] == ["", "the cat", "a dog", "x" * 50] and rows[1] == ["the cat", "1.0000", "0.5000", "-0.2500"]
    assert len(rows) == 4
    chosen = QItemSelection(table.cells.index(1, 0), table.cells.index(1, 1))
    table.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "\tthe cat\ta dog\na dog\t0.5000\t1.0000"
