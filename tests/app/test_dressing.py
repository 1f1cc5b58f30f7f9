"""The theme's sheet on the parts of the window: at once where it is seen, later where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QVBoxLayout, QWidget

from app.widgets import dressing
from app.widgets.basics import button
from app.widgets.dressing import dress
from app.widgets.theme import set_icon, theme
from app.window import MainWindow

Make = Callable[..., MainWindow]


def test_a_switch_dresses_what_is_seen_first_in_one_picture_and_the_rest_after_it(
    qtbot: Any, make_window: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    window.show_page("home")
    home, devices = window.page("home"), window.page("devices")
    window.show_page("devices")
    window.show_page("home")
    window.show()
    monkeypatch.setattr(dressing, "BREATH_MS", 3_600_000)
    window.set_theme("dark")
    dark = theme().sheet
    assert home.styleSheet() != dark and not window.updatesEnabled()  # nothing is seen half dressed
    qtbot.waitUntil(window.updatesEnabled)
    assert home.styleSheet() == window.rail.styleSheet() == window.status.styleSheet() == dark
    assert devices.styleSheet() != dark
    window.show_page("devices")
    assert devices.styleSheet() == dark
    monkeypatch.setattr(dressing, "BREATH_MS", 0)
    window.set_theme("light")
    qtbot.waitUntil(lambda: home.styleSheet() == theme().sheet)  # though nobody looks at it
    assert not QApplication.instance().styleSheet()  # type: ignore[union-attr]  # which would cost a second


def test_dialogs_and_menus_of_the_window_are_dressed(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    dialog, menu = QDialog(window), QMenu(window)
    box, inner = QVBoxLayout(dialog), QMenu(window.page("home"))
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


def test_icons_follow_with_their_part(qtbot: Any) -> None:
    part = QWidget()
    part.setStyleSheet("QPushButton { padding: 0; }")
    qtbot.addWidget(part)
    tool = button("Stop", icon="stop")
    QVBoxLayout(part).addWidget(tool)
    dress(part)
    dress(part)  # once is enough
    part.show()

    def ink() -> str:
        image = tool.icon().pixmap(32, 32).toImage()
        inks = [image.pixelColor(x, y) for x in range(32) for y in range(32)]
        return next(color.name() for color in inks if color.alpha() == 255)

    theme().set_mode("light")
    qtbot.waitUntil(part.updatesEnabled)
    assert part.styleSheet() == theme().sheet + "QPushButton { padding: 0; }"  # what is its own stays
    light = ink()
    theme().set_mode("dark")
    assert ink() == light
    part.hide()
    part.show()  # before its turn
    assert ink() == theme().color("text").name() != light
    set_icon(tool, "close", "error")
    assert ink() == theme().color("error").name()
