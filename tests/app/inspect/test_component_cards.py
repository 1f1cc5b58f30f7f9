"""What a bundle is made of, by keyboard and in words: cards of components, tables of ends, operators and passes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.inspect.component_cards import ComponentList
from app.inspect.table_tabs import OperatorsTab, PassesTab, SignatureTab
from app.state.inspection import Inspection, PassRow
from app.text.formatting import format_bytes
from app.widgets.tables import ReadOnlyTable
from workflows.wire.reports.inspection import BuiltPass, ComponentReport, PassRefusal, TensorFacts

DECODE = ComponentReport(
    name="decode",
    file="decode/model.onnx",
    role="decode",
    inputs=[TensorFacts("ids", [1, "tokens"], "int64"), TensorFacts("scalar", [], "float32")],
    outputs=[TensorFacts("logits", [1, "tokens", 512], "float32")],
    op_counts={"MatMul": 15, "Add": 4},
    opset={"": 23, "com.microsoft": 1},
    bytes=9000,
)
HEAD = ComponentReport("head", "head.onnx", "prefill", [], [], {"Relu": 1}, {}, 12)


def cells(table: ReadOnlyTable) -> list[list[str]]:
    model = table.model()
    rows, columns = model.rowCount(), model.columnCount()
    return [[str(model.index(row, column).data() or "") for column in range(columns)] for row in range(rows)]


@pytest.fixture
def cards(qtbot: QtBot) -> ComponentList:
    made = ComponentList()
    qtbot.addWidget(made)
    made.fill((DECODE, HEAD))
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def test_a_card_shows_what_it_is_and_a_role_only_where_that_is_another_word(cards: ComponentList) -> None:
    words = [[text.text() for text in card.findChildren(QLabel)] for card in cards.cards]
    assert words == [
        ["decode", "decode/model.onnx", f"19 nodes · {format_bytes(9000)}"],
        ["head", "prefill", "head.onnx", f"1 node · {format_bytes(12)}"],
    ]
    assert [card.accessibleName() for card in cards.cards] == ["decode, decode", "head, prefill"]


def test_cards_are_chosen_by_mouse_and_keyboard(cards: ComponentList, qtbot: QtBot) -> None:
    chosen: list[int] = []
    cards.chosen.connect(chosen.append)
    first, second = cards.cards
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Down)
    assert second.hasFocus() and chosen == []  # going there is not choosing
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Enter):
        qtbot.keyClick(second, key)
    qtbot.keyClick(second, Qt.Key.Key_Up)
    assert first.hasFocus()
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    qtbot.keyClick(first, Qt.Key.Key_A)
    assert chosen == [1, 1, 1, 0]


def test_one_card_is_marked_and_other_components_take_their_place(cards: ComponentList) -> None:
    for place, marks in ((1, ["false", "true"]), (-1, ["false", "false"])):
        cards.mark(place)
        assert [card.property("chosen") for card in cards.cards] == marks
    chosen: list[int] = []
    cards.chosen.connect(chosen.append)
    cards.fill((HEAD,))
    cards.cards[0].chosen.emit()
    assert chosen == [0] and [card.component for card in cards.cards] == [HEAD]


def test_what_goes_in_and_comes_out(qtbot: QtBot) -> None:
    tab = SignatureTab()
    qtbot.addWidget(tab)
    tab.set_component(DECODE)
    assert cells(tab.inputs) == [["ids", "[1, tokens]", "int64"], ["scalar", "[]", "float32"]]
    assert cells(tab.outputs) == [["logits", "[1, tokens, 512]", "float32"]]
    assert (tab.inputs_title.text(), tab.outputs_title.text()) == ("Inputs · 2", "Outputs · 1")
    tab.set_component(HEAD)
    assert cells(tab.inputs) == [] and tab.inputs_title.text() == "Inputs · 0"


def test_operators_are_counted_and_one_is_one(qtbot: QtBot) -> None:
    tab = OperatorsTab()
    qtbot.addWidget(tab)
    tab.set_component(DECODE)
    assert tab.opset.text() == "19 nodes, 2 kinds of operator · opset ai.onnx 23 · com.microsoft 1"
    assert [row[:2] for row in cells(tab.table)] == [["MatMul", "15"], ["Add", "4"]]
    tab.set_component(HEAD)
    assert tab.opset.text() == "1 node, 1 kind of operator · opset ?"


def done(name: str, modified: bool, *refused: PassRefusal) -> BuiltPass:
    return BuiltPass(name, modified, 120, 107, list(refused), 0.1, name, 9000)


def test_passes_and_the_refusals_of_the_chosen_one_in_full(qtbot: QtBot) -> None:
    tab = PassesTab()
    qtbot.addWidget(tab)
    tab.set_inspection(None)
    assert tab.empty.isVisibleTo(tab) and not tab.table.isVisibleTo(tab)
    refused = PassRefusal("Two takers.", "Mul_3"), PassRefusal("All of it.")
    fused, folded = done("fuse", True), done("fold", False, *refused)
    rows = PassRow("optimize", "decode", fused), PassRow("optimize", "head", folded)
    tab.set_inspection(Inspection("/b", "b", True, (), (DECODE, HEAD), (), rows, ()))
    assert not tab.empty.isVisibleTo(tab)
    assert cells(tab.table) == [
        ["optimize", "decode", "fuse", "changed", "120", "107", ""],
        ["optimize", "head", "fold", "unchanged", "120", "107", "Two takers. (Mul_3); All of it."],
    ]
    tab.table.setCurrentIndex(tab.table.model().index(1, 0))
    assert tab.refusals.text() == "Two takers.  Mul_3\nAll of it."
    tab.table.setCurrentIndex(tab.table.model().index(0, 0))
    assert tab.refusals.text() == ""
