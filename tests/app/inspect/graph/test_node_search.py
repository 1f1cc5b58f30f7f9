"""The search field: what is found, the count, walking round in both directions, and another graph under the words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.inspect.graph.node_search import NodeSearch
from tests.app.inspect.graph.example_models import answer, model_of
from tests.app.inspect.graph.test_graph_tab import at_once
from tests.fakes.graphs import decoder_graph, small

__all__ = ["at_once"]  # a fixture
Key, Mod = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def finder(qtbot: QtBot) -> NodeSearch:
    made = NodeSearch(model_of(small()))
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def went(finder: NodeSearch) -> list[int]:
    """The nodes that were gone to."""
    nodes: list[int] = []
    finder.revealRequested.connect(nodes.append)
    return nodes


def look_for(finder: NodeSearch, words: str) -> None:
    finder.field.setText(words)
    finder.search()


def ops(finder: NodeSearch) -> set[str]:
    assert finder.model.graph is not None
    return {finder.model.graph.nodes[place].op for place in finder.matches}


@pytest.mark.parametrize(
    ("words", "count", "found"),
    [
        ("softmax", 2, {"Softmax"}),
        ("  SOFTMAX   layers.1 ", 1, {"Softmax"}),
        ("embed_tokens", 1, {"Gather"}),
        ("logits", 1, {"MatMul"}),  # a value that it makes
        ("softmax gather", 0, set()),
        ("q_proj", 2, {"MatMul"}),
    ],
)
def test_every_word_is_looked_for_in_what_a_node_is_called(
    finder: NodeSearch, words: str, count: int, found: set[str]
) -> None:
    look_for(finder, words)
    assert len(finder.matches) == count and ops(finder) == found
    assert finder.count.text() == (f"1 / {count}" if count else "none")
    assert finder.next_button.isVisible() == finder.previous_button.isVisible() == bool(count)


def test_no_word_says_nothing(finder: NodeSearch, went: list[int]) -> None:
    look_for(finder, "softmax")
    look_for(finder, "   ")
    assert (
        finder.matches == [] and not finder.count.isVisible() and not finder.next_button.isVisible() and len(went) == 1
    )


def test_enter_walks_on_and_round_and_with_shift_back(finder: NodeSearch, went: list[int], qtbot: QtBot) -> None:
    look_for(finder, "reducemean")
    hits = finder.matches
    assert len(hits) == 5 and went == hits[:1]
    for _ in range(5):
        qtbot.keyClick(finder.field, Key.Key_Return)
    qtbot.keyClick(finder.field, Key.Key_Enter, Mod.ShiftModifier)
    assert went == [*hits, hits[0], hits[-1]]
    assert finder.count.text() == "5 / 5"
    finder.next_button.click()
    finder.previous_button.click()
    assert went[-2:] == [hits[0], hits[-1]]


def test_enter_does_not_wait_for_the_pause_after_the_last_key(
    finder: NodeSearch, went: list[int], qtbot: QtBot
) -> None:
    qtbot.keyClicks(finder.field, "gather")
    assert went == []
    qtbot.keyClick(finder.field, Key.Key_Return)
    assert went == finder.matches and len(went) == 1


def test_escape_goes_back_to_the_graph_and_keeps_the_words(finder: NodeSearch, qtbot: QtBot) -> None:
    look_for(finder, "gather")
    with qtbot.waitSignal(finder.closed):
        qtbot.keyClick(finder.field, Key.Key_Escape)
    assert finder.field.text() == "gather" and len(finder.matches) == 1


def test_another_graph_is_looked_through_without_moving(finder: NodeSearch, went: list[int]) -> None:
    look_for(finder, "softmax")
    found: list[list[int]] = []
    finder.matchesChanged.connect(found.append)
    finder.model.open("/b/other", "decode")
    answer(finder.model, decoder_graph(200))
    assert len(finder.matches) == 4 and found[-1] == finder.matches and finder.count.text() == "4" and len(went) == 1
    finder.previous_button.click()
    assert went[-1] == finder.matches[-1] and finder.count.text() == "4 / 4"
    finder.model.clear()
    assert finder.matches == [] and finder.count.text() == "none"
