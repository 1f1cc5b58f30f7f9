"""Before and after side by side: what each pane has, and that they see, choose and open the same."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from app.inspect.graph.graph_canvas import GraphCanvas
from app.inspect.graph.graph_tab import GraphTab
from tests.app.inspect.graph.test_graph_tab import Make, at_once, make
from tests.app.test_inspect_page import spoken

__all__ = ["at_once", "make"]  # fixtures

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window


def compared(make: Make, qtbot: QtBot) -> GraphTab:
    """The norms fused: seven nodes of each were removed, one was added."""
    tab = make()
    tab.resize(1180, 640)
    tab.stages.compare_before()
    qtbot.waitUntil(lambda: tab.model.diff is not None and not tab.model.busy)
    tab.tools.split.click()
    return tab


def changed(tab: GraphTab, change: str) -> int:
    assert tab.model.graph is not None
    return next(node.index for node in tab.model.graph.nodes if node.change == change)


def middle(canvas: GraphCanvas, key: int | str) -> QPoint:
    place = canvas.place_of(key)
    assert place is not None
    return canvas.to_screen(place).center().toPoint()


def look(canvas: GraphCanvas, key: int | str) -> str:
    """The colour within the box."""
    place = canvas.place_of(key)
    assert place is not None
    screen = canvas.to_screen(place)
    return canvas.grab().toImage().pixelColor(round(screen.right() - 6), round(screen.bottom() - 5)).name()


def test_each_pane_has_its_side(make: Make, qtbot: QtBot) -> None:
    tab = compared(make, qtbot)
    before, after = tab.view.pair.before, tab.view.canvas
    assert before.isVisible() and abs(before.width() - after.width()) <= 1
    assert before.geometry().right() < after.geometry().left()
    assert [word.text() for word in tab.view.pair.captions] == ["Before", "After"]
    for change, has, lacks in (("removed", before, after), ("added", after, before)):
        key = changed(tab, change)
        tab.view.reveal(key)
        tab.model.select(None)
        assert look(has, key) != look(lacks, key)
        assert has.box_at(middle(has, key)) is not None
        hit = lacks.box_at(middle(lacks, key))
        assert hit is None or hit[0].key != key


def test_they_see_the_same(make: Make, qtbot: QtBot) -> None:
    tab = compared(make, qtbot)
    before, after = tab.view.pair.before, tab.view.canvas
    for one, other in ((before, after), (after, before)):
        one.zoom(1.5, QPointF(40, 50))
        assert (other.scale, other.offset) == (one.scale, one.offset)
        one.pan(30, -20)
        assert (other.scale, other.offset) == (one.scale, one.offset)
    tab.resize(1300, 700)
    assert (after.scale, after.offset) == (before.scale, before.offset)


def test_choosing_and_opening_go_along(make: Make, qtbot: QtBot) -> None:
    tab = compared(make, qtbot)
    before, after = tab.view.pair.before, tab.view.canvas
    tab.view.reveal("lm_head")
    qtbot.mouseClick(before, Qt.MouseButton.LeftButton, pos=middle(before, "model/norm"))
    chosen = tab.model.selected
    assert chosen is not None and before.highlights.selected == after.highlights.selected == chosen
    layer = "model/layers.1"
    tab.view.reveal(layer)
    assert tab.model.scene is not None
    opened = layer in tab.model.scene.opened
    before.activated.emit(layer)
    assert (layer in tab.model.scene.opened) is not opened and before.scene is after.scene is tab.model.scene


def test_both_panes_tell_a_screen_reader_what_is_selected(make: Make, qtbot: QtBot) -> None:
    tab = compared(make, qtbot)
    tab.view.reveal("lm_head")
    names = [spoken(canvas)[0] for canvas in (tab.view.pair.before, tab.view.canvas)]
    assert names[0] == "Graph before: lm_head" and names[1].endswith(": lm_head")
    assert len({spoken(canvas)[1] for canvas in (tab.view.pair.before, tab.view.canvas)}) == 1


def test_a_hidden_pane_keeps_no_scene_that_was_released(make: Make, qtbot: QtBot) -> None:
    tab = compared(make, qtbot)
    tab.tools.split.click()
    for stage in (1, 2):
        tab.stages.slider.setValue(stage)
        qtbot.waitUntil(lambda: not tab.model.busy)
        tab.navigation.step_change(1)
        qtbot.wait(50)  # the disposal of the last scene
        tab.resize(1100 + 10 * stage, 600)
        tab.tools.split.click()
        assert tab.view.pair.before.scene is tab.model.scene
        tab.tools.split.click()
        assert tab.view.pair.before.scene is None


def test_one_picture_again(make: Make, qtbot: QtBot) -> None:
    tab = compared(make, qtbot)
    tab.tools.split.click()
    assert not tab.view.pair.before.isVisible() and tab.view.canvas.width() == tab.view.width()
    key = changed(tab, "removed")
    tab.view.reveal(key)
    assert tab.view.canvas.box_at(middle(tab.view.canvas, key)) is not None
    tab.tools.split.click()
    tab.model.compare(None)
    qtbot.waitUntil(lambda: tab.model.diff is None and not tab.model.busy)
    assert not tab.view.pair.is_shown and tab.view.canvas.width() == tab.view.width()


def test_the_key_compares_where_nothing_is(make: Make, qtbot: QtBot) -> None:
    tab = make()
    next(one for one in tab.actions() if "side by side" in one.text()).trigger()
    qtbot.waitUntil(lambda: tab.view.pair.is_shown)
    assert tab.model.diff is not None
