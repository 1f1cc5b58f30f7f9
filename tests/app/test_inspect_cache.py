"""Changing the cache from the inspect page, over the fake worker: rewind by mouse and keys, scrub, save, load."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.inspect.cache_group_card import CacheGroupCard
from app.inspect.inspect_page import InspectPage
from app.inspect.kv_strip import KvStrip
from app.state.context import AppContext
from app.state.inspection import (
    EMPTY,
    FILLED,
    FROZEN,
    HEAD,
    PASSED,
    PICTURE,
    UNALLOCATED,
    SlotOccupancy,
    inspection_of,
    session_group,
)
from app.widgets.plain_text import PlainLabel
from app.widgets.session_choice import SessionChoice
from tests.fakes.inspections import BUNDLE, FIXED, group
from tests.fakes.worker import program
from workflows.wire.events import GroupView
from workflows.wire.reports.inspection import ComponentReport, KVGroupReport
from workflows.wire.requests import Open, Turn

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., InspectPage]


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    """Pages on their KV tab, whose session has generated: 64 of a prompt and the reply's tokens."""
    contexts: list[AppContext] = []

    def build(**scenario: Any) -> InspectPage:
        scenario = {"inspection": BUNDLE, "reply": "a b c d", "tokens": 36, **scenario}
        context = AppContext(tmp_path / "home", program(**scenario), lambda folder: {"path": folder, "name": "demo"})
        contexts.append(context)
        page = InspectPage(context)
        qtbot.addWidget(page)
        page.resize(1000, 700)
        context.open_bundle("/b/demo")
        page.show()
        qtbot.waitUntil(lambda: page.inspection is not None)
        page.tabs.setCurrentWidget(page.tabs.kv)
        context.session.open("/b/demo", capacity=256)
        context.session.generate("x")
        qtbot.waitUntil(
            lambda: context.session.state == "ready" and bool(context.session.groups_for(context.session.bundle))
        )
        return page

    yield build
    for context in contexts:
        context.close()


def strip(page: InspectPage) -> KvStrip:
    return page.tabs.kv.cards[0].strip


def handle_x(one: KvStrip) -> int | None:
    return one.handle.x(one.slot_geometry)


def at(page: InspectPage, slot: float) -> QPoint:
    area = strip(page).slot_geometry.area
    return QPoint(round(area.left() + slot * area.width() / 256), area.top() + 5)


def held(page: InspectPage) -> int:
    return page.context.session.groups_for(page.context.session.bundle)[0].length


def drag(page: InspectPage, qtbot: QtBot, start: int, end: float) -> None:
    one = strip(page)
    qtbot.mousePress(one, Qt.MouseButton.LeftButton, pos=at(page, start))
    qtbot.mouseMove(one, at(page, end))


def test_rewind_by_dragging(make: Make, qtbot: QtBot) -> None:
    page = make()
    assert held(page) == 100
    drag(page, qtbot, 100, 40)
    assert page.tabs.kv.cards[0].readout.text() == "Back to 40 tokens · forgets 60 of 100 tokens"
    assert strip(page).table.discarded_by(40) == [(40, 60)]
    qtbot.mouseRelease(strip(page), Qt.MouseButton.LeftButton, pos=at(page, 40))
    qtbot.waitUntil(lambda: held(page) == 40)
    assert strip(page).table.head == 40
    qtbot.waitUntil(lambda: page.tabs.kv.controls.result.text() == "The cache holds 40 tokens again.")
    assert page.tabs.kv.controls.spin.value() == 40


def test_illegal_length_stays_with_the_engines_sentence(make: Make, qtbot: QtBot) -> None:
    page = make(lowest=80)
    drag(page, qtbot, 100, 30)
    assert "no possible length" in page.tabs.kv.cards[0].readout.text()
    qtbot.mouseRelease(strip(page), Qt.MouseButton.LeftButton, pos=at(page, 30))
    banner = page.tabs.kv.controls.banner
    qtbot.waitUntil(lambda: "it can go to 0 and 80 to 100" in banner.message)
    assert (
        held(page) == 100
        and handle_x(strip(page))
        == strip(page).slot_geometry.area.left() + 100 * strip(page).slot_geometry.area.width() // 256
    )


def test_the_handle_takes_a_possible_length_that_is_near(make: Make, qtbot: QtBot) -> None:
    """A state of fixed size is stored for few lengths, which nobody would hit to the token."""
    page = make(lowest=80)
    drag(page, qtbot, 100, 79)
    assert page.tabs.kv.cards[0].readout.text().startswith("Back to 80 tokens")
    qtbot.mouseMove(strip(page), at(page, 1))
    assert page.tabs.kv.cards[0].readout.text().startswith("Back to 0 tokens")
    qtbot.mouseMove(strip(page), at(page, 40))
    assert "no possible length" in page.tabs.kv.cards[0].readout.text()
    table = strip(page).table
    table.rewindable = ((0, 0), (64, 64), (100, 100))
    assert [table.nearest_possible(length) for length in (0, 31, 33, 64, 83)] == [0, 0, 64, 64, 100]
    table.rewindable = ()
    assert table.nearest_possible(5) is None


def test_escape_lets_go(make: Make, qtbot: QtBot) -> None:
    page = make()
    drag(page, qtbot, 100, 40)
    qtbot.keyClick(strip(page), Qt.Key.Key_Escape)
    qtbot.mouseRelease(strip(page), Qt.MouseButton.LeftButton, pos=at(page, 40))
    assert page.context.session.cache.job == "" and held(page) == 100


def test_rewind_by_keyboard(make: Make, qtbot: QtBot) -> None:
    page = make(lowest=80)
    controls = page.tabs.kv.controls
    assert not controls.rewind_button.isEnabled()  # it is there already
    controls.spin.setValue(50)
    assert not controls.rewind_button.isEnabled()
    assert controls.legal.text().startswith("The cache cannot be rewound to 50")
    controls.spin.setValue(90)
    controls.rewind_button.click()
    qtbot.waitUntil(lambda: held(page) == 90)


def test_scrubbing_and_back_to_live(make: Make, qtbot: QtBot) -> None:
    page = make()
    history_slider, card = page.tabs.kv.history_slider, page.tabs.kv.cards[0]
    assert history_slider.isVisible() and not history_slider.live_button.isEnabled()
    history_slider.slider.setFocus()
    qtbot.keyClick(history_slider.slider, Qt.Key.Key_Home)
    assert history_slider.moment_label.text() == "step 1 · 65 tokens held"
    assert card.strip.table.used == 65 and card.state.text().startswith("then · 65 of 256 used")
    assert handle_x(card.strip) is None and not page.tabs.kv.controls.rewind_button.isEnabled()
    assert page.tabs.kv.cache_actions["live"].isEnabled()
    page.tabs.kv.cache_actions["live"].trigger()
    assert card.strip.table.used == 100 and handle_x(card.strip) is not None
    assert history_slider.moment_label.text() == "live · step 36 · 100 tokens held"
    history_slider.slider.setValue(0)
    page.context.session.generate("y")  # another generation: the picture is gone, so the strip follows again
    qtbot.waitUntil(lambda: page.context.session.state == "ready")
    assert history_slider.snapshot is None and page.tabs.kv.cards[0].strip.table.used == held(page)


def test_save_and_load(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    page = make()
    asked: list[str] = []

    def answer(_parent: Any, _title: str, start: str, _kinds: str) -> tuple[str, str]:
        asked.append(start)
        return str(page.context.home / "caches" / "mine"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    page.tabs.kv.controls.save_button.click()
    file = page.context.home / "caches" / "mine.safetensors"
    qtbot.waitUntil(lambda: page.tabs.kv.controls.result.text() == f"Saved to {file}.")
    assert asked == [str(page.context.home / "caches" / "demo-100-tokens.safetensors")]
    page.tabs.kv.controls.rewind(7)
    qtbot.waitUntil(lambda: held(page) == 7)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    page.tabs.kv.cache_actions["load"].trigger()
    qtbot.waitUntil(lambda: page.tabs.kv.controls.result.text() == "Loaded 100 tokens from mine.safetensors.")
    assert strip(page).table.used == 100


def test_load_that_is_refused(make: Make, qtbot: QtBot) -> None:
    page = make(errors={"load_cache": {"kind": "promptcache", "message": "It was saved from another model."}})
    page.tabs.kv.controls.load(Path("/c"))
    qtbot.waitUntil(lambda: page.tabs.kv.controls.banner.message == "It was saved from another model.")
    assert held(page) == 100


def test_nothing_can_be_changed_while_a_reply_comes(make: Make, qtbot: QtBot) -> None:
    page = make(delay=0.02)
    page.context.session.generate("y")
    controls = page.tabs.kv.controls
    buttons = (controls.spin, controls.rewind_button, controls.save_button, controls.load_button)
    assert not any(one.isEnabled() for one in buttons)
    assert not page.tabs.kv.cache_actions["save"].isEnabled() and handle_x(strip(page)) is None
    page.context.session.stop()
    qtbot.waitUntil(controls.load_button.isEnabled)


def test_session_can_be_opened_from_here(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.context.session.close()
    controls = page.tabs.kv.controls
    assert controls.open_button.isVisible() and not controls.load_button.isVisible()
    controls.open_button.click()
    qtbot.waitUntil(lambda: page.context.session.state == "ready")
    assert page.context.session.bundle == "/b/demo" and not controls.open_button.isVisible()
    assert controls.load_button.isEnabled() and not controls.save_button.isEnabled()


def test_the_session_from_here_is_opened_as_the_last_one_was(make: Make, qtbot: QtBot) -> None:
    page = make()
    controls = page.tabs.kv.controls
    page.context.session.open("/b/other", "cpu", "window")
    qtbot.waitUntil(lambda: page.context.session.state == "ready")
    assert controls.choice.cache.isVisible() and controls.choice.chosen == ("cpu", "window")
    controls.open_button.click()
    qtbot.waitUntil(lambda: page.context.session.state == "ready")
    assert page.context.session.request == Open("/b/demo", "cpu", "window")
    assert not controls.choice.cache.isVisible()


def test_another_cache_can_be_chosen_for_the_session_from_here(make: Make, qtbot: QtBot) -> None:
    page = make()
    page.context.session.close()
    choice = page.tabs.kv.controls.choice
    qtbot.waitUntil(lambda: choice.provider.count() == 4)
    choice.cache.setCurrentIndex(choice.cache.findData("fifo"))
    page.tabs.kv.controls.open_button.click()
    assert page.context.session.request == Open("/b/demo", "cpu", "fifo")


def test_a_graph_that_writes_its_cache_offers_no_other_layout(qtbot: QtBot) -> None:
    choice = SessionChoice()
    choice.show_session("cpu", "window")
    assert choice.chosen == ("cpu", "window")
    choice.set_built("gqa")
    choice.show_session("cpu", "static")
    assert choice.chosen == ("cpu", None)
    assert choice.cache.itemText(0) == "Bundle default (gqa)"
    choice.set_built("static")
    choice.show_session("cpu", "static")
    assert choice.chosen == ("cpu", "static")


CROSSED = replace(
    BUNDLE,
    components=[
        ComponentReport("reader", "reader.onnx", "encoder", [], [], {}, {}, 0),
        ComponentReport("writer", "writer.onnx", "decoder", [], [], {}, {}, 0),
    ],
    kv=[
        *BUNDLE.kv,
        KVGroupReport("cross", "cross", [0, 1], None, None, [1, 2, "source", 8], "float16", None, 128, "encoder"),
    ],
)


def test_cross_cache_is_a_group_of_its_own(make: Make) -> None:
    cross = inspection_of("/b/t5", CROSSED).kv[-1]
    assert (cross.layers, cross.capacity, cross.bytes_per_token, cross.writer) == ((0, 1), 0, 128, "encoder")
    page = make(inspection=CROSSED, cross=9)
    own, frozen = page.tabs.kv.cards
    assert own.group.layout == "static" and frozen.strip.table.states == bytes([FROZEN]) * 9
    assert "9 source tokens" in frozen.state.text() and frozen.describe(0, 3).startswith(
        "layer 0 · slot 3 · source token 3"
    )
    assert "(reader)" in page.tabs.kv.encoder.text()
    assert handle_x(own.strip) is None and not page.tabs.kv.controls.save_button.isVisible()


def test_slots_of_pictures_are_named(make: Make, qtbot: QtBot) -> None:
    """In the legend, by the arrow keys and in the tool tip; a snapshot shows those of its own prompt."""
    page = make(sees=True)
    cards, session = page.tabs.kv, page.context.session
    legend = [one.text() for one in cards._legend.findChildren(PlainLabel)]
    assert "filled, of a picture" not in legend
    session.generate([Turn("user", "x", ("/p/red.png",))])
    qtbot.waitUntil(lambda: session.state == "ready" and bool(session.cache.pictures))
    assert strip(page).table.states.count(PICTURE) == 8 and "8 of pictures" in cards.cards[0].state.text()
    legend = [one.text() for one in cards._legend.findChildren(PlainLabel)]
    assert "filled, of a picture" in legend
    strip(page).setFocus()
    for _ in range(4):
        qtbot.keyClick(strip(page), Qt.Key.Key_Right)
    assert "picture red.png, 8 tokens" in cards.cards[0].readout.text()
    assert "red.png" in strip(page).toolTip() and "red.png" in strip(page).accessibleName()
    qtbot.keyClick(strip(page), Qt.Key.Key_Left)
    assert "red.png" not in strip(page).toolTip() + cards.cards[0].readout.text()
    cards.history_slider.slider.setValue(0)  # before it began
    assert strip(page).table.states.count(PICTURE) == 0


def test_each_shape_of_a_group_has_a_line(qtbot: Any) -> None:
    """With the layers that have it; the type once."""
    shapes = [[1, 2, 8, 4], [1, 2, 8, 16], [1, 2, 8, 4]]
    view = GroupView(
        name="all", layout="static", layers=[0, 1, 2], capacity=8, allocated=8, window=None, shape=list(shapes[0]),
        dtype="float32", bytes=8 * 384, writer="host", length=0, evicted=0, runs=[], shapes=[list(s) for s in shapes],
    )  # fmt: skip
    card = CacheGroupCard(session_group(view))
    qtbot.addWidget(card)
    assert dict(card.facts())["Tensor"] == "0, 2: 1 × 2 × 8 × 4\n1: 1 × 2 × 8 × 16  float32"
    assert card.describe(1, 3).endswith("256 B") and card.describe(2, 3).endswith("64 B")


def test_window_group_keeps_what_it_no_longer_sees() -> None:
    table = SlotOccupancy(8)
    table.update(group("static", [(0, 0, 6)], window=3, length=6))
    assert [table.state(slot) for slot in range(8)] == [PASSED] * 4 + [FILLED] * 2 + [HEAD, 0]


def test_ring_lengths_by_place() -> None:
    table = SlotOccupancy(4)
    table.update(group("window", [(0, 4, 2), (2, 2, 2)], length=6, rewindable=[(0, 0), (5, 6)]))
    assert [table.length_at(place) for place in (-1, 0.2, 0.7, 1.9, 2.9, 3.9)] == [0, 4, 5, 6, 3, 4]
    assert [table.can_rewind_to(length) for length in range(8)] == [True, False, False, False, False, True, True, False]
    assert (table.boundary_after(6), table.boundary_after(5), table.boundary_after(3), table.boundary_after(2)) == (
        2,
        1,
        3,
        None,
    )
    assert table.discarded_by(5) == [(1, 1)]


def test_rows_that_slide_are_dragged_by_their_positions() -> None:
    table = SlotOccupancy(4)
    table.update(group("fifo", [(1, 2, 3)], slides=True, allocated=4, length=5, window=4))
    assert [table.length_at(place) for place in (-1, 0.5, 1.2, 1.9, 3.9)] == [0, 0, 2, 3, 5]
    assert (table.head, [table.state(slot) for slot in range(4)]) == (None, [EMPTY, FILLED, FILLED, FILLED])
    assert (table.discarded_by(4), table.boundary_after(4)) == ([(3, 1)], 3)


def test_slots_that_are_not_in_memory_take_little_room(make: Make) -> None:
    page = make()
    groups = [
        replace(
            page.context.session.groups_for(page.context.session.bundle)[0],
            capacity=4096,
            allocated=64,
            runs=[(0, 0, 20)],
            length=20,
        )
    ]
    page.tabs.kv.set_live(groups)
    one = strip(page)
    assert one.slot_geometry.span == 72 and one.slot_geometry.columns()[-1] == UNALLOCATED
    assert handle_x(one) == one.slot_geometry.area.left() + 20 * one.slot_geometry.area.width() // 72


def test_rows_that_slide_are_padded_at_the_left(qtbot: Any) -> None:
    live = group("fifo", [(5, 0, 3)], length=3, layers=[0], slides=True)
    table = SlotOccupancy(8)
    table.update(live)
    assert table.slides
    card = CacheGroupCard(session_group(live))
    qtbot.addWidget(card)
    card.show_table(table)
    assert "3 of 8 used · 5 padded at the left · 0 evicted" in card.state.text()
    assert "padding" in card.describe(0, 0) and "position 2" in card.describe(0, 7)


@pytest.mark.parametrize(
    ("layout", "writer", "words"),
    [
        ("static", "host", "the host"),
        ("gqa", "graph", "the graph, GroupQueryAttention"),
        ("scatter", "graph", "the graph, TensorScatter"),
        ("cross", "encoder", "the encoder, once"),
    ],
)
def test_who_writes_a_group_is_reported_as_text(qtbot: Any, layout: str, writer: str, words: str) -> None:
    card = CacheGroupCard(session_group(group(layout, layers=[0], capacity=4, writer=writer)))
    qtbot.addWidget(card)
    assert dict(card.facts())["Written by"] == words


HYBRID = replace(BUNDLE, kv=[*BUNDLE.kv, FIXED])


def test_state_of_fixed_size_has_a_card_of_its_own(make: Make, qtbot: QtBot) -> None:
    """After the slots; a rewind shows in both, and a snapshot has its own length."""
    page = make(inspection=HYBRID, fixed="beside", lowest=80)
    kv = page.tabs.kv
    (slots,), (state,) = kv.cards, kv.state_cards
    assert page.inspection is not None
    details = dict(page.tabs.details.facts(page.inspection))
    assert (details["Cache, all slots"], details["State of fixed size"]) == ("512 KiB", "5.5 KiB")
    assert slots.strip.table.used == 100 and [one.text() for one in state.grid.values][2:] == [
        "100 tokens",
        "none",
        "0 and 80–100",
    ]
    kv.controls.spin.setValue(50)
    assert kv.controls.legal.text().startswith("The cache cannot be rewound to 50: no state is kept for it.")
    kv.history_slider.slider.setValue(1)  # between two events, of which no lengths are known
    assert [one.text() for one in state.grid.values][2:] == ["66 tokens", "none", "–"] and state.state.text() == "then"
    kv.history_slider.show_live()
    kv.controls.rewind(90)
    qtbot.waitUntil(lambda: held(page) == 90)
    assert state.grid.values[2].text() == "90 tokens" and state.state.text() == "live"
    page.context.session.close()
    qtbot.waitUntil(lambda: kv.state_cards[0].state.text() == "zero: no session of this bundle runs")


def test_a_cache_of_state_alone(make: Make, qtbot: QtBot) -> None:
    """It has no slots, no legend of slots and no capacity; it is rewound, saved and loaded all the same."""
    page = make(inspection=replace(BUNDLE, kv=[FIXED]), fixed="alone", lowest=80)
    kv = page.tabs.kv
    assert kv.cards == [] and len(kv.state_cards) == 1
    assert kv._none.isHidden() and kv._legend.isHidden()
    assert page.inspection is not None and "capacity" not in dict(page.inspection.facts)
    assert "Cache, all slots" not in dict(page.tabs.details.facts(page.inspection))
    assert kv.controls.save_button.isEnabled() and kv.controls.spin.value() == 100
    kv.controls.rewind(80)
    qtbot.waitUntil(lambda: held(page) == 80)
    assert kv.controls.spin.maximum() == 80
