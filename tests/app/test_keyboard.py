"""A person without a mouse: the whole tour by keys, and on every page Tab reaches all that can be pressed or filled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.widgets.lazy_tabs import LazyTabs
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.app.pictures import STATES, window_over
from tests.app.sequences import TASKS
from tests.fakes.inspections import BUNDLE

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
FIELDS = (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QAbstractSpinBox,
    QAbstractItemView,
    QAbstractSlider,
    QTabBar,
)
SCENES = (
    "home-full",
    "home-failed",
    "build-source",
    "build-recipe",
    "build-quantize",
    "build-review",
    "build-done",
    "inspect-full",
    "inspect-diff",
    "composite-seams",
    "chat-full",
    "chat-decoding",
    "compare-full",
    "measure-full",
    "accuracy-full",
    "history-full",
    "devices-full",
    "server-others",
    "server-full",
    "server-samples",
    "settings",
)
Key = Qt.Key


def fields(window: QWidget) -> set[QWidget]:
    """All visible and enabled widgets that a mouse can press or fill; parts of another one are not counted."""
    found = set()
    for widget in window.findChildren(QWidget):
        parent = widget.parentWidget()
        part = isinstance(parent, QComboBox | QLineEdit | QAbstractSpinBox | QTabBar | QAbstractItemView)
        counted = isinstance(widget, FIELDS) and not isinstance(widget, QScrollBar | QHeaderView) and not part
        if counted and widget.isVisible() and widget.isEnabled():
            found.add(widget)
    return found


def neighbours(widget: QWidget) -> list[QAbstractButton]:
    """The buttons of which only one is checked: Tab reaches one of them, and arrows the others."""
    if not isinstance(widget, QAbstractButton):
        return []
    if (group := widget.group()) is not None and group.exclusive():
        return group.buttons()
    parent = widget.parentWidget()
    if not widget.autoExclusive() or parent is None:
        return []
    return [one for one in parent.findChildren(QAbstractButton) if one.autoExclusive()]


def reached(window: QWidget) -> set[QWidget]:
    """All that Tab reaches, or Ctrl+Tab from a field that takes Tab as a character."""
    seen: set[QWidget] = set()
    repeated = 0
    while repeated < 80:
        focus = QApplication.focusWidget() or window
        repeated = repeated + 1 if focus in seen else 0
        seen.add(focus)
        QTest.keyClick(focus, Key.Key_Tab)
        if QApplication.focusWidget() is focus:
            QTest.keyClick(focus, Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)
    return seen


def describe(widget: QWidget) -> str:
    """A widget for a message of a test."""
    text = getattr(widget, "text", lambda: "")
    return f"{type(widget).__name__} {widget.accessibleName()!r} {text()!r}"


def screen_reader_name(widget: QWidget) -> str:
    """What a screen reader says of a widget."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


SLOW = {
    "server-full",
    "home-failed",
    "build-source",
    "build-review",
    "inspect-full",
    "chat-full",
    "measure-full",
    "accuracy-full",
}


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in SCENES])
def test_tab_reaches_all_fields_and_each_has_a_name(name: str, qtbot: QtBot) -> None:
    scenario, prepare = STATES[name]
    with window_over(scenario) as (window, home):
        window.resize(1280, 800)
        prepare(window, home)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        page = window.stack.currentWidget()
        page.setFocus()
        seen = reached(window)
        missing = [describe(one) for one in fields(window) - seen if seen.isdisjoint(neighbours(one))]
        assert not missing, "\n".join(missing)
        nameless = [describe(one) for one in seen | fields(window) if not screen_reader_name(one)]
        assert not nameless, "\n".join(nameless)
        numbers = [one for one in window.findChildren(QAbstractSpinBox) if one.isVisible()]
        assert all(one.lineEdit().textMargins().left() > 4 for one in numbers), [describe(one) for one in numbers]


@pytest.mark.parametrize("name", TASKS)
def test_task_pages_are_reached_by_tab_and_have_names(
    name: str, make_window: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    """The pages in the chat's place: pictures, depth, labels of texts and spans, ranks, vectors, and one without."""
    folder = make_bundle(tmp_path / name)
    (folder / "task").write_text(json.dumps(TASKS[name]), "utf-8")
    window = make_window()
    window.context.open_bundle(folder)
    window.show_page("chat")
    qtbot.waitUntil(lambda: not window.context.session.busy)
    qtbot.wait(100)
    window.stack.currentWidget().setFocus()
    seen = reached(window)
    missing = [describe(one) for one in fields(window) - seen if seen.isdisjoint(neighbours(one))]
    nameless = [describe(one) for one in seen | fields(window) if not screen_reader_name(one)]
    assert not missing and not nameless, (missing, nameless)


def test_the_plan_of_a_sweep_is_reached_by_tab_and_has_names(qtbot: QtBot) -> None:
    scenario, prepare = STATES["sweep-plan"]
    with window_over(scenario) as (window, home):
        prepare(window, home)
        (dialog,) = [one for one in window.findChildren(QDialog) if one.isVisible()]
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        seen = reached(dialog)
        missing = [describe(one) for one in fields(dialog) - seen if seen.isdisjoint(neighbours(one))]
        nameless = [describe(one) for one in seen | fields(dialog) if not screen_reader_name(one)]
        assert len(fields(dialog)) > 5 and not missing and not nameless, (missing, nameless)


def press(qtbot: QtBot, key: Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A key, wherever the focus is."""
    focus = QApplication.focusWidget() or QApplication.activeWindow()
    assert focus is not None
    qtbot.keyClick(focus, key, modifier)


def tab_to(qtbot: QtBot, name: str) -> None:
    """Tab until the focus has this name."""
    for _ in range(200):
        focus = QApplication.focusWidget()
        if focus is not None and name in (focus.accessibleName(), screen_reader_name(focus)):
            return
        press(qtbot, Key.Key_Tab)
    raise AssertionError(f"Tab does not reach {name}")


def test_the_tour_by_keys(make_window: Callable[..., MainWindow], qtbot: QtBot) -> None:
    """The demo is built, answers, is looked at and measured, and the theme changes: nothing but keys."""
    window = make_window(reply="It is 56.", inspection=BUNDLE)
    control = Qt.KeyboardModifier.ControlModifier
    press(qtbot, Key.Key_1, control)
    tab_to(qtbot, "Build and chat")
    press(qtbot, Key.Key_Space)
    qtbot.waitUntil(lambda: window.context.build.state == "done" and window.context.bundle is not None)
    press(qtbot, Key.Key_4, control)
    page = window.stack.page("chat")
    assert isinstance(page, ChatPage)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is page.composer.edit)
    qtbot.keyClicks(QApplication.focusWidget(), "8*7=")
    press(qtbot, Key.Key_Return)
    qtbot.waitUntil(lambda: not page.controller.running and len(page.transcript.views) == 2)
    assert page.transcript.views[1].message.content == "It is 56."
    tab_to(qtbot, "Answer again, as a new branch")
    press(qtbot, Key.Key_Space)
    qtbot.waitUntil(lambda: not page.controller.running and page.transcript.views[1].place.text() == "2/2")
    press(qtbot, Key.Key_3, control)
    inspect = window.stack.page("inspect")
    qtbot.waitUntil(lambda: inspect.inspection is not None)  # type: ignore[attr-defined]
    press(qtbot, Key.Key_K, control)
    qtbot.keyClicks(QApplication.focusWidget(), "inspect kv cache")
    press(qtbot, Key.Key_Return)
    assert inspect.tabs.current == "kv"  # type: ignore[attr-defined]
    press(qtbot, Key.Key_5, control)
    assert window.stack.current_name == "measure"
    press(qtbot, Key.Key_6, control)
    qtbot.waitUntil(window.stack.page("devices").again.isEnabled)  # type: ignore[attr-defined]
    tab_to(qtbot, "Search again")
    press(qtbot, Key.Key_Comma, control)
    tab_to(qtbot, "Theme")
    press(qtbot, Key.Key_Down)
    assert window.context.settings.text("theme") == "light"
    press(qtbot, Key.Key_F1)
    qtbot.waitUntil(window.help.dialog.isActiveWindow)
    press(qtbot, Key.Key_Escape)
    assert not window.help.dialog.isVisible()


@pytest.mark.parametrize("name", ["measure", "server"])
def test_ctrl_tab_turns_the_tabs_of_a_page(qtbot: QtBot, make_window: Callable[..., MainWindow], name: str) -> None:
    """From the page itself, which has the focus when it is shown, as well as from within the tabs."""
    window = make_window()
    window.context.open_bundle("/b/alphabundle")
    window.show_page(name)
    page = window.stack.page(name)
    tabs = page.findChild(LazyTabs)
    assert isinstance(tabs, LazyTabs)
    qtbot.waitUntil(tabs.isVisible)
    assert tabs.currentIndex() == 0
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    page.setFocus()
    for key, modifiers, wanted in (
        (Qt.Key.Key_Tab, control, 1),
        (Qt.Key.Key_PageDown, control, 2),
        (Qt.Key.Key_Backtab, control | shift, 1),
        (Qt.Key.Key_PageUp, control, 0),
        (Qt.Key.Key_PageUp, control, tabs.count() - 1),
        (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier, tabs.count() - 1),
    ):
        qtbot.keyClick(page, key, modifiers)
        assert tabs.currentIndex() == wanted
    qtbot.keyClick(tabs.tabBar(), Qt.Key.Key_Tab, control)  # which the tabs take themselves: once
    assert tabs.currentIndex() == 0
