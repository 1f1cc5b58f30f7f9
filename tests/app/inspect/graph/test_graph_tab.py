"""The graph tab over the fake worker: opening scopes, walking, searching, stages, differences, details, pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from app.inspect.graph.dock import WIDE
from app.inspect.graph.graph_canvas import GraphCanvas
from app.inspect.graph.graph_tab import GraphTab
from app.inspect.graph.viewport import MIN_START_SCALE
from app.jobs.worker_client import WorkerClient
from app.widgets.theme import theme
from tests.app.netron_models import chain
from tests.app.test_inspect_page import spoken
from tests.fakes.graphs import Maker, decoder_graph, flat_graph, small
from tests.fakes.worker import program
from workflows.wire.codec import dumps
from workflows.wire.reports.base import Report
from workflows.wire.reports.graphs import DiffReport, GraphNode, GraphValue
from workflows.wire.requests import GraphReference

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., GraphTab]


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    workers: list[WorkerClient] = []

    def build(ready: bool = True, **scenario: Any) -> GraphTab:
        worker = WorkerClient(program(**scenario))
        workers.append(worker)
        tab = GraphTab(worker, tmp_path / "pictures")
        qtbot.addWidget(tab)
        tab.model.folds = False
        tab.resize(1000, 640)
        tab.show()
        tab.activateWindow()
        tab.show_graph("/b/demo", "decode")
        if ready:
            qtbot.waitUntil(lambda: tab.model.scene is not None)
        return tab

    yield build
    for worker in workers:
        worker.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices are so long that opening a scope is done when it returns."""
    monkeypatch.setattr("app.jobs.time_slices.SLICE_MS", 60_000.0)


def write(folder: Path, name: str, answer: Report) -> str:
    file = folder / name
    file.write_text(dumps(answer))
    return str(file)


def node_called(tab: GraphTab, op: str, scope: str) -> int:
    assert tab.model.graph is not None
    return next(n.index for n in tab.model.graph.nodes if n.op == op and n.scope == scope)


def click(qtbot: QtBot, tab: GraphTab, key: int | str, double: bool = False, dy: int = 0) -> None:
    canvas = tab.view.canvas
    place = canvas.place_of(key)
    assert place is not None
    screen = canvas.to_screen(place)
    at = QPoint(round(screen.center().x()), round(screen.top() + 8 + dy))
    (qtbot.mouseDClick if double else qtbot.mouseClick)(canvas, Qt.MouseButton.LeftButton, pos=at)


def centered(canvas: GraphCanvas) -> bool:
    """Whether the selected box is entirely visible, at a scale at which it can be read."""
    key = canvas.highlights.selected
    place = canvas.place_of(key) if key is not None else None
    return place is not None and canvas.visible().contains(place) and canvas.scale >= MIN_START_SCALE


def pixel(tab: GraphTab, key: int | str) -> str:
    canvas = tab.view.canvas
    place = canvas.place_of(key)
    assert place is not None
    screen = canvas.to_screen(place)
    image = canvas.grab().toImage()
    ratio = image.devicePixelRatio()
    return image.pixelColor(round((screen.right() - 6) * ratio), round((screen.bottom() - 4) * ratio)).name()


def test_requested_when_looked_at(qtbot: QtBot, tmp_path: Path) -> None:
    worker = WorkerClient(program())
    tab = GraphTab(worker, tmp_path)
    qtbot.addWidget(tab)
    tab.show_graph("/b/demo", "decode")
    assert worker.pid == 0
    tab.show()
    qtbot.waitUntil(lambda: tab.model.scene is not None)
    worker.close()


def test_double_click_opens_and_the_box_stays_where_it_is(make: Make, qtbot: QtBot) -> None:
    tab = make()
    canvas, scene = tab.view.canvas, tab.model.scene
    assert scene is not None and "model" in scene.opened and "model/layers.0" not in scene.opened
    key = "model/layers.0/self_attn"
    tab.view.reveal(key)
    before = canvas.to_screen(canvas.place_of(key)).topLeft()  # type: ignore[arg-type]
    click(qtbot, tab, key, double=True)
    assert key in scene.opened and tab.model.selected == key
    assert canvas.place_of(key + "/q_proj") is not None
    after = canvas.to_screen(canvas.place_of(key)).topLeft()  # type: ignore[arg-type]
    assert (after - before).manhattanLength() <= 2
    click(qtbot, tab, key, double=True)
    assert key not in scene.opened


def test_keys_open_close_and_walk(make: Make, qtbot: QtBot) -> None:
    tab = make()
    canvas, model = tab.view.canvas, tab.model
    canvas.setFocus()
    tab.view.reveal("model/layers.0/mlp")
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert model.scene is not None and "model/layers.0/mlp" in model.scene.opened
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert model.selected == "model/layers.0/mlp/gate_proj"
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert model.selected == "model/layers.0/mlp/act_fn"
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert model.selected == "model/layers.0/mlp/gate_proj"
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert model.selected == "model/layers.0/mlp"
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert "model/layers.0/mlp" not in model.scene.opened
    qtbot.keyClick(canvas, Qt.Key.Key_Backspace)
    assert model.selected == "model/layers.0"
    name, description = spoken(canvas)
    assert name == "Graph decode: layers.0" and description.startswith("Scope model/layers.0, open")
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert model.selected is None and spoken(canvas) == ("Graph decode", "")


def test_zoom_keeps_the_point_under_the_pointer(make: Make) -> None:
    tab = make()
    canvas = tab.view.canvas
    at = QPointF(200, 150)
    before = (at - QPointF(canvas.offset)) / canvas.scale
    canvas.zoom(1.7, at)
    after = (at - QPointF(canvas.offset)) / canvas.scale
    assert (after - before).manhattanLength() < 2
    canvas.fit()
    assert canvas.visible().contains(canvas.bounds())


def test_panning_by_copying_is_the_same_picture(make: Make) -> None:
    """What was scrolled and what was drawn anew fit together to the pixel."""
    tab = make()
    canvas = tab.view.canvas
    canvas.zoom_to(0.8)
    for step in ((37, -90), (-120, 33), (5, -400)):
        canvas.pan(*step)
        canvas.repaint()
    scrolled = canvas.grab().toImage()
    canvas.update()
    canvas.repaint()
    assert canvas.grab().toImage() == scrolled


def test_selection_shows_who_gives_and_who_takes(make: Make) -> None:
    tab = make()
    tab.view.reveal("model/layers.1")
    gives, takes = tab.view.canvas.highlights.neighbours
    assert tab.model.graph is not None
    nodes = tab.model.graph.nodes
    assert {n if isinstance(n, str) else nodes[n].scope for n in gives} == {
        "model",
        "model/rotary_emb",
        "model/layers.0",
    }
    assert {nodes[n].scope for n in takes if isinstance(n, int)} == {"model/norm"}
    chosen = node_called(tab, "Softmax", "model/layers.0/self_attn")
    tab.view.reveal(chosen)
    assert tab.breadcrumbs.paths == ["", "model", "model/layers.0", "model/layers.0/self_attn"]
    gives, takes = tab.view.canvas.highlights.neighbours
    assert [nodes[n].op for n in (*gives, *takes) if isinstance(n, int)] == ["Add", "MatMul"]


def test_a_port_of_the_chosen_box_leads_to_its_other_end(make: Make, qtbot: QtBot) -> None:
    tab = make()
    key = node_called(tab, "Pow", "model/layers.1/input_layernorm")
    tab.view.reveal(key)
    tab.view.canvas.zoom_to(1.0)
    tab.view.canvas.center_on(key)
    box = tab.model.scene.find(key)[0]  # type: ignore[union-attr,index]
    line = [port.text if port else "" for _, port in box.lines()].index("layers.0")
    click(qtbot, tab, key, dy=20 + 17 * line)
    assert tab.model.graph is not None
    assert tab.model.graph.nodes[tab.model.selected].scope == "model/layers.0"  # type: ignore[index]


def test_search_goes_from_one_to_the_next(make: Make, qtbot: QtBot) -> None:
    tab = make()
    tab.view.canvas.setFocus()
    qtbot.keyClick(tab, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: tab.node_search.field.hasFocus())
    qtbot.keyClicks(tab.node_search.field, "softmax layers")
    qtbot.waitUntil(lambda: tab.node_search.count.text() == "1 / 2")
    first = tab.model.selected
    qtbot.keyClick(tab.node_search.field, Qt.Key.Key_Return)
    assert tab.node_search.count.text() == "2 / 2" and tab.model.selected != first
    assert tab.view.canvas.place_of(tab.model.selected) is not None  # type: ignore[arg-type]
    assert len(tab.view.canvas.highlights.matches) == 2
    qtbot.keyClick(tab.node_search.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: tab.view.canvas.hasFocus())
    qtbot.keyClick(tab.view.canvas, Qt.Key.Key_N)
    assert tab.node_search.count.text() == "1 / 2"
    tab.node_search.field.setText("nothing like it")
    qtbot.waitUntil(lambda: tab.node_search.count.text() == "none")
    assert tab.view.canvas.highlights.matches == set()


def test_stages_keep_place_selection_and_open_scopes(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    export = small()
    for place in range(3):  # three more nodes before all others: every number is another
        export.values.append(GraphValue(f"c{place}", "int64", [], "value", 0))
    first = len(export.values) - 3
    export.nodes[:0] = [GraphNode(f"constant_{i}", "Constant", "", "", [], [first + i], {}, "", -1) for i in range(3)]
    tab = make(graphs={"export": write(tmp_path, "export.json", export)})
    canvas, model = tab.view.canvas, tab.model
    key = node_called(tab, "Softmax", "model/layers.1/self_attn")
    tab.view.reveal(key)
    name = model.graph.nodes[key].name  # type: ignore[union-attr]
    canvas.zoom_to(0.9)
    corner = canvas.to_screen(canvas.place_of(key)).topLeft()  # type: ignore[arg-type]
    assert tab.stages.name.text() == "final" and tab.stages.position.text() == "3 of 3"
    tab.stages.slider.setValue(1)
    qtbot.waitUntil(lambda: tab.stages.name.text() == "fuse rmsnorm" and not model.busy)
    assert "32 of 32 greedy tokens equal" in tab.stages.facts.toolTip()
    assert "107 nodes (−14)" in tab.stages.facts.toolTip()
    assert tab.stages.refused.text() == "1 refused" and not tab.stages.refused.isHidden()
    tab.stages.previous_button.click()
    qtbot.waitUntil(lambda: tab.stages.name.text() == "export" and not model.busy)
    assert model.selected == key + 3
    assert model.graph.nodes[model.selected].name == name  # type: ignore[union-attr,index]
    moved = canvas.to_screen(canvas.place_of(model.selected)).topLeft()  # type: ignore[arg-type]
    assert (moved - corner).manhattanLength() <= 2 and canvas.scale == pytest.approx(0.9)


def test_difference_with_the_stage_before(make: Make, qtbot: QtBot) -> None:
    tab = make()
    assert tab.changes.isHidden()
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    assert tab.model.against == GraphReference("/b/demo", "decode", "fuse-rmsnorm")
    assert [p.text() for p in tab.changes.pills.values()] == ["− 10 removed", "+ 5 added", "~ 5 changed"]
    top = tab.changes.tree.topLevelItem(0)
    assert top.text(0) == "model" and top.text(1) == "−10 +5 ~5"
    assert tab.changes.ops.rows.rowCount() == 2
    tab.view.canvas.setFocus()
    first = tab.model.selected
    assert first == tab.model.changes()[0], "the first change is shown at once"
    assert centered(tab.view.canvas) and tab.model.graph.nodes[first].change == "removed"  # type: ignore[union-attr,index]
    qtbot.keyClick(tab.view.canvas, Qt.Key.Key_BracketRight)
    assert tab.model.selected != first
    qtbot.keyClick(tab.view.canvas, Qt.Key.Key_BracketLeft)
    assert tab.model.selected == first
    tab.stages.slider.setValue(1)  # the comparison goes along
    qtbot.waitUntil(lambda: tab.model.against is not None and tab.model.against.stage == "export")
    tab.model.compare(None)
    qtbot.waitUntil(lambda: tab.model.diff is None and not tab.model.busy)
    assert tab.changes.isHidden()


def test_changes_are_distinguished_by_colour_and_by_sign(make: Make, qtbot: QtBot) -> None:
    tab = make()
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    colours = {}
    for op, change in (("Pow", "removed"), ("ReduceMean", "added"), ("Reciprocal", "changed"), ("Add", "")):
        key = node_called(tab, op, "model/norm")
        tab.view.reveal(key)
        tab.view.canvas.zoom_to(1.0)
        tab.view.canvas.center_on(key)
        tab.model.select(None)
        colours[change] = pixel(tab, key)
    assert len(set(colours.values())) == 4
    assert colours[""] == theme().color("raised").name()
    tab.view.reveal(node_called(tab, "Reciprocal", "model/norm"))
    words = tab.panel.text.toPlainText()
    assert "~ changed" in words and "− Div" in words and "+ Reciprocal" in words
    assert "− axis = 0" in words and "+ axis = -1" in words


def test_the_changes_have_a_tab_while_there_is_a_comparison(make: Make, qtbot: QtBot) -> None:
    tab = make()
    assert dock_titles(tab) == ["Details"]
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    assert dock_titles(tab) == ["Details", "Changes"] and tab.changes.isVisible() and not tab.panel.isVisible()
    tab.model.compare(None)
    qtbot.waitUntil(lambda: tab.model.diff is None)
    assert dock_titles(tab) == ["Details"] and tab.panel.isVisible()


def dock_titles(tab: GraphTab) -> list[str]:
    return [tab.dock.tabText(place) for place in range(tab.dock.count()) if tab.dock.isTabVisible(place)]


def test_keys_unfold_the_dock_at_a_panel_and_fold_it(make: Make, qtbot: QtBot) -> None:
    tab = make()
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(tab, Qt.Key.Key_J, control)
    assert tab.dock.isVisible(), "there are no changes to show or hide"
    qtbot.keyClick(tab, Qt.Key.Key_I, control)
    assert not tab.dock.isVisible()
    qtbot.waitUntil(lambda: tab.view.width() == tab.width() - 8)
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    assert not tab.dock.isVisible(), "who folded the dock did not unfold it"
    qtbot.keyClick(tab, Qt.Key.Key_J, control)
    assert tab.changes.isVisible()
    qtbot.keyClick(tab, Qt.Key.Key_I, control)
    assert tab.panel.isVisible() and tab.tools.dock.isChecked()
    qtbot.keyClick(tab, Qt.Key.Key_I, control)
    assert not tab.dock.isVisible() and not tab.tools.dock.isChecked()


@pytest.mark.parametrize("width", [680, 936, 1500])
def test_the_graph_has_half_of_the_width_at_least(make: Make, qtbot: QtBot, width: int) -> None:
    tab = make()
    tab.resize(width, 560)
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    assert tab.dock.isVisible()
    qtbot.waitUntil(lambda: tab.view.width() >= width // 2 - 9)
    tab.view.reveal(node_called(tab, "Softmax", "model/layers.0/self_attn"))
    links = [parts[-1] for parts in tab.breadcrumbs._links]
    assert not links[0].isHidden() and not links[-1].isHidden()
    assert sum(link.width() for link in links if not link.isHidden()) <= tab.breadcrumbs.width()
    tab.tools.split.click()
    assert tab.dock.isVisible() is (width >= WIDE)


def test_a_selected_node_stays_in_view_through_panes_panels_and_widths(make: Make, qtbot: QtBot) -> None:
    tab = make()
    canvas = tab.view.canvas
    tab.navigation.open_all()
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None and not tab.model.busy)
    for step in range(len(tab.model.changes())):
        tab.navigation.step_change(1)
        selected = tab.model.selected
        for act in (tab.tools.split.click, tab.tools.dock.click, partial(tab.resize, 700 + 40 * (step % 9), 500)):
            act()
            qtbot.wait(1)  # the splitter's layout
            assert tab.model.selected == selected and centered(canvas)
            assert not tab.view.pair.is_shown or tab.view.pair.before.offset == canvas.offset


def test_the_minimap_is_there_while_a_part_of_the_graph_is_not_visible(make: Make) -> None:
    tab = make()
    tab.navigation.open_all()
    tab.tools.fit.click()
    assert not tab.view.minimap.isVisible()
    tab.view.canvas.zoom_to(1.0)
    assert tab.view.minimap.isVisible()
    tab.view.canvas.fit()
    assert not tab.view.minimap.isVisible()


def test_the_fitted_graph_stays_fitted(make: Make, qtbot: QtBot) -> None:
    tab = make()
    canvas = tab.view.canvas
    tab.navigation.open_all()
    tab.tools.fit.click()
    for act in (tab.tools.dock.click, lambda: tab.resize(1400, 500), lambda: tab.stages.slider.setValue(1)):
        act()
        qtbot.waitUntil(lambda: not tab.model.busy)
        qtbot.wait(1)
        fitted = canvas.scale, canvas.offset
        canvas.fit()
        assert (canvas.scale, canvas.offset) == fitted
    canvas.zoom(2)
    moved = canvas.scale
    tab.resize(1000, 640)
    assert canvas.scale == moved


def test_many_changes_are_listed_when_they_are_looked_at(make: Make, qtbot: QtBot) -> None:
    tab = make(layers=12)
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    item = tab.changes.tree.topLevelItem(0).child(3)
    assert item.text(0) == "layers.3" and item.childCount() == 0
    item.setExpanded(True)
    assert [item.child(i).text(1) for i in range(item.childCount())] == ["−2 +1 ~1", "−2 +1 ~1"]


def test_click_in_the_tree_of_changes_goes_there(make: Make, qtbot: QtBot) -> None:
    tab = make()
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None)
    item = tab.changes.tree.topLevelItem(0).child(0)
    assert item.text(0) == "layers.0" and item.isExpanded(), "few rows are open from the start"
    item.setExpanded(True)
    item.child(0).setExpanded(True)
    inner = item.child(0)
    assert [inner.child(i).text(0) for i in range(inner.childCount())] == [
        "− Pow",
        "+ ReduceMean",
        "− Sqrt",
        "~ Reciprocal",
    ]
    tab.changes.tree.picked.emit(item.data(0, Qt.ItemDataRole.UserRole))
    assert tab.model.selected == "model/layers.0"


def test_panel_says_all_and_leads_on(make: Make, qtbot: QtBot) -> None:
    tab = make()
    key = node_called(tab, "MatMul", "model/layers.0/self_attn/q_proj")
    tab.view.reveal(key)
    words = tab.panel.text.toPlainText().splitlines()
    assert words[:3] == ["MatMul", "ai.onnx", tab.model.graph.nodes[key].name]  # type: ignore[union-attr]
    assert "model/layers.0/self_attn/q_proj.weight" in words and "float32 128 × 128  64.0 KiB" in words
    assert "from Mul · input_layernorm" in words
    qtbot.keyClick(tab, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert QGuiApplication.clipboard().text().startswith("MatMul\nai.onnx\n")
    source = min(tab.model.graph.sources({key}))  # type: ignore[union-attr]
    tab.panel.text.anchorClicked.emit(QUrl(f"node:{source}"))
    assert tab.model.selected == source


def test_refusals_and_passes_are_told_of_their_node(make: Make) -> None:
    tab = make()
    graph = tab.model.graph
    assert graph is not None
    refused = graph.stages[1].refused[0].node
    tab.view.reveal(next(n.index for n in graph.nodes if n.name == refused))
    assert "fuse rmsnorm refused this node: The norm has two consumers." in tab.panel.text.toPlainText()
    tab.view.reveal(9)
    assert "Last made or changed by: fuse rmsnorm" in tab.panel.text.toPlainText()


def test_names_from_a_file_are_never_read_as_html(make: Make, tmp_path: Path) -> None:
    maker = Maker()
    maker.output(maker.node("<b>bold</b>", "Relu", maker.input("<img src=x>", [1])), "y")
    tab = make(graph=write(tmp_path, "graph.json", maker.answer()))
    tab.view.reveal(0)
    assert "<img src=x>" in tab.panel.text.toPlainText()
    assert "<b>bold<" in tab.panel.text.toPlainText()


def test_values_on_demand(make: Make, qtbot: QtBot) -> None:
    tab = make()
    key = node_called(tab, "MatMul", "model/layers.0/self_attn/q_proj")
    tab.view.reveal(key)
    weight = tab.model.graph.nodes[key].inputs[1]  # type: ignore[union-attr]
    assert tab.panel.tensor.isHidden()
    tab.panel.text.anchorClicked.emit(QUrl(f"value:{weight}"))
    card = tab.panel.tensor
    qtbot.waitUntil(lambda: "mean" in card.figures.text())
    assert "min -0.0812 · max 0.0793 · mean 0.00012 · std 0.0201 · 3 zeros" in card.figures.text()
    bars = card.histogram.bars()
    assert len(bars) == 64 and max(bars, key=lambda b: b.height()) == bars[32]
    tab.view.reveal(0)
    assert card.isHidden()


def test_values_that_are_kept_elsewhere(make: Make, qtbot: QtBot) -> None:
    message = "w is kept in weights.data, which is not there."
    tab = make(errors={"tensor": {"kind": "graph", "message": message}})
    key = node_called(tab, "MatMul", "model/layers.0/self_attn/q_proj")
    tab.view.reveal(key)
    tab.panel.request_values(tab.model.graph.nodes[key].inputs[1])  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: tab.panel.tensor.error.text() == message)


def test_pictures_of_all_and_of_what_is_seen(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    tab = make()
    tab.saver.save(tmp_path / "all.svg", everything=True)
    root = ElementTree.parse(tmp_path / "all.svg").getroot()
    texts = "".join(root.itertext())
    assert "layers.0" in texts and "lm_head" in texts
    assert tab.banner.message.startswith("Saved to")
    tab.saver.save(tmp_path / "seen.png", everything=False)
    qtbot.waitUntil(lambda: "seen.png" in tab.banner.message)
    image = QImage(str(tmp_path / "seen.png"))
    visible = tab.view.canvas.visible()
    assert (image.width(), image.height()) == (round(visible.width() + 48), round(visible.height() + 48))
    assert list(tmp_path.glob(".*")) == []
    tab.saver.save(tmp_path / "no" / "all.png", everything=True)
    qtbot.waitUntil(lambda: "could not be saved" in tab.banner.message)
    tab.saver.save(tmp_path / "all.gif", everything=True)
    assert "must end in .svg or .png" in tab.banner.message


def test_a_picture_that_would_be_too_large_is_smaller_and_says_so(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.inspect.graph.picture_export.MOST_PIXELS", 1000)
    tab = make(graph=write(tmp_path, "graph.json", flat_graph(500)))
    tab.saver.save(tmp_path / "all.png", everything=True)
    qtbot.waitUntil(lambda: "The PNG is scaled to " in tab.banner.message)
    image = QImage(str(tmp_path / "all.png"))
    assert max(image.width(), image.height()) == 1000


def test_too_large_for_netron_is_reported_and_the_picture_stays(make: Make, qtbot: QtBot) -> None:
    tab = make()
    tab.tools.netron.click()
    qtbot.waitUntil(lambda: "Netron draws up to 500: choose a scope." in tab.banner.message)
    assert not tab.netron.is_shown and not tab.tools.netron.isChecked()


def test_without_its_library_netron_is_one_sentence(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "app.inspect.netron.browser_engine", None)  # its import raises ImportError
    tab = make(netron=str(chain(tmp_path / "a.onnx", "Relu", 3)))
    tab.netron.show("model/norm")
    qtbot.waitUntil(lambda: "Qt WebEngine, which cannot be loaded" in tab.banner.message)
    assert not tab.netron.is_shown


def test_error_is_a_banner_and_the_picture_stays(make: Make, qtbot: QtBot) -> None:
    tab = make(errors={"diff": {"kind": "graph", "message": "b.onnx is cut short.", "details": "trace"}})
    tab.model.compare(GraphReference("/x/b.onnx"))
    qtbot.waitUntil(lambda: tab.banner.message == "b.onnx is cut short.")
    assert tab.model.scene is not None and tab.model.diff is None
    broken = make(ready=False, errors={"graph": {"kind": "graph", "message": "It runs in a circle.", "details": ""}})
    qtbot.waitUntil(lambda: broken.banner.message == "It runs in a circle.")
    assert not broken.view.message.isHidden()


def test_what_takes_long_can_be_stopped(make: Make, qtbot: QtBot) -> None:
    tab = make(ready=False, hang_on="graph", stubborn=False)
    qtbot.waitUntil(lambda: tab.view.stop.isVisible(), timeout=5000)
    tab.view.stop.click()
    assert not tab.model.busy and tab.view.stop.isHidden() and tab.view.progress.isHidden()
    assert tab.banner.message == "Stopped."


def test_no_nodes_and_no_differences_are_reported(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    empty = Maker().answer()
    tab = make(graph=write(tmp_path, "graph.json", empty))
    assert tab.view.message.text() == "The graph has no nodes."
    counts = {"same": 107, "removed": 0, "added": 0, "changed": 0}
    same = DiffReport(small(), counts, [], [], {"removed": [], "added": [], "changed": []}, [])
    tab = make(diff=write(tmp_path, "diff.json", same))
    before = tab.netron.stack.mapTo(tab, QPoint())
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.banner.message == "No node differs between the two graphs.")
    qtbot.waitUntil(lambda: tab.overlay.height() > 0)
    assert tab.netron.stack.mapTo(tab, QPoint()) == before  # nothing moves under the mouse


def test_going_there_waits_for_the_layout(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    tab = make()
    monkeypatch.setattr("app.jobs.time_slices.SLICE_MS", 0.0)
    key = node_called(tab, "Softmax", "model/layers.1/self_attn")
    tab.view.reveal(key)
    assert tab.model.relaying and not tab.view.canvas.updatesEnabled()
    qtbot.waitUntil(lambda: not tab.model.busy)
    canvas = tab.view.canvas
    assert canvas.updatesEnabled() and canvas.visible().contains(canvas.place_of(key))  # type: ignore[arg-type]
    assert key in (tab.model.selected, canvas.highlights.selected)


def test_a_graph_of_twenty_thousand_nodes_opens_and_draws(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    tab = make(ready=False, graph=write(tmp_path, "graph.json", decoder_graph(20_000)))
    qtbot.waitUntil(lambda: tab.model.scene is not None, timeout=30_000)
    tab.navigation.open_all()
    qtbot.waitUntil(lambda: not tab.model.busy, timeout=30_000)
    tab.view.reveal(node_called(tab, "Softmax", "model/layers.300/self_attn"))
    canvas = tab.view.canvas
    assert canvas.visible().contains(canvas.place_of(tab.model.selected))  # type: ignore[arg-type]
    assert not canvas.grab().toImage().allGray()


def test_layers_of_one_structure_are_one_until_they_are_opened(make: Make, qtbot: QtBot) -> None:
    tab = make(layers=6)
    tab.tools.folds.setChecked(False)
    tab.tools.folds.click()
    qtbot.waitUntil(lambda: tab.model.outline is not None and "model/layers.0–5" in tab.model.outline.scopes)
    assert tab.view.canvas.place_of("model/layers.3") is None
    tab.model.select("model/layers.0–5")
    assert "6 scopes with the same structure; open to show each" in tab.panel.text.toPlainText()
    tab.node_search.field.setText("layers.4 softmax")  # a match inside opens what is around it
    tab.node_search.search()
    assert tab.model.selected == node_called(tab, "Softmax", "model/layers.4/self_attn")
    assert tab.view.canvas.place_of("model/layers.4") is not None
    tab.tools.folds.click()
    assert tab.model.outline is not None and "model/layers.0–5" not in tab.model.outline.scopes


def test_a_change_inside_of_folded_layers_is_gone_to(make: Make, qtbot: QtBot) -> None:
    tab = make(layers=6)
    tab.model.set_folds(True)
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None and not tab.model.busy)
    outline = tab.model.outline
    assert outline is not None and any(scope.repeat_count for scope in outline.scopes.values())
    tab.navigation.step_change(1)
    assert isinstance(tab.model.selected, int) and tab.view.canvas.place_of(tab.model.selected) is not None


def test_the_menu_has_groups_and_marks_what_is_on(make: Make, qtbot: QtBot) -> None:
    """No entry begins with what it is a menu of, and a switch is marked while it is on."""
    tab = make()
    menu = tab.tools.more.menu()
    texts = [one.text() for one in menu.actions() if one.text()]
    assert texts[:2] == ["Find a node", "Copy the details"] and not any("Graph" in one[:6] for one in texts)
    assert sum(one.isSeparator() for one in menu.actions()) == 4
    marked = {one.text(): one for one in menu.actions() if one.isCheckable()}
    menu.aboutToShow.emit()
    before = {text: one.isChecked() for text, one in marked.items()}
    assert before["Panel of details"] and not before["Draw with Netron"]
    marked["Repeated layers as one"].trigger()
    menu.aboutToShow.emit()
    assert marked["Repeated layers as one"].isChecked() != before["Repeated layers as one"]
