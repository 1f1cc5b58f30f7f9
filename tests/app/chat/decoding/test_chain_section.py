"""The chain as a list: dragged, moved by keys, typed, undone; `sample` stays the last."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.chat.decoding.chain_model import NOWHERE, ChainModel
from app.chat.decoding.chain_ops import ChainRow
from app.chat.decoding.chain_section import ChainSection
from app.chat.sampling import SamplingSettings

ROWS = (ChainRow("top_k", "3"), ChainRow("temperature", "0.5"), ChainRow("top_p", "0.9"), ChainRow("sample"))
WARM = SamplingSettings(temperature=0.7)
OF_WARM = (ChainRow("temperature", "0.7"), ChainRow("sample"))


def names(rows: ChainModel) -> str:
    return " ".join(row.op for row in rows.rows)


@pytest.fixture
def part(qtbot: QtBot) -> ChainSection:
    found = ChainSection()
    qtbot.addWidget(found)
    found.unfold(True)
    found.resize(264, 500)
    found.show_chain(ROWS)
    found.show()
    return found


def told(part: ChainSection) -> list[tuple[ChainRow, ...] | None]:
    found: list[tuple[ChainRow, ...] | None] = []
    part.changed.connect(found.append)
    return found


def test_the_model_is_one_as_qt_wants_it(qtmodeltester: ModelTester) -> None:
    rows = ChainModel()
    rows.show_rows(ROWS)
    qtmodeltester.check(rows)


@pytest.mark.parametrize(
    ("first", "before", "found"),
    [
        (0, 2, "temperature top_k top_p sample"),
        (2, 0, "top_p top_k temperature sample"),
        (0, 4, "temperature top_p top_k sample"),  # behind sample is before it
        (3, 0, "top_k temperature top_p sample"),  # sample stays
        (1, 1, "top_k temperature top_p sample"),
        (1, 2, "top_k temperature top_p sample"),
    ],
)
def test_a_row_is_moved(first: int, before: int, found: str) -> None:
    """Qt's view calls it of what is dragged."""
    rows = ChainModel()
    rows.show_rows(ROWS)
    rows.moveRow(NOWHERE, first, NOWHERE, before)
    assert names(rows) == found


def test_the_keyboard_moves_takes_out_and_takes_back(qtbot: QtBot, part: ChainSection) -> None:
    keys, alt, ctrl = Qt.Key, Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
    part.list.choose(0)
    qtbot.keyClick(part.list, keys.Key_Down, alt)
    assert names(part.rows) == "temperature top_k top_p sample" and part.list.place() == 1
    qtbot.keyClick(part.list, keys.Key_Up, alt)
    qtbot.keyClick(part.list, keys.Key_Up, alt)  # it is the first
    assert part.rows.rows == ROWS
    part.list.choose(2)
    qtbot.keyClick(part.list, keys.Key_Down, alt)  # sample is the last
    assert part.rows.rows == ROWS
    qtbot.keyClick(part.list, keys.Key_Delete)
    assert names(part.rows) == "top_k temperature sample"
    qtbot.keyClick(part.list, keys.Key_Z, ctrl)
    assert part.rows.rows == ROWS
    qtbot.keyClick(part.list, keys.Key_Z, ctrl | Qt.KeyboardModifier.ShiftModifier)
    assert names(part.rows) == "top_k temperature sample"
    for _ in range(9):
        part.undo.click()
    assert part.rows.rows == ROWS and not part.undo.isEnabled()


def test_a_value_is_typed_in_its_place_right_or_wrong(qtbot: QtBot, part: ChainSection) -> None:
    """What was typed stays; what is wrong with it stands below."""
    part.list.choose(0)
    part.list.setFocus()
    qtbot.keyClick(part.list, Qt.Key.Key_Return)
    field = part.list.findChild(QLineEdit)
    field.setText("many")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: part.rows.rows[0] == ChainRow("top_k", "many"))
    assert part.problem.text() == "Top-k: many is not a number." and not part.problem.isHidden()
    part.rows.setData(part.rows.index(0, 0), "5")
    assert not part.problem.text() and part.problem.isHidden()


def test_the_models_chain_becomes_ones_own_with_the_first_change_and_back(part: ChainSection) -> None:
    part.show_chain(None)
    part.set_sampling(WARM)
    assert part.rows.rows == OF_WARM and not part.own and part.reset.isHidden()
    chains = told(part)
    part.add("top_p")
    own = (OF_WARM[0], ChainRow("top_p", "0.95"), OF_WARM[1])
    assert chains == [own] and part.own
    part.set_sampling(SamplingSettings(temperature=1.0))  # one's own stays
    assert part.rows.rows == own
    part.set_sampling(WARM)
    part.reset.click()
    assert chains[-1] is None and part.rows.rows == OF_WARM
    part.undo.click()
    assert chains[-1] == own and part.own
    part.undo.click()
    assert chains[-1] is None and not part.own


def test_an_op_comes_once_and_sample_last(part: ChainSection) -> None:
    part.show_chain(())
    for op in ("sample", "temperature", "temperature", "sample"):
        part.add(op)
    assert names(part.rows) == "temperature sample" and part.list.place() == 1


def test_a_bundles_own_chain_is_shown(part: ChainSection) -> None:
    part.show_chain(None)
    part.set_ops([{"op": "min_p", "value": 0.05}, {"op": "sample"}])
    assert part.rows.rows == (ChainRow("min_p", "0.05"), ChainRow("sample"))
    assert "bundle's own chain" in part.note.text()
