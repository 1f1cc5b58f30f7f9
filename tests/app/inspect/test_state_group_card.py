"""The card of state of fixed size: its tensors with their bytes, the tokens in it, and where it can go back to."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.inspect.state_group_card import StateGroupCard
from app.state.inspection import session_group
from tests.fakes.inspections import state_group


def shown(card: StateGroupCard) -> list[str]:
    return [value.text() for value in card.grid.values]


def test_tensors_of_each_kind_of_layer(qtbot: QtBot) -> None:
    card = StateGroupCard(session_group(state_group()))
    qtbot.addWidget(card)
    assert card.rows() == [
        ("4–5", "conv", "1 × 64 × 3", "float32", "768 B", "1.5 KiB"),
        ("4–5", "recurrent", "1 × 2 × 16 × 16", "float32", "2.0 KiB", "4.0 KiB"),
    ]
    assert card.table.rows.rowCount() == 2 and card.group.bytes == 5632
    assert shown(card) == ["2 (4–5)", "5.5 KiB", "–", "–", "–"]
    assert card.state.text() == "zero: no session of this bundle runs"


def test_state_of_a_session(qtbot: QtBot) -> None:
    view = replace(state_group(40, [(0, 0), (16, 16), (40, 40)]), snapshots=2)
    card = StateGroupCard(session_group(view))
    qtbot.addWidget(card)
    card.show_view(None, live=True)
    assert card.state.text() == "zero: no token has been generated yet"
    card.show_view(view, live=True)
    assert (card.state.text(), shown(card)[2:]) == ("live", ["40 tokens", "2 (11.0 KiB)", "0, 16 and 40"])
    assert card.grid.values[4].accessibleName() == "Can go back to: 0, 16 and 40"
    card.show_view(state_group(1), live=False)
    assert (card.state.text(), shown(card)[2:]) == ("then", ["1 token", "none", "–"])


def test_tensors_without_a_layer(qtbot: QtBot) -> None:
    (one,) = state_group().states
    view = replace(state_group(), layers=[], states=[replace(one, layers=())])
    card = StateGroupCard(session_group(view))
    qtbot.addWidget(card)
    assert card.rows()[0] == ("–", "conv", "1 × 64 × 3", "float32", "768 B", "768 B")
    assert shown(card)[0] == "–"
