"""What stands beside a choice is of that choice: on Chat and Settings, for every entry of every combo box, twice.

The texts around a combo box are a function of its entry: one that is chosen again has the texts that it had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.widgets.basics import CardFrame, Section
from app.widgets.collapsible import CollapsibleSection
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.app.sequences import process
from tests.fakes.inspections import BUNDLE

PAGES = {"chat": 5, "settings": 5}
"""Page → the least number of its combo boxes. Those of Measure, Inspect and Devices appear with results alone."""


def combos(page: QWidget) -> Iterator[QComboBox]:
    """Those that can be used now, and that a person cannot type into."""
    for one in page.findChildren(QComboBox):
        if one.isVisible() and one.isEnabled() and not one.isEditable() and one.count() > 1:
            yield one


def surroundings(combo: QComboBox) -> tuple[str, ...]:
    """The visible texts of the section that has the combo box."""
    part: QWidget = combo
    while not isinstance(part, Section | CollapsibleSection | CardFrame) and part.parentWidget() is not None:
        part = part.parentWidget()
        if part.findChildren(QLabel):
            break
    return tuple(one.text() for one in part.findChildren(QLabel) if one.isVisible())


def walk(page: QWidget) -> Iterator[str]:
    """Chooses each entry of each combo box twice; yields the names of the boxes."""
    for section in page.findChildren(CollapsibleSection):
        section.unfold(True)
    process()
    for combo in [*combos(page)]:
        first, seen = combo.currentIndex(), dict[str, tuple[str, ...]]()
        for place in [*range(combo.count()), *range(combo.count()), first]:
            if not (combo.isVisible() and combo.isEnabled()):
                break
            combo.setCurrentIndex(place)
            combo.activated.emit(place)
            process()
            text, around = combo.currentText(), surroundings(combo)
            assert seen.setdefault(text, around) == around, (combo.accessibleName(), text)
        yield combo.accessibleName()


@pytest.mark.parametrize("name", PAGES)
def test_what_stands_beside_a_choice_is_of_that_choice(
    name: str, make_window: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window(inspection=BUNDLE)
    window.context.open_bundle(make_bundle(tmp_path / "bundle"))
    window.show_page(name)
    page = window.stack.page(name)
    qtbot.waitUntil(lambda: not window.context.session.busy)
    if isinstance(page, ChatPage):
        page.header.side.setChecked(True)
    walked: list[str] = []
    for tabs in [*page.findChildren(QTabWidget), None]:
        for tab in range(tabs.count() if tabs is not None else 1):
            if tabs is not None:
                tabs.setCurrentIndex(tab)
            walked += walk(page)
    assert len({*walked}) >= PAGES[name] and all(walked), walked
