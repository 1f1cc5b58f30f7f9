"""The graph coloured by time and bytes: measuring, the legend, the table, and the node in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.inspect.graph.dock import MIN_WIDTH
from app.inspect.graph.graph_tab import GraphTab
from app.inspect.graph.heat_panel import CALLS_COLUMN, HeatPanel
from app.state.context import AppContext
from app.state.inspection import inspection_of
from app.state.node_costs import bytes_of
from app.text.formatting import format_microseconds
from tests.app.inspect.graph.test_graph_tab import node_called, pixel
from tests.app.sequences import process
from tests.app.test_captions import walk
from tests.fakes.inspections import BUNDLE
from tests.fakes.worker import program

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., tuple[GraphTab, HeatPanel]]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices are so long that opening a scope is done when it returns."""
    monkeypatch.setattr("app.jobs.time_slices.SLICE_MS", 60_000.0)


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    made: list[AppContext] = []

    def build(folds: bool = False, **scenario: Any) -> tuple[GraphTab, HeatPanel]:
        context = AppContext(tmp_path, program(**scenario), lambda folder: {"path": folder, "built_at": "2026"})
        made.append(context)
        context.open_bundle("/b/demo")
        tab = GraphTab(context.probe_worker, tmp_path / "pictures", context)
        qtbot.addWidget(tab)
        tab.model.folds = folds
        tab.resize(1200, 700)
        tab.show()
        tab.show_graph("/b/demo", "decode")
        qtbot.waitUntil(lambda: tab.model.scene is not None)
        assert tab.colors is not None
        return tab, tab.colors.heat

    yield build
    for context in made:
        context.close()


def measured(qtbot: QtBot, tab: GraphTab, panel: HeatPanel) -> None:
    tab.tools.heat.click()
    panel.run.click()
    qtbot.waitUntil(lambda: bool(panel.heat.profiles) and not panel.heat.measurements.running)


def test_what_stands_beside_a_choice_is_of_that_choice(make: Make, qtbot: QtBot) -> None:
    """Of every entry of every combo box, visited twice: the description, the legend and the table's headings."""
    tab, panel = make()
    measured(qtbot, tab, panel)
    seen: dict[str, tuple[str, list[str]]] = {}
    for place in [*range(panel.measure.count())] * 2:
        panel.measure.setCurrentIndex(place)
        panel.measure.activated.emit(place)
        shown = panel.description.text(), panel.table.rows.headings[:]
        assert shown[0] and seen.setdefault(panel.measure.currentData(), shown) == shown
    assert len({text for text, _ in seen.values()}) == 3 - (seen["time"][0] == seen["bytes"][0])
    panel.measure.setCurrentIndex(0)
    panel.measure.activated.emit(0)
    assert len([*walk(panel, process)]) >= 2


def test_a_measurement_colours_by_time_with_a_legend(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    assert panel.run.text() == "Measure the nodes" and not panel.heat.values
    head = node_called(tab, "MatMul", "lm_head")
    tab.view.reveal(head)
    before = pixel(tab, head)
    measured(qtbot, tab, panel)
    tab.view.reveal(head)
    assert panel.run.text() == "Measure again" and pixel(tab, head) != before
    assert panel.legend.most == "500 µs" and panel.heat.most == 500
    assert panel.heat.profile is not None and panel.heat.profile.phase == "decode"
    assert panel.description.text().endswith("1 node was created by onnxruntime and is not in this graph.")
    profile = panel.heat.profile
    assert profile is not None
    total_us = profile.nodes[0].median_us / profile.nodes[0].share  # what the shares in the table are of
    assert panel.description.text().startswith(f"Shares of {format_microseconds(total_us)}, the time of all nodes")
    assert f"a run takes {format_microseconds(profile.run_us)} (8 runs)." in panel.description.text()
    mark = panel.coloring.mark(head)
    assert mark is not None and (mark.color, mark.bar) == ("error", 1.0)
    assert mark.badge.startswith("500 µs · ")
    softmax = panel.coloring.mark(node_called(tab, "Softmax", "model/layers.0/self_attn"))
    assert softmax is not None and softmax.bar == 40 / 500 and softmax.strength < mark.strength
    tab.tools.heat.click()
    tab.view.reveal(head)
    assert pixel(tab, head) == before and panel.coloring.mark(head) is None


def test_a_scope_has_the_sum_and_folded_layers_their_spread(make: Make, qtbot: QtBot) -> None:
    tab, panel = make(folds=True, layers=6)
    measured(qtbot, tab, panel)
    group, outline = "model/layers.0–5", tab.model.outline
    assert outline is not None
    inside = [panel.heat.values[n] for n in outline.all_nodes(outline.scopes[group])]
    assert panel.heat.value(group) == pytest.approx(sum(inside))
    one = sum(inside) / 6
    assert panel.heat.spread(group) == pytest.approx((one, one)) and panel.heat.spread("model") is None
    mark = panel.coloring.mark(group)
    assert mark is not None and mark.badge.endswith(f"({panel.coloring.text(one)})")
    assert panel.heat.value("") == pytest.approx(panel.heat.total)


def test_phases_are_separate(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    measured(qtbot, tab, panel)
    assert [panel.phase.itemText(i) for i in range(panel.phase.count())] == ["Prefill", "Decode"]
    panel.phase.setCurrentIndex(0)
    panel.phase.activated.emit(0)
    assert panel.heat.most == 5000 and panel.legend.most == "5.0 ms"


def test_a_row_leads_to_its_node_and_a_node_to_its_row(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    measured(qtbot, tab, panel)
    rows = panel.table.rows
    head = node_called(tab, "MatMul", "lm_head")
    assert rows.index(0, 0).data() == "MatMul  lm_head"
    assert [rows.index(0, column).data() for column in (2, 3)] == ["500 µs", "8"]
    panel.table.setCurrentIndex(rows.index(1, 0))
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    second = tab.model.selected
    assert tab.model.graph is not None and isinstance(second, int)
    node = tab.model.graph.nodes[second]
    assert rows.index(1, 0).data() == f"{node.op}  {node.scope}"
    place = tab.view.canvas.place_of(second)
    assert place is not None and tab.view.canvas.visible().contains(place.center())
    tab.model.select(head)
    assert [index.row() for index in panel.table.selectionModel().selectedRows()] == [0]
    tab.model.select(None)
    assert not panel.table.selectionModel().hasSelection()
    made = next(r for r in range(rows.rowCount()) if rows.index(r, 0).data() == "Reorder_0")
    panel.table.picked.emit(made)  # which is nowhere to go to
    assert tab.model.selected is None


def test_names_have_the_room_of_a_column_that_tells_nothing(make: Make, qtbot: QtBot) -> None:
    """A node's name is what a row is read for; that each was called once a run is in the words above."""
    tab, panel = make()
    panel.setFixedWidth(MIN_WIDTH)
    measured(qtbot, tab, panel)
    table, profile = panel.table, panel.heat.profile
    assert profile is not None and {row.time.calls for row in panel.heat.rows} == {profile.runs}
    assert table.isColumnHidden(CALLS_COLUMN)
    assert table.columnWidth(0) > max(table.columnWidth(1) + table.columnWidth(2), table.viewport().width() // 2)
    assert table.textElideMode() == Qt.TextElideMode.ElideMiddle  # of a path the end tells more than the middle
    narrow = table.columnWidth(0)
    panel.heat.rows[0] = replace(panel.heat.rows[0], time=replace(panel.heat.rows[0].time, calls=24))
    panel.refresh()
    assert not table.isColumnHidden(CALLS_COLUMN) and table.columnWidth(0) < narrow
    panel.measure.setCurrentIndex(1)
    panel.measure.activated.emit(1)
    assert table.isColumnHidden(CALLS_COLUMN)


def test_bytes_are_there_without_a_measurement(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    tab.tools.heat.click()
    panel.measure.setCurrentIndex(1)
    panel.measure.activated.emit(1)
    graph = tab.model.graph
    assert graph is not None and not panel.heat.profiles
    table = node_called(tab, "Gather", "model/embed_tokens")
    assert panel.heat.values[table] == bytes_of(graph, graph.nodes[table], None) == 128 * 512 * 4
    assert bytes_of(graph, graph.nodes[table], 1000) == 128 * 512 * 4 + 1000
    assert panel.legend.most == "256 KiB" and panel.table.rows.index(0, 2).data() == "256 KiB"
    mark = panel.coloring.mark(table)
    assert mark is not None and mark.color == "prefill"


def test_one_colouring_at_a_time_and_none_over_a_comparison(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    measured(qtbot, tab, panel)
    tab.tools.providers.click()
    assert not tab.tools.heat.isChecked() and panel.isHidden() and panel.heat.measure == ""
    tab.tools.heat.click()
    assert not tab.tools.providers.isChecked() and panel.heat.values
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    assert panel.coloring.mark("lm_head") is None and "A comparison has its own colors." in panel.description.text()


def test_what_could_not_be_measured_gives_the_reason(make: Make, qtbot: QtBot) -> None:
    tab, panel = make(errors={"profile": {"kind": "device", "message": "QNN cannot be used."}})
    tab.tools.heat.click()
    panel.run.click()
    qtbot.waitUntil(lambda: panel.description.text() == "QNN cannot be used.")
    assert panel.run.isVisible() and panel.table.isHidden()
    panel.measure.setCurrentIndex(2)  # of the weights, which were not read yet
    panel.measure.activated.emit(2)
    assert panel.description.text().startswith("Expected rounding error")
    panel.measure.setCurrentIndex(0)
    panel.measure.activated.emit(0)
    assert panel.description.text() == "QNN cannot be used."
    panel.heat.choose_provider("qnn")
    assert panel.description.text().startswith("Not measured yet")


def test_a_measurement_can_be_cancelled(make: Make, qtbot: QtBot) -> None:
    tab, panel = make(hang_on="profile")
    tab.tools.heat.click()
    panel.run.click()
    assert panel.cancel.isVisible()
    panel.cancel.click()
    qtbot.waitUntil(lambda: not panel.heat.measurements.running)
    assert panel.run.isVisible() and not panel.heat.profiles


def test_rounding_of_weights_is_read_and_does_not_add_up(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    tab.tools.heat.click()
    panel.measure.setCurrentIndex(2)
    panel.measure.activated.emit(2)
    assert panel.run.text() == "Read the weights" and not panel.provider.isVisible() and not panel.heat.values
    panel.run.click()
    qtbot.waitUntil(lambda: panel.heat.rounded is not None and not panel.heat.measurements.running)
    graph = tab.model.graph
    assert graph is not None
    products = [node.index for node in graph.nodes if node.op == "MatMul"]
    head = node_called(tab, "MatMul", "lm_head")
    assert panel.heat.values[head] == panel.heat.value("") == pytest.approx(0.01 * len(products))
    mark = panel.coloring.mark(head)
    assert mark is not None and (mark.badge, mark.bar) == (panel.legend.most, 1.0)
    rows = panel.table.rows
    assert [rows.index(0, column).data() for column in range(3)] == ["MatMul  lm_head", panel.legend.most, "4"]
    panel.table.picked.emit(1)
    assert tab.model.selected == products[-2]


def test_another_bundle_in_the_same_folder_has_no_figures_of_the_one_before(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    was = inspection_of("/b/demo", BUNDLE)
    tab.set_inspection(was)
    measured(qtbot, tab, panel)
    first = tab.model.scene
    tab.set_inspection(inspection_of("/b/other", BUNDLE))
    tab.set_inspection(was)
    assert panel.heat.profiles  # it was looked at elsewhere meanwhile, and is what it was
    panel.run.click()
    tab.set_inspection(replace(was, facts=(*was.facts, ("built_at", "2027"))))
    assert not panel.heat.profiles and not panel.heat.values
    qtbot.waitUntil(lambda: not panel.heat.measurements.running)
    assert not panel.heat.profiles  # what was being measured is not taken for its own either
    tab.show_graph("/b/demo", "decode")
    qtbot.waitUntil(lambda: tab.model.scene is not first)  # the graph is read anew
