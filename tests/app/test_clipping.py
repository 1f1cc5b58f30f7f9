"""No text of a button or a label is cut in the smallest window, and no page is wider than it, in English and German."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.frame.status_line import StatusLine
from app.text.catalog import read, translation_file
from app.text.translator import Translator
from app.widgets import ElidedLabel
from tests.app.pictures import STATES, until, wait, window_over
from tests.app.sequences import inside
from tests.app.test_window import sideways

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
SCENES = (
    "home-full",
    "build-recipe",
    "build-quantize",
    "build-review",
    "build-done",
    "composite-seams",
    "inspect-full",
    "inspect-diff",
    "inspect-search",
    "chat-full",
    "chat-decoding",
    "measure-full",
    "accuracy-full",
    "history-full",
    "sweep-empty",
    "sweep-plan",
    "devices-full",
    "server-others",
    "server-stopping",
    "server-samples",
    "settings",
    "welcome",
    "tour-measure",
    "help-machine",
)


@pytest.fixture(params=[pytest.param("en", marks=pytest.mark.slow), "de"])  # German texts are the longer ones
def language(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    code = str(request.param)
    translator = Translator(read(translation_file(code)), qapp) if code != "en" else None
    if translator is not None:
        qapp.installTranslator(translator)
    yield code
    if translator is not None:
        qapp.removeTranslator(translator)


def needed_width(widget: QWidget) -> int:
    """The pixels that a visible text of one line needs; 0 for a text that may be cut or wraps."""
    if isinstance(widget, QLabel):
        free = widget.wordWrap() or isinstance(widget, ElidedLabel)
        lines = [] if free else widget.text().split("\n")
        return max((widget.fontMetrics().horizontalAdvance(line) for line in lines), default=0)
    if isinstance(widget, QAbstractButton):
        return widget.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, widget.text()).width()
    return 0


def texts_that_are_cut(window: QWidget) -> list[str]:
    return [
        f"{type(one).__name__} {one.text()!r}: {one.width()} of {needed_width(one)}"  # type: ignore[attr-defined]
        for one in window.findChildren(QWidget)
        if one.isVisible() and not inside(one, (StatusLine,)) and one.width() < needed_width(one)
    ]


SLOW = {
    "server-stopping",
    "home-full",
    "build-done",
    "composite-seams",
    "inspect-full",
    "chat-full",
    "accuracy-full",
    "settings",
}


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in SCENES])
def test_no_text_is_cut(name: str, language: str, qtbot: QtBot) -> None:
    scenario, prepare = STATES[name]
    with window_over(scenario) as (window, home):
        window.resize(1024, 700)
        prepare(window, home)
        wait(0.4)
        # A figure that arrives on a timer has its width only with the next layout.
        with suppress(RuntimeError):
            until(lambda: not texts_that_are_cut(window), "the layout")
        cut = [*texts_that_are_cut(window), *sideways(window)]
    assert not cut, "\n".join(cut)
