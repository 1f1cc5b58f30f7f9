"""The theme's sheet on the parts of the window: at once where it is seen, later where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.widgets import styling
from app.widgets.basics import button
from app.widgets.styling import apply_style, style_separately
from app.widgets.theme import set_icon, theme
from app.window import MainWindow

Make = Callable[..., MainWindow]


def test_a_switch_dresses_what_is_seen_first_in_one_picture_and_the_rest_after_it(
    qtbot: Any, make_window: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    window.show_page("home")
    home, devices = window.stack.page("home"), window.stack.page("devices")
    window.show_page("devices")
    window.show_page("home")
    window.show()
    monkeypatch.setattr(styling, "BREATH_MS", 3_600_000)
    window.set_theme("dark")
    dark = theme().sheet
    assert home.styleSheet() != dark and not window.updatesEnabled()  # nothing is seen half dressed
    qtbot.waitUntil(window.updatesEnabled)
    assert home.styleSheet() == window.rail.styleSheet() == window.status.styleSheet() == dark
    assert devices.styleSheet() != dark
    window.show_page("devices")
    assert devices.styleSheet() == dark
    monkeypatch.setattr(styling, "BREATH_MS", 0)
    window.set_theme("light")
    qtbot.waitUntil(lambda: home.styleSheet() == theme().sheet)  # though nobody looks at it
    assert not QApplication.instance().styleSheet()  # type: ignore[union-attr]  # which would cost a second


def test_the_new_picture_is_painted_at_once(qtbot: Any, make_window: Make) -> None:
    """X11 forgets what it was asked to paint before updates were disabled, and whatever it is asked afterwards."""
    window, painted = make_window(), list[QEvent]()

    class Watch(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                painted.append(event)
            return False

    watch = Watch()
    window.installEventFilter(watch)
    window.set_theme("dark")
    assert not window.updatesEnabled()
    painted.clear()
    while not window.updatesEnabled():
        styling._style_queue()._turn()
    assert painted


def test_dialogs_and_menus_of_the_window_are_dressed(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    dialog, menu = QDialog(window), QMenu(window)
    box, inner = QVBoxLayout(dialog), QMenu(window.stack.page("home"))
    box.addWidget(button("Yes", role="primary"))
    for one in (dialog, menu):
        one.ensurePolished()
        assert one.styleSheet() == theme().sheet
    inner.ensurePolished()
    assert inner.palette().window().color() == theme().color("raised")
    window.set_theme("dark")
    dialog.show()
    primary = dialog.findChild(QPushButton)
    assert isinstance(primary, QPushButton)
    primary.ensurePolished()
    assert primary.palette().buttonText().color() == theme().color("accent_text")


def ink(tool: QPushButton) -> str:
    """The colour that its icon is drawn in."""
    image = tool.icon().pixmap(32, 32).toImage()
    inks = [image.pixelColor(x, y) for x in range(32) for y in range(32)]
    return next(color.name() for color in inks if color.alpha() == 255)


def test_icons_follow_with_their_part(qtbot: Any) -> None:
    part = QWidget()
    part.setStyleSheet("QPushButton { padding: 0; }")
    qtbot.addWidget(part)
    tool = button("Stop", icon="stop")
    QVBoxLayout(part).addWidget(tool)
    apply_style(part)
    apply_style(part)  # once is enough
    part.show()

    theme().set_mode("light")
    qtbot.waitUntil(part.updatesEnabled)
    assert part.styleSheet() == theme().sheet + "QPushButton { padding: 0; }"  # what is its own stays
    light = ink(tool)
    theme().set_mode("dark")
    assert ink(tool) == light
    part.hide()
    part.show()  # before its turn
    assert ink(tool) == theme().color("text").name() != light
    set_icon(tool, "close", "error")
    assert ink(tool) == theme().color("error").name()


def framed(qtbot: Any, count: int) -> tuple[QWidget, QStackedWidget, list[QWidget]]:
    """A page whose stack has pages of a button each, the first one seen, and a button below the stack."""
    page, stack = QWidget(), QStackedWidget()
    qtbot.addWidget(page)
    box = QVBoxLayout(page)
    box.addWidget(stack)
    box.addWidget(button("Stop", icon="stop"))
    steps = list[QWidget]()
    for number in range(count):
        steps.append(QWidget())
        row = QHBoxLayout()
        row.addWidget(button(f"Go on to the step {number}"))
        QVBoxLayout(steps[-1]).addLayout(row)
        stack.addWidget(steps[-1])
    return page, stack, steps


def test_what_lies_in_a_frame_is_dressed_by_itself(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(styling, "BREATH_MS", 3_600_000)
    page, stack, steps = framed(qtbot, 3)
    style_separately(stack)
    apply_style(page, later=True)
    page.show()
    below = page.findChildren(QPushButton)[-1]
    sheet = theme().sheet
    assert page.styleSheet() == stack.styleSheet() == "" and steps[0].styleSheet() == below.styleSheet() == sheet
    stack.setCurrentIndex(2)
    assert [step.styleSheet() == sheet for step in steps] == [True, False, True]
    late = QWidget()
    stack.setCurrentIndex(stack.addWidget(late))
    assert late.styleSheet() == sheet
    theme().set_mode("light")
    qtbot.waitUntil(page.updatesEnabled)
    theme().set_mode("dark")
    qtbot.waitUntil(page.updatesEnabled)
    assert below.styleSheet() == late.styleSheet() == theme().sheet != steps[2].styleSheet()
    assert ink(below) == theme().color("text").name()  # a part that is a button has its icon redrawn as well


def test_hidden_parts_have_their_turn_where_nothing_is_left(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(styling, "BREATH_MS", 0)
    page, stack, steps = framed(qtbot, 3)
    style_separately(stack)
    apply_style(page, later=True)
    page.show()
    qtbot.waitUntil(lambda: all(step.styleSheet() == theme().sheet for step in steps))


def test_what_is_dressed_late_is_as_large_as_what_was_dressed_at_once(qtbot: Any) -> None:
    """Qt tells a stack nothing of pages that it hides."""
    hints = []
    for late in (True, False):
        page, stack, steps = framed(qtbot, 2)
        if not late:
            apply_style(page)
        page.show()
        stack.setCurrentIndex(1)
        assert page.sizeHint().isValid()  # which the layouts keep
        apply_style(page)
        page.ensurePolished()
        hints.append((page.sizeHint(), stack.sizeHint(), *(step.sizeHint() for step in steps)))
    assert hints[0] == hints[1]
