"""Banners over a page: they move nothing, lie above it, follow its size, and leave no dead place behind."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from app.widgets.banner_overlay import BannerOverlay
from app.widgets.basics import Banner
from app.widgets.layouts import STRETCH, vbox

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def test_a_banner_moves_nothing_and_lies_above(qtbot: Any) -> None:
    page, button = QWidget(), QPushButton("x")
    first, second = Banner(), Banner()
    vbox(button, STRETCH, parent=page)
    overlay = BannerOverlay(page, first, second)
    qtbot.addWidget(page)
    page.resize(600, 400)
    page.show()
    qtbot.waitUntil(lambda: overlay.width() == 568)
    before = button.geometry()
    assert overlay.height() == 0 and page.childAt(QPoint(300, 12)) is button
    second.error("Something went wrong.")
    qtbot.waitUntil(lambda: overlay.height() > 0)
    one = overlay.height()
    assert button.geometry() == before and overlay.isAncestorOf(page.childAt(QPoint(300, 20)))
    first.show_message("info", "A long sentence that needs more than one line where the page is narrow. " * 2)
    qtbot.waitUntil(lambda: overlay.height() > one)
    wide = overlay.height()
    page.resize(300, 400)
    qtbot.waitUntil(lambda: overlay.width() == 268 and overlay.height() > wide)
    for banner in (first, second):
        banner.clear()
    qtbot.waitUntil(lambda: overlay.height() == 0)
    with qtbot.waitSignal(button.clicked):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_page_that_comes_to_the_front_stays_below(qtbot: Any) -> None:
    """A stack raises the page that it shows: in the chat the conversation covered the banner of a refused prompt."""
    owner, pages, banner = QWidget(), QStackedWidget(), Banner()
    for _ in range(2):
        pages.addWidget(QPushButton("page"))
    vbox(QPushButton("head"), (pages, 1), parent=owner, margins=0)
    overlay = BannerOverlay(owner, banner, area=pages)
    qtbot.addWidget(owner)
    owner.resize(600, 400)
    owner.show()
    banner.error("It was refused.")
    pages.setCurrentIndex(1)
    qtbot.waitUntil(lambda: overlay.y() > pages.y() and overlay.height() > 0)
    assert overlay.isAncestorOf(owner.childAt(overlay.geometry().center()))
