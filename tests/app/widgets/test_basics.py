"""Banner, elided line, empty state, stat and pill: what they say, to the eye and to a screen reader."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.widgets.basics import (
    Banner,
    ElidedLabel,
    EmptyState,
    Kind,
    PillLabel,
    Section,
    Stat,
    button,
    label,
    scroll_area,
)


@pytest.fixture
def banner(qtbot: Any) -> Banner:
    made = Banner()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("kind", ["error", "warning", "info", "ok"])
def test_a_banner_says_one_thing_and_is_gone_without_it(banner: Banner, kind: Kind) -> None:
    assert banner.isHidden()
    banner.show_message(kind, "The disk is full.")
    assert not banner.isHidden() and banner.property("kind") == kind
    assert banner.message == banner.accessibleName() == "The disk is full."
    assert banner._more.isHidden() and banner._action.isHidden()
    assert banner._icon.property("iconColor") == ("accent" if kind == "info" else kind)
    banner.clear()
    assert banner.isHidden() and banner.message == ""


def test_details_unfold_and_the_next_message_folds_them(qtbot: Any, banner: Banner) -> None:
    banner.error("It broke.", "Traceback\n  line 1")
    assert not banner._details.isVisible() and banner._details.toPlainText() == "Traceback\n  line 1"
    qtbot.mouseClick(banner._more, Qt.MouseButton.LeftButton)
    assert banner._details.isVisible() and banner._more.text() == "Hide details"
    qtbot.mouseClick(banner._more, Qt.MouseButton.LeftButton)
    assert not banner._details.isVisible() and banner._more.text() == "Details"
    qtbot.mouseClick(banner._more, Qt.MouseButton.LeftButton)
    banner.error("It broke again.", "other")
    assert not banner._details.isVisible() and banner._more.text() == "Details"


def test_the_button_fixes_and_an_old_fix_is_forgotten(qtbot: Any, banner: Banner) -> None:
    done = list[str]()
    banner.error("No disk.", action="Try again", on_action=lambda: done.append("tried"))
    assert banner._action.text() == banner._action.accessibleName() == "Try again"
    with qtbot.waitSignal(banner.triggered):
        qtbot.mouseClick(banner._action, Qt.MouseButton.LeftButton)
    banner.error("Another.", action="Look")
    qtbot.mouseClick(banner._action, Qt.MouseButton.LeftButton)
    assert done == ["tried"]


def test_the_button_is_below_the_text_where_it_is_narrow(qtbot: Any, banner: Banner) -> None:
    banner.show_message("info", "A sentence of several words, which needs some room. " * 2, action="Try again")
    for width, below in ((390, True), (900, False), (390, True)):
        banner.resize(width, banner.heightForWidth(width))
        qtbot.waitUntil(lambda below=below: (banner._action.y() >= banner._text.geometry().bottom()) == below)
        assert banner._text.width() > 250


def test_the_cross_dismisses(qtbot: Any, banner: Banner) -> None:
    banner.show_message("ok", "Written.")
    with qtbot.waitSignal(banner.dismissed):
        qtbot.mouseClick(banner._close, Qt.MouseButton.LeftButton)
    assert banner.isHidden() and banner._close.accessibleName() == "Dismiss"


@pytest.mark.parametrize("text", ["<b>bold</b>", "a & b", "<img src=x>"])
def test_what_comes_from_a_file_is_no_markup(qtbot: Any, banner: Banner, text: str) -> None:
    banner.error(text)
    for part in (banner._text, label(text), PillLabel(text), ElidedLabel(text)):
        qtbot.addWidget(part)
        assert part.textFormat() == Qt.TextFormat.PlainText


def test_a_long_path_is_cut_in_the_middle_and_whole_in_its_tool_tip(qtbot: Any) -> None:
    path = "/home/someone/models/" + "deep/" * 20 + "qwen3-demo-int4"
    line = ElidedLabel(path, cut=Qt.TextElideMode.ElideMiddle)
    qtbot.addWidget(line)
    line.resize(160, 20)
    line.show()
    first, _, last = line.text().partition("…")
    assert first and last and path.startswith(first) and path.endswith(last)
    assert line.accessibleName() == line.toolTip().replace("\n", "") == path
    assert max(map(len, line.toolTip().split("\n"))) == 100  # Qt wraps no plain text
    line.resize(3000, 20)
    assert line.text() == path
    line.set_whole("short")
    assert line.text() == line.toolTip() == "short"


def test_an_empty_state_offers_a_first_step_or_none(qtbot: Any) -> None:
    state = EmptyState("Nothing yet", "It will be here.")
    qtbot.addWidget(state)
    assert state.action.isHidden()
    state.set("Still nothing", "Begin.", "Go to Chat")
    assert (state.title.text(), state.text.text()) == ("Still nothing", "Begin.")
    assert not state.action.isHidden() and state.action.accessibleName() == "Go to Chat"
    with qtbot.waitSignal(state.triggered):
        state.action.click()
    state.set("Nothing", "")
    assert state.action.isHidden()


def test_a_figure_is_read_with_its_name_and_unit(qtbot: Any) -> None:
    stat = Stat("decode", unit="tok/s")
    qtbot.addWidget(stat)
    assert stat.accessibleName() == "decode: – tok/s"
    stat.set("48.2")
    assert stat.accessibleName() == "decode: 48.2 tok/s"
    stat.set("3 min 5 s", "")
    assert stat.accessibleName() == "decode: 3 min 5 s"


def test_a_pill_changes_its_word_and_its_tint(qtbot: Any) -> None:
    pill = PillLabel("int4")
    qtbot.addWidget(pill)
    assert (pill.text(), pill.property("tint")) == ("int4", "")
    pill.set("failed", "error")
    assert (pill.text(), pill.property("tint")) == ("failed", "error")


def test_a_button_calls_without_arguments_and_has_a_name(qtbot: Any) -> None:
    called = list[tuple[object, ...]]()
    made = button("Open", "folder", "danger", lambda *given: called.append(given))
    qtbot.addWidget(made)
    made.click()
    assert called == [()] and made.accessibleName() == "Open"
    assert made.property("iconColor") == "error"


def test_a_section_has_its_explanation_and_a_page_scrolls_down_alone(qtbot: Any) -> None:
    section = Section("Devices", "What can be used.")
    area = scroll_area(section)
    qtbot.addWidget(area)
    assert section.heading.text() == "Devices"
    assert area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    assert area.focusPolicy() == Qt.FocusPolicy.NoFocus and area.widget() is section
