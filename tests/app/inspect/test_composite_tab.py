"""Inspect opens on the composite: what a click and a key lead to, what lights up, and the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from pytestqt.qtbot import QtBot

from app.composite.composite_view import CompositeView
from app.composite.items import NodeItem
from app.inspect.inspect_page import InspectPage
from app.state.active_run import STARTED, ActiveRun
from app.state.context import AppContext
from app.state.inspection import InspectTarget
from app.widgets.theme import theme
from tests.app.composite.example_composites import inspect_report, ten_sessions
from tests.app.test_inspect_page import spoken
from tests.fakes.inspections import BUNDLE
from tests.fakes.worker import program
from tests.workflows.inspection.picture.making import encoder_decoder, seams
from workflows.inspection.picture.layout import lay_out
from workflows.inspection.picture.svg import svg_of
from workflows.wire.reports.composite import ComponentSession, Composite

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., InspectPage]
PARTS = seams()


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    contexts: list[AppContext] = []

    def build(composite: Composite = PARTS, **scenario: Any) -> InspectPage:
        scenario.setdefault("inspection", inspect_report(composite))
        context = AppContext(tmp_path / "home", program(**scenario), lambda folder: {"path": folder, "name": "demo"})
        contexts.append(context)
        page = InspectPage(context)
        qtbot.addWidget(page)
        page.resize(1000, 700)
        context.open_bundle("/b/demo")
        page.show()
        qtbot.waitUntil(lambda: page.inspection is not None)
        return page

    yield build
    for context in contexts:
        context.close()


def item(page: InspectPage, key: str) -> NodeItem:
    return next(one for one in page.tabs.composite.view.nodes if one.node.key == key)


def click(qtbot: QtBot, page: InspectPage, key: str) -> None:
    view = page.tabs.composite.view
    at = view.mapFromScene(item(page, key).box.center())
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def shown(page: InspectPage) -> str:
    return page.tabs.names[page.tabs.currentIndex()]


def lit(view: CompositeView) -> set[str]:
    return {one.node.key for one in view.nodes if one.active}


def test_a_bundle_opens_on_its_composite(make: Make) -> None:
    """Every session, state, driver and output is a box; no component is chosen yet."""
    page = make()
    assert shown(page) == "composite"
    assert {one.node.key for one in page.tabs.composite.view.nodes} == {
        "session:table", "session:first", "session:later", "session:head", "state:0",
        "feed:table", "feed:first", "feed:later", "output:head",
    }  # fmt: skip
    assert not any(card.property("chosen") == "true" for card in page.components.cards)
    assert "first: hidden [1, n, 8] float32" in " ".join(link.toolTip() for link in page.tabs.composite.view.links)


def test_names_are_no_markup(make: Make) -> None:
    """Nor in what is said of a box that is pointed at."""
    alone = ComponentSession("<b>table</b>", "<i>.onnx", "", ())
    (one,) = make(Composite("<u>", (), (alone,), (), (), (), ())).tabs.composite.view.nodes
    assert one.toolTip() == "<p style='white-space: pre'>&lt;b&gt;table&lt;/b&gt;, &lt;i&gt;.onnx</p>"


def test_a_click_on_a_session_opens_its_graph(make: Make, qtbot: QtBot) -> None:
    """And chooses its card."""
    page = make()
    click(qtbot, page, "session:later")
    assert shown(page) == "graph" and [card.property("chosen") for card in page.components.cards].index("true") == 2
    qtbot.waitUntil(lambda: page.tabs.graph.model.graph is not None)


def test_a_click_on_a_state_opens_the_kv_tab(make: Make, qtbot: QtBot) -> None:
    """What feeds a session leads nowhere."""
    page = make()
    click(qtbot, page, "feed:first")
    assert shown(page) == "composite" and page.tabs.composite.view.chosen is item(page, "feed:first")
    click(qtbot, page, "state:0")
    assert shown(page) == "kv"


def test_a_drag_opens_nothing(make: Make, qtbot: QtBot) -> None:
    """It moves the picture."""
    page = make()
    view = page.tabs.composite.view
    at = view.mapFromScene(item(page, "session:head").box.center())
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=at + QPoint(40, 0))
    assert shown(page) == "composite" and view.chosen is None


def test_arrows_and_enter(make: Make, qtbot: QtBot) -> None:
    """To the nearest box that way; Enter opens it."""
    page = make()
    view = page.tabs.composite.view
    view.choose(item(page, "session:table"))
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.chosen is item(page, "feed:table")
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.chosen in (item(page, "session:first"), item(page, "session:later"), item(page, "feed:later"))
    view.choose(item(page, "state:0"))
    assert spoken(view) == ("Composite: " + item(page, "state:0").node.name, item(page, "state:0").node.description)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert shown(page) == "kv"


def test_tab_goes_through_all_boxes_and_on(make: Make, qtbot: QtBot) -> None:
    """From left to right; after the last the focus moves on."""
    page = make(encoder_decoder())
    page.activateWindow()
    view = page.tabs.composite.view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(view.hasFocus)
    seen = []
    while view.hasFocus() and len(seen) < 20:
        assert view.chosen is not None and view.chosen.marked
        seen.append(view.chosen.node.key)
        qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert len(seen) == len(view.nodes) == len(set(seen))
    assert seen.index("session:reader") < seen.index("state:1") < seen.index("session:writer") < seen.index("state:0")
    assert not any(one.marked for one in view.nodes)


def test_marks_join_what_is_chosen(make: Make) -> None:
    """The lines of a box, and no other."""
    page = make()
    view = page.tabs.composite.view
    page.activateWindow()
    view.setFocus()
    view.choose(item(page, "session:head"))
    marked = {(link.link.source, link.link.target) for link in view.links if link.marked}
    assert marked == {
        ("session:first", "session:head"), ("session:later", "session:head"), ("session:head", "output:head"),
    }  # fmt: skip


def test_a_run_highlights_its_parts(make: Make) -> None:
    """Sessions, lines, the state, and what feeds them; seen in the pixels, and dark again."""
    view = make().tabs.composite.view
    box = next(one.box for one in view.nodes if one.node.key == "session:later")
    at = view.mapFromScene(box.topRight() + QPoint(-8, 8).toPointF())
    dark = view.grab().toImage().pixelColor(at)
    view.set_run("decode")
    assert lit(view) == {
        "session:table", "feed:table", "session:later", "feed:later", "session:head", "output:head", "state:0",
    }  # fmt: skip
    lines = {(link.link.source, link.link.target) for link in view.links if link.active}
    assert ("session:later", "state:0") in lines and ("session:first", "state:0") not in lines
    assert view.grab().toImage().pixelColor(at) != dark
    view.set_run("")
    assert lit(view) == set() and view.grab().toImage().pixelColor(at) == dark


def test_highlights_follow_a_chat_with_this_bundle(make: Make, qtbot: QtBot) -> None:
    """The first run, prefill, decode, and dark at the end."""
    page = make(encoder_decoder(), reply="a b c", chunks=2)
    tab, session, runs = page.tabs.composite, page.context.session, list[str]()
    page.tabs.active_run.changed.connect(lambda: runs.append(page.tabs.active_run.run_of("/b/demo")))
    texts = list[str]()
    page.tabs.active_run.changed.connect(lambda: texts.append(tab.running.text()))
    session.open("/b/demo")
    session.generate("x")
    qtbot.waitUntil(lambda: session.state == "ready" and len(runs) > 1)
    assert runs == [STARTED, "prefill", "decode", ""]
    assert texts == ["Running: source", "Running: prefill", "Running: decode", ""]
    assert lit(tab.view) == set() and not tab.running.isVisible()


def test_another_bundle_highlights_nothing(make: Make, qtbot: QtBot) -> None:
    """Though it generates."""
    page = make(reply="a b c")
    seen = list[set[str]]()
    page.tabs.active_run.changed.connect(lambda: seen.append(lit(page.tabs.composite.view)))
    page.context.session.open("/b/other")
    page.context.session.generate("x")
    qtbot.waitUntil(lambda: len(seen) == 4)
    assert seen == [set()] * 4 and page.tabs.active_run.run_of("/b/demo") == ""


def test_a_crash_removes_the_highlights(make: Make, qtbot: QtBot) -> None:
    """As any end does."""
    page = make(reply="a b c", tokens=90, crash_on="generate", crash_after=9)
    page.context.session.open("/b/demo")
    page.context.session.generate("x")
    qtbot.waitUntil(lambda: page.context.session.state == "failed")
    assert page.tabs.active_run.run_of("/b/demo") == "" and lit(page.tabs.composite.view) == set()


def test_highlights_that_come_late(make: Make, qtbot: QtBot) -> None:
    """A page that is built amid a reply lights up at once."""
    page = make(reply="a b c", tokens=900, delay=0.01)
    page.context.session.open("/b/demo")
    page.context.session.generate("x")
    qtbot.waitUntil(lambda: page.context.session.state == "generating")
    assert ActiveRun(page.context.session).run_of("/b/demo") == STARTED
    page.context.session.stop()
    qtbot.waitUntil(lambda: page.context.session.state == "ready")


def test_the_file_is_the_picture(make: Make, tmp_path: Path) -> None:
    """The same writer as the command line's; a name without its ending is told what is wrong."""
    tab = make().tabs.composite
    tab.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text("utf-8") == svg_of(lay_out(PARTS))
    assert tab.banner.message.startswith("Saved to ")
    tab.save(tmp_path / "picture.png")
    assert "does not end in .svg" in tab.banner.message and not (tmp_path / "picture.png").exists()


def test_nothing_to_draw(make: Make) -> None:
    """An inspection without a composite says so."""
    tab = make(inspection=BUNDLE).tabs.composite
    assert tab.stack.currentWidget() is tab.empty and not tab.save_button.isEnabled()
    tab.choose_save_file()  # does nothing


def seen(view: CompositeView) -> QRectF:
    """The part of the drawing that is in sight."""
    return view.mapToScene(view.viewport().rect()).boundingRect()


def test_a_large_one_begins_where_it_can_be_read(make: Make, qtbot: QtBot) -> None:
    """Ten sessions are no smaller than can be read; a small one is whole."""
    view = make(ten_sessions()).tabs.composite.view
    assert view.transform().m11() == pytest.approx(0.8)
    assert view.mapToScene(0, 0).x() <= 16
    view.fit()
    qtbot.waitUntil(lambda: all(seen(view).contains(one.box) for one in view.nodes))
    small = make().tabs.composite.view
    assert all(seen(small).contains(one.box) for one in small.nodes)


def test_zoom_stays_when_the_room_changes(make: Make, qtbot: QtBot) -> None:
    """0 fits again."""
    view = make(encoder_decoder()).tabs.composite.view
    fitted = view.transform().m11()
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    scale = view.transform().m11()
    assert scale < fitted
    view.resize(view.width() - 60, view.height())
    assert view.transform().m11() == scale
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.transform().m11() > scale


def test_both_themes(make: Make) -> None:
    """The ground is the window's."""
    view = make().tabs.composite.view
    for mode in ("dark", "light"):
        theme().set_mode(mode)
        assert view.grab().toImage().pixelColor(2, 2) == theme().color("window")


def test_a_graph_alone_opens_on_its_graph(make: Make, qtbot: QtBot) -> None:
    """There is one box, and nothing runs beside it."""
    page = make()
    page.context.inspectRequested.emit(InspectTarget("/b/first.onnx"))
    qtbot.waitUntil(lambda: page.inspection is not None and not page.inspection.is_bundle)
    assert shown(page) == "graph"


def test_reading_again_stays_where_one_is(make: Make, qtbot: QtBot) -> None:
    """The composite comes first for another bundle alone."""
    page = make()
    page.tabs.show_tab("details")
    page.refresh_button.click()
    before = page.inspection
    qtbot.waitUntil(lambda: page.inspection is not before)
    assert shown(page) == "details"
    page.context.open_bundle("/b/other")
    qtbot.waitUntil(lambda: shown(page) == "composite")
