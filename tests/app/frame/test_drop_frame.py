"""The frame over the window while files are dragged: its words, its place, and that it takes no mouse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.frame.drop_frame import DropFrame
from app.widgets.theme import theme


@pytest.fixture
def window(qtbot: Any) -> Iterator[QWidget]:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(640, 400)
    made.show()
    yield made


@pytest.mark.parametrize(
    ("files", "words"),
    [(1, "Drop to open it"), (2, "Drop to compare them, or to put them together"),
     (5, "Drop to compare them, or to put them together")],
)  # fmt: skip
def test_it_shows_what_dropping_does_over_everything(window: QWidget, files: int, words: str) -> None:
    frame, later = DropFrame(window), QPushButton("later", window)
    later.show()
    assert frame.isHidden()
    frame.show_for(files)
    assert frame.text == frame.accessibleName() == words
    assert frame.geometry() == window.rect() and window.children()[-1] is frame
    assert window.childAt(QPoint(20, 10)) is not frame  # what is dropped reaches the window


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_it_is_drawn_in_the_themes_colours(window: QWidget, mode: str) -> None:
    theme().set_mode(mode)
    frame = DropFrame(window)
    frame.show_for(1)
    picture = frame.grab().toImage()
    words = [picture.pixelColor(x, 200) for x in range(640)]
    assert theme().color("surface") in words
    assert any(abs(color.lightness() - theme().color("text").lightness()) < 60 for color in words)


def test_it_grows_with_the_window_when_it_is_shown_again(window: QWidget) -> None:
    frame = DropFrame(window)
    frame.show_for(1)
    frame.hide()
    window.resize(900, 500)
    frame.show_for(1)
    assert (frame.width(), frame.height()) == (900, 500)
    assert frame.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
