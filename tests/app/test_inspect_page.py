"""The inspect page against the fake worker: cards, tables, the KV strip's pixels and words, verify, copying."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.inspect.inspect_page import InspectPage
from app.inspect.kv_strip import GUTTER
from app.inspect.slot_legend import state_color
from app.state.context import AppContext
from app.state.inspection import EMPTY, FILLED, HEAD, REUSED, InspectTarget, distinct_names
from app.text.formatting import format_number
from tests.fakes.graphs import small
from tests.fakes.inspections import BUNDLE, DECODE, PREFILL, group, single
from tests.fakes.worker import program
from workflows.wire.codec import dumps
from workflows.wire.requests import GraphReference

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., InspectPage]
INSPECTION = replace(BUNDLE, components=[DECODE, PREFILL])


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    contexts: list[AppContext] = []

    def build(open_bundle: bool = True, **scenario: Any) -> InspectPage:
        scenario.setdefault("inspection", INSPECTION)
        context = AppContext(tmp_path / "home", program(**scenario), lambda folder: {"path": folder, "name": "demo"})
        contexts.append(context)
        page = InspectPage(context)
        qtbot.addWidget(page)
        page.resize(1000, 700)
        if open_bundle:
            context.open_bundle("/b/demo")
        page.show()
        if open_bundle and "errors" not in scenario:
            qtbot.waitUntil(lambda: page.inspection is not None)
        return page

    yield build
    for context in contexts:
        context.close()


def cells(table: Any) -> list[list[str]]:
    rows = table.rows
    return [[rows.index(r, c).data() for c in range(rows.columnCount())] for r in range(rows.rowCount())]


def spoken(widget: QWidget) -> tuple[str, str]:
    """The name and the description that a screen reader gets."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name), interface.text(QAccessible.Text.Description)


def test_nothing_open_leads_home(make: Make, qtbot: QtBot) -> None:
    page = make(open_bundle=False)
    assert page.stack.currentWidget() is page.empty
    with qtbot.waitSignal(page.context.navigate) as went:
        page.empty.action.click()
    assert went.args == ["home"]


def test_nothing_is_said_of_a_bundle_that_is_being_read(make: Make, qtbot: QtBot) -> None:
    """The composite's tab would say that there is no picture."""
    page = make(open_bundle=False)
    page._on_started(InspectTarget("/b/demo"))
    assert page.heading.text().startswith("Reading ") and not page.splitter.isVisible()
    page.context.open_bundle("/b/demo")
    qtbot.waitUntil(lambda: page.inspection is not None)
    assert page.splitter.isVisible() and page.tabs.composite.isVisible()


def test_components_and_their_tables(make: Make, qtbot: QtBot) -> None:
    page = make()
    assert page.heading.text() == "demo"
    assert [card.component.name for card in page.components.cards] == ["decode", "prefill"]
    assert cells(page.tabs.signature.inputs) == [["input_ids", "[1, tokens]", "int64"]]
    assert cells(page.tabs.signature.outputs) == [["logits", "[1, tokens, 512]", "float32"]]
    assert [row[:2] for row in cells(page.tabs.operators.table)] == [["MatMul", "29"], ["Add", "11"]]
    last = page.tabs.operators.table.rows.index(1, 2)
    assert last.data(Qt.ItemDataRole.UserRole) == pytest.approx(11 / 29)
    assert page.tabs.operators.opset.text() == "40 nodes, 2 kinds of operator · opset ai.onnx 23"
    page.components.cards[1].setFocus()
    qtbot.keyClick(page.components.cards[1], Qt.Key.Key_Return)
    assert page.components.cards[1].property("chosen") == "true"
    assert [row[:2] for row in cells(page.tabs.operators.table)] == [["Gather", "1"]]


def test_passes_and_refusals(make: Make) -> None:
    page = make()
    assert cells(page.tabs.passes.table) == [
        [
            "optimize",
            "decode",
            "Fuse rotary positions (fuse-rotary)",
            "changed",
            "50",
            "40",
            "two consumers (/model/Add_3)",
        ]
    ]
    page.tabs.passes.table.selectRow(0)
    assert page.tabs.passes.refusals.text() == "two consumers  /model/Add_3"


def test_rows_can_be_copied(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.tabs.signature.inputs.selectRow(0)
    qtbot.keyClick(page.tabs.signature.inputs, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "input_ids\t[1, tokens]\tint64"


def test_empty_cache_geometry(make: Make) -> None:
    page = make()
    (card,) = page.tabs.kv.cards
    assert card.facts() == [
        ("Layers", "4 (0–3)"),
        ("Capacity", "256"),
        ("Allocated", "–"),
        ("Window", "none: sees all"),
        ("Tensor", "1 × 2 × slots × 32  float32"),
        ("A token", "2.0 KiB"),
        ("All slots", "512 KiB"),
        ("Written by", "the host"),
    ]
    assert card.state.text() == "empty: no session of this bundle runs"
    assert card.describe(2, 7) == "layer 2 · slot 7 · not allocated yet · 512 B"
    assert card.describe(0, 0) == "layer 0 · slot 0 · not allocated yet · 512 B"


def test_live_slots_pixels_and_words(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.tabs.setCurrentWidget(page.tabs.kv)
    page.tabs.kv.set_live([group("window", [(0, 8, 2), (3, 3, 5)], length=10, evicted=3)])
    (card,) = page.tabs.kv.cards
    strip = card.strip
    assert card.state.text() == "live · 7 of 8 used · 3 evicted · 16.0 KiB allocated"
    qtbot.waitUntil(lambda: strip.width() > 200)
    picture = strip.grab().toImage()
    width = strip.slot_geometry.area.width()
    seen = []
    for slot in range(8):
        x = GUTTER + (2 * slot + 1) * width // 16
        seen.append(picture.pixelColor(int(x * picture.devicePixelRatio()), 5).name())
    names = [state_color(s).name() for s in (REUSED, REUSED, HEAD, *[FILLED] * 5)]
    assert seen == names
    assert strip.slot_geometry.cell_at(QPoint(GUTTER + 9 * width // 16, 5 + strip.slot_geometry.row_height)) == (1, 4)
    assert card.describe(1, 4) == "layer 1 · slot 4 · position 4 · 512 B"
    assert card.describe(0, 1) == "layer 0 · slot 1 · position 9 · 512 B"


def test_strip_by_keyboard(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.tabs.setCurrentWidget(page.tabs.kv)
    page.tabs.kv.set_live([group("window", [(0, 0, 4)], length=4)])
    card = page.tabs.kv.cards[0]
    card.strip.setFocus()
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(card.strip, key)
    assert card.readout.text() == "layer 1 · slot 1 · position 1 · 512 B"
    qtbot.keyClick(card.strip, Qt.Key.Key_End)
    assert card.readout.text() == "layer 1 · slot 7 · empty · 512 B"
    assert spoken(card.strip) == (
        "Slots of cache group all: layer 1 · slot 7 · empty · 512 B",
        "Arrow keys move from slot to slot.",
    )
    page.tabs.kv.set_live([group("window", [(0, 0, 8)], length=8)])
    assert spoken(card.strip)[0].endswith("layer 1 · slot 7 · position 7 · 512 B"), "the cell stays while tokens come"
    card.strip.clearFocus()
    assert spoken(card.strip)[0] == "Slots of cache group all"


def test_more_slots_than_pixels_never_hide_the_head(make: Make) -> None:
    page = make()
    page.tabs.kv.set_live([group("static", [(0, 0, 50_000)], length=50_000, capacity=100_000)])
    strip = page.tabs.kv.cards[0].strip
    strip.resize(500, strip.height())
    columns = strip.slot_geometry.columns()
    assert columns.count(HEAD) == 1
    half = columns.index(HEAD)
    assert set(columns[:half]) == {FILLED} and set(columns[half + 1 :]) == {EMPTY}


def test_follows_the_session_of_this_bundle_alone(make: Make, qtbot: QtBot) -> None:
    page = make(reply="a b")
    session = page.context.session
    session.open("/b/demo")
    session.generate("x")
    qtbot.waitUntil(lambda: f"66 of {format_number(4096)} used" in page.tabs.kv.cards[0].state.text())
    session.open("/b/other")
    assert page.tabs.kv.cards[0].state.text() == "empty: no session of this bundle runs"
    assert page.tabs.kv.cards[0].group.capacity == 256


def test_verify(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.tabs.details.verify_button.click()
    qtbot.waitUntil(lambda: page.tabs.details.verify_button.isEnabled())
    assert page.tabs.details.verified.text().startswith("All 4 files are unchanged")
    assert page.tabs.details.verified.property("role") == "ok"


def test_verify_that_fails(make: Make, qtbot: QtBot) -> None:
    page = make(errors={"verify": {"kind": "bundle", "message": "manifest.json is missing."}, "other": {}})
    page.reader.read(InspectTarget("/b/demo"))
    qtbot.waitUntil(lambda: page.inspection is not None)
    page.tabs.details.verify_button.click()
    qtbot.waitUntil(lambda: page.tabs.details.verified.text() == "manifest.json is missing.")
    assert page.tabs.details.verified.property("role") == "error"


def test_graph_alone(make: Make, qtbot: QtBot) -> None:
    page = make(open_bundle=False, inspection=single(PREFILL))
    page.context.inspectRequested.emit(InspectTarget("/b/prefill.onnx"))
    qtbot.waitUntil(lambda: page.inspection is not None)
    assert page.heading.text() == "prefill.onnx"
    assert page.tabs.kv.cards == []
    assert not page.tabs.details.verify_button.isVisibleTo(page.tabs)


def test_a_component_brings_its_graph(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.components.cards[0].chosen.emit()  # which leads on from the composite
    qtbot.waitUntil(lambda: page.tabs.graph.model.scene is not None)
    assert page.tabs.currentWidget() is page.tabs.graph
    assert page.tabs.graph.model.where == GraphReference("/b/demo", "decode", "final")
    page.components.cards[1].chosen.emit()
    qtbot.waitUntil(
        lambda: page.tabs.graph.model.graph is not None and page.tabs.graph.model.graph.where.component == "prefill"
    )


def test_two_files_are_compared(make: Make, qtbot: QtBot) -> None:
    page = make(open_bundle=False, inspection=single(PREFILL))
    page.tabs.setCurrentWidget(page.tabs.details)
    page.context.inspectRequested.emit(InspectTarget("/b/after.onnx", before="/b/before.onnx"))
    qtbot.waitUntil(lambda: page.tabs.graph.model.diff is not None)
    assert page.heading.text() == "before.onnx → after.onnx"
    assert page.tabs.currentWidget() is page.tabs.graph
    assert page.tabs.graph.model.against == GraphReference("/b/before.onnx")
    assert page.tabs.graph.stages.compare.text() == "Against before.onnx"
    page.context.inspectRequested.emit(InspectTarget("/b/other.onnx"))
    assert page.inspection is None and page.splitter.isHidden()  # while it is read, nothing of the others is shown
    model = page.tabs.graph.model
    qtbot.waitUntil(lambda: model.where is not None and model.where.path == "/b/other.onnx" and not model.busy)
    assert page.tabs.graph.model.diff is None


def test_facts_of_a_graph_without_a_cache(make: Make, qtbot: QtBot) -> None:
    page = make(inspection=replace(INSPECTION, kv=[], capacity=0, chunk=64, precision="fp32"))
    assert page.inspection is not None
    names = [name for name, _ in page.tabs.details.facts(page.inspection)]
    assert "Precision" in names
    assert not {"Prefill chunk", "Capacity", "Cache layout"} & set(names)


def test_error_is_reported_and_can_be_tried_again(make: Make, qtbot: QtBot) -> None:
    page = make(errors={"inspect": {"kind": "graph", "message": "a.onnx is cut short.", "details": "trace"}})
    qtbot.waitUntil(lambda: page.banner.message == "a.onnx is cut short.")
    assert page.inspection is None and not page.splitter.isVisible()
    page.banner._action.click()
    assert page.banner.message == ""
    qtbot.waitUntil(lambda: page.banner.message == "a.onnx is cut short.")


def test_a_look_leads_to_a_node(make: Make, qtbot: QtBot) -> None:
    """Of the component that it names, at whatever tab one was."""
    page = make()
    page.tabs.show_tab("passes")
    page.context.inspectRequested.emit(InspectTarget("/b/demo", component="prefill", node="model.norm.Pow_99"))
    qtbot.waitUntil(lambda: page.tabs.graph.model.selected is not None)
    node = page.tabs.graph.model.node()
    assert node is not None and (node.name, page.tabs.current) == ("model.norm.Pow_99", "graph")
    assert page.tabs.graph.model.where == GraphReference("/b/demo", "prefill", "final")


def test_files_of_one_name_are_distinguished(make: Make, qtbot: QtBot) -> None:
    assert distinct_names("/b/before.onnx", "/b/after.onnx") == ("before.onnx", "after.onnx")
    assert distinct_names("/b/fp32/decoder.onnx", "/b/int4/decoder.onnx") == ("fp32/decoder.onnx", "int4/decoder.onnx")
    assert distinct_names("/a/x/y/decoder.onnx", "/b/x/y/decoder.onnx") == ("a/decoder.onnx", "b/decoder.onnx")
    assert distinct_names("/b/decoder.onnx", "/b/old/decoder.onnx") == ("decoder.onnx", "old/decoder.onnx")
    page = make(open_bundle=False, inspection=single(PREFILL))
    page.context.inspectRequested.emit(InspectTarget("/b/int4/decoder.onnx", before="/b/fp32/decoder.onnx"))
    qtbot.waitUntil(lambda: page.tabs.graph.model.diff is not None)
    assert page.heading.text() == "fp32/decoder.onnx → int4/decoder.onnx"
    assert page.tabs.graph.stages.compare.text() == "Against fp32/decoder.onnx"


def test_panels_make_room_for_the_graph_and_stay_so(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.resize(1200, 700)  # of a window of 1280 × 800, beside its rail
    page.tabs.show_tab("graph")
    qtbot.waitUntil(lambda: page.tabs.graph.model.scene is not None)
    narrow = page.tabs.graph.view.width()
    page.list_button.click()
    page.tabs.graph.tools.dock.click()
    qtbot.waitUntil(lambda: page.tabs.graph.view.width() >= 900)
    assert narrow < 900 and not page.components.isVisible() and not page.tabs.graph.panel.isVisible()
    again = InspectPage(page.context)
    qtbot.addWidget(again)
    assert not again.list_button.isChecked() and not again.tabs.graph.tools.dock.isChecked()
    assert again.tabs.graph.tools.folds.isChecked()


def test_keys_of_the_graph_work_after_its_tab_was_chosen_by_mouse(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    page.tabs.show_tab("composite")
    bar = page.tabs.tabBar()
    bar.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(page.tabs.names.index("graph")).center())
    tab, control = page.tabs.graph, Qt.KeyboardModifier.ControlModifier
    qtbot.waitUntil(lambda: tab.model.scene is not None)
    qtbot.waitUntil(bar.hasFocus)
    qtbot.keyClick(bar, Qt.Key.Key_L, control)
    assert not tab.tools.folds.isChecked()
    qtbot.keyClick(bar, Qt.Key.Key_F, control)
    qtbot.waitUntil(tab.node_search.field.hasFocus)
    page.refresh_button.setFocus()
    qtbot.keyClick(page.refresh_button, Qt.Key.Key_F, control)
    qtbot.waitUntil(tab.node_search.field.hasFocus)
    page.tabs.show_tab("operators")
    qtbot.keyClick(bar, Qt.Key.Key_L, control)
    assert not tab.tools.folds.isChecked(), "only the tab in front takes keys"


def test_a_graph_has_one_count_of_its_nodes(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """Those inside of an If are said beside it, and a file that no stage made says nothing of changes."""
    report = small(2)
    for node in report.nodes[3:6]:
        node.parent = 2
    file = tmp_path / "graph.json"
    file.write_text(dumps(report))
    page = make(open_bundle=False, inspection=single(PREFILL), graph=str(file))
    page.context.inspectRequested.emit(InspectTarget("/b/prefill.onnx"))
    qtbot.waitUntil(lambda: bool(page.tabs.graph.panel.lines))
    lines = page.tabs.graph.panel.text.toPlainText().splitlines()
    assert lines[1:3] == [f"{len(report.nodes) - 3} nodes", "and 3 in subgraphs"]
    assert page.tabs.graph.stages.facts_of(page.tabs.graph.model.stages[-1], None)[:1] == [f"{len(report.nodes)} nodes"]
    assert "changed nothing" not in page.tabs.graph.stages.facts_of(page.tabs.graph.model.stages[-1], None)
