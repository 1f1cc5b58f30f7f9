"""Where the chosen box lies: names from the whole graph down, what is left out where there is little room, clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.inspect.graph.tool_bar import ScopeBreadcrumbs
from tests.app.inspect.graph.example_models import model_of, node_of
from tests.app.inspect.graph.test_graph_tab import at_once
from tests.fakes.graphs import flat_graph, small
from workflows.wire.reports.graphs import GraphReport

__all__ = ["at_once"]  # a fixture
SCOPE = "model/layers.1/self_attn/q_proj"


@pytest.fixture
def row(qtbot: QtBot) -> QWidget:
    """What gives the crumbs their width."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1000, 40)
    return made


def crumbs_of(row: QWidget, report: GraphReport) -> ScopeBreadcrumbs:
    crumbs = ScopeBreadcrumbs(model_of(report), row)
    crumbs.resize(900, 30)
    row.show()
    return crumbs


def said(crumbs: ScopeBreadcrumbs) -> list[str]:
    return [link.text() for link in links(crumbs) if link.isVisible()]


def links(crumbs: ScopeBreadcrumbs) -> list[QPushButton]:
    parts = [parts[-1] for parts in crumbs._links]
    assert all(isinstance(part, QPushButton) for part in parts)
    return parts  # type: ignore[return-value]


def test_the_way_to_what_is_chosen(row: QWidget) -> None:
    crumbs = crumbs_of(row, small())
    assert said(crumbs) == ["Graph"]
    crumbs.model.select(SCOPE)
    assert said(crumbs) == ["Graph", "model", "layers.1", "self_attn", "q_proj"]
    crumbs.model.select(node_of(crumbs.model, "Gather"))
    assert said(crumbs) == ["Graph", "model", "embed_tokens"]
    assert crumbs.paths == ["", "model", "model/embed_tokens"]
    crumbs.model.select(None)
    assert said(crumbs) == ["Graph"]


def test_a_click_or_the_keyboard_goes_to_a_scope(row: QWidget, qtbot: QtBot) -> None:
    crumbs = crumbs_of(row, small())
    crumbs.model.select(SCOPE)
    went: list[str] = []
    crumbs.chosen.connect(went.append)
    qtbot.mouseClick(links(crumbs)[2], Qt.MouseButton.LeftButton)
    links(crumbs)[0].setFocus()
    qtbot.keyClick(links(crumbs)[0], Qt.Key.Key_Space)
    assert went == ["model/layers.1", ""]
    assert [link.toolTip() for link in links(crumbs)[:2]] == ["The whole graph", "model"]


def test_with_little_room_the_first_and_the_last_stay(row: QWidget) -> None:
    crumbs = crumbs_of(row, small())
    crumbs.model.select(SCOPE)
    widths = [link.sizeHint().width() for link in links(crumbs)]
    crumbs.resize(sum(widths[:1] + widths[3:]) + 60, 30)
    assert said(crumbs)[0] == "Graph" and said(crumbs)[-2:] == ["self_attn", "q_proj"] and "model" not in said(crumbs)
    crumbs.resize(sum(widths[:1] + widths[4:]) + 30, 30)
    assert said(crumbs) == ["Graph", "q_proj"]
    crumbs.resize(10, 30)
    assert len(said(crumbs)) == 1 and said(crumbs)[0].startswith("q")
    crumbs.resize(900, 30)
    assert len(said(crumbs)) == 5


def test_the_last_name_is_elided_where_it_does_not_fit(row: QWidget) -> None:
    crumbs = crumbs_of(row, small())
    crumbs.model.select("model/layers.1/input_layernorm")
    crumbs.resize(60, 30)
    *_, last = links(crumbs)
    assert last.text().startswith("inp") and last.text().endswith("…") and last.accessibleName() == "input_layernorm"
    crumbs.resize(900, 30)
    assert last.text() == "input_layernorm"


def test_a_graph_without_scopes_is_one_name(row: QWidget) -> None:
    crumbs = crumbs_of(row, flat_graph(12))
    crumbs.model.select(3)
    assert said(crumbs) == ["Graph"]
    crumbs.model.clear()
    assert said(crumbs) == [] and crumbs.paths == []
