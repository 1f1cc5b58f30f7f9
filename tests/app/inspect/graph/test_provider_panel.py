"""The graph coloured by provider: what is left to the CPU, the list that leads to it, and what is no figure of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from app.inspect.graph.graph_tab import GraphTab
from app.inspect.graph.provider_panel import ProviderPanel
from app.state.context import AppContext
from app.state.machines import MachinesModel
from app.widgets.theme import theme
from tests.app.inspect.graph.test_graph_tab import pixel
from tests.fakes.worker import CPU, DML, program
from workflows.wire.codec import to_fields

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., tuple[GraphTab, ProviderPanel]]
COS, SOFTMAX = "model.rotary_emb.Cos_2", "model.layers.0.self_attn.Softmax_33"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices are so long that opening a scope is done when it returns."""
    monkeypatch.setattr("app.jobs.time_slices.SLICE_MS", 60_000.0)


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    made: list[AppContext] = []

    def build(path: str = "/b/demo", **scenario: Any) -> tuple[GraphTab, ProviderPanel]:
        context = AppContext(tmp_path, program(**scenario), lambda folder: {"path": folder, "built_at": "2026"})
        made.append(context)
        context.open_bundle("/b/demo")
        tab = GraphTab(context.probe_worker, tmp_path / "pictures", context)
        qtbot.addWidget(tab)
        tab.model.folds = False
        tab.resize(1200, 700)
        tab.show()
        tab.show_graph(path, "decode")
        qtbot.waitUntil(lambda: tab.model.scene is not None)
        assert tab.colors is not None
        return tab, tab.colors.providers

    yield build
    for context in made:
        context.close()


def coloured(qtbot: QtBot, tab: GraphTab, panel: ProviderPanel) -> None:
    """The colours are on, and the bundle was tried."""
    tab.tools.providers.click()
    qtbot.waitUntil(lambda: panel.overlay.provider == "qnn")
    panel.check.click()
    qtbot.waitUntil(lambda: panel.overlay.result is not None)


def rows(panel: ProviderPanel) -> list[QTreeWidgetItem]:
    found = [panel.tree.topLevelItem(place) for place in range(panel.tree.topLevelItemCount())]
    return [item for item in found if item is not None]


def named(tab: GraphTab, name: str) -> int:
    assert tab.model.graph is not None
    return next(node.index for node in tab.model.graph.nodes if node.name == name)


def test_a_tried_bundle_is_coloured_with_a_legend_in_figures(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    assert not panel.isVisible()
    tab.tools.providers.click()
    qtbot.waitUntil(lambda: panel.provider.count() == 1)  # the CPU has every node, and the others cannot be used
    assert panel.provider.currentText() == "Qualcomm QNN"
    assert panel.description.text().startswith("Not checked yet")
    assert not panel.on.isVisible() and not panel.overlay.is_coloring
    panel.check.click()
    qtbot.waitUntil(lambda: panel.overlay.is_coloring)
    assert panel.on.text() == "on the provider: 104 of 107 nodes" and panel.off.text() == "on the CPU: 3"
    assert panel.overlay.count(named(tab, COS)) == 1 and panel.overlay.count(named(tab, SOFTMAX)) == 1
    assert panel.overlay.count("model/layers.0") == 1 and panel.overlay.count("model/layers.1") == 0
    assert panel.overlay.count("") == 2  # one of the three is in no graph of ours


def test_boxes_differ_in_colour_and_lose_it_with_the_panel(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    for key in ("model/layers.1/mlp", named(tab, COS)):
        tab.view.reveal(key)
    tab.model.select(None)
    before = pixel(tab, named(tab, COS))
    coloured(qtbot, tab, panel)
    tab.view.canvas.center_on(named(tab, COS))
    left = pixel(tab, named(tab, COS))
    tab.view.canvas.center_on("model/layers.1/mlp")
    taken = pixel(tab, "model/layers.1/mlp")
    assert len({before, left, taken}) == 3
    theme().set_mode("dark")
    tab.view.canvas.center_on(named(tab, COS))
    assert pixel(tab, named(tab, COS)) not in {before, left, taken}  # the overlay outlives its colours
    theme().set_mode("light")
    tab.tools.providers.click()
    assert not panel.isVisible() and not panel.overlay.is_coloring
    tab.view.canvas.center_on(named(tab, COS))
    assert pixel(tab, named(tab, COS)) == before


def test_rows_lead_to_their_nodes_and_give_the_reason(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    coloured(qtbot, tab, panel)
    cos, softmax, made = rows(panel)
    assert [item.text(0) for item in (cos, softmax, made)] == ["Cos", "Softmax", "ReorderInput"]
    assert [cos.child(n).text(0) for n in range(2)] == ["Cos of two axes has no kernel.", COS]
    assert softmax.childCount() == 1 and softmax.child(0).text(0) == SOFTMAX
    assert made.child(0).text(0) == "Created by onnxruntime: in no graph of the bundle."
    panel.tree.itemClicked.emit(softmax.child(0), 0)
    assert tab.model.selected == named(tab, SOFTMAX) and tab.view.canvas.place_of(named(tab, SOFTMAX)) is not None
    panel.tree.setCurrentItem(cos)
    qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    assert tab.model.selected == named(tab, COS)
    panel.tree.itemClicked.emit(made.child(1), 0)  # it is in no graph of ours
    assert tab.model.selected == named(tab, COS)


def test_nodes_with_one_reason_stand_together(make: Make, qtbot: QtBot) -> None:
    names = [f"model.layers.{n}.input_layernorm.Pow_{5 + 47 * n}" for n in range(2)]
    left = [{"node": name, "op": "ai.Pow", "reason": "No kernel."} for name in names]
    part = {"name": "decode", "nodes": 107, "on_provider": 105, "elsewhere": left, "prefill": None, "step": None}
    tab, panel = make(preflight={"components": [part]})
    coloured(qtbot, tab, panel)
    (item,) = rows(panel)
    assert item.text(0) == "Pow ×2" and [item.child(n).text(0) for n in range(3)] == ["No kernel.", *names]


def test_a_comparison_keeps_its_own_colours(make: Make, qtbot: QtBot) -> None:
    tab, panel = make()
    coloured(qtbot, tab, panel)
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    assert not panel.overlay.is_coloring and "A comparison has its own colors." in panel.description.text()
    tab.model.compare(None)
    qtbot.waitUntil(lambda: tab.model.diff is None)
    assert panel.overlay.is_coloring


def test_the_graph_of_another_bundle_has_no_figures_of_this_one(make: Make, qtbot: QtBot) -> None:
    tab, panel = make("/b/other")
    tab.tools.providers.click()
    qtbot.waitUntil(lambda: panel.overlay.provider == "qnn")
    assert not panel.check.isEnabled()
    assert panel.description.text() == "Only graphs of the open bundle can be checked."
    tab.show_graph("/b/demo", "decode")
    qtbot.waitUntil(lambda: panel.check.isEnabled())


def test_what_could_not_be_tried_gives_the_reason(make: Make, qtbot: QtBot) -> None:
    tab, panel = make(errors={"preflight": {"kind": "device", "message": "Qualcomm QNN cannot be used: no driver."}})
    tab.tools.providers.click()
    qtbot.waitUntil(lambda: panel.overlay.provider == "qnn")
    panel.check.click()
    qtbot.waitUntil(lambda: panel.description.text() == "Qualcomm QNN cannot be used: no driver.")
    assert panel.check.isVisible() and not panel.cancel.isVisible()


def test_where_only_the_cpu_is_the_way_on_is_named(make: Make, qtbot: QtBot) -> None:
    cpu = {"name": "cpu", "title": "CPU", "provider": "CPUExecutionProvider", "kind": "CPU", "usable": True}
    tab, panel = make(devices=[cpu])
    tab.tools.providers.click()
    qtbot.waitUntil(lambda: "Only the CPU is available here" in panel.description.text())
    assert not panel.check.isEnabled()


def test_the_providers_are_those_of_the_chosen_machine(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = program(devices=[to_fields(CPU), to_fields(replace(DML, usable=True))])
    monkeypatch.setattr(MachinesModel, "program", lambda self: there if self.current else None)
    tab, panel = make()
    tab.tools.providers.click()
    qtbot.waitUntil(lambda: panel.provider.currentData() == "qnn")
    panel._context.machines.choose("board")
    qtbot.waitUntil(lambda: panel.provider.currentData() == "dml")
    assert panel.provider.count() == 1
    panel._context.machines.choose("")
    qtbot.waitUntil(lambda: panel.provider.currentData() == "qnn")
