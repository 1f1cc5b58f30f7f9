"""Labels and tool tips that show text as it is: what Qt makes of it is looked at."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QToolTip, QTreeWidgetItem, QWidget

from app.widgets.plain_text import PlainLabel, markup, plain_tool_tip, set_tool_tip, show_tool_tip

TEXTS = (
    '<img src="canary.png"><h1>X</h1>',
    "&lt;b&gt; is what <b>bold</b> is written as",
    "  two  spaces\nand a <b>line</b>",
    "<s> is a token",
    "a < b, c > d & e",
    "plain",
    "",
)


def shown(tip: str) -> str:
    """The text that a tool tip shows: Qt's own labels take it for HTML where it looks like that."""
    if not GuiQt.mightBeRichText(tip):
        return tip
    document = QTextDocument()
    document.setHtml(tip)
    return document.toPlainText()


@pytest.mark.parametrize("text", TEXTS)
def test_a_tool_tip_shows_the_text(text: str) -> None:
    assert shown(plain_tool_tip(text)) == text


def test_tool_tips_that_are_joined_stay_plain() -> None:
    """pyqtgraph joins those of several points: the first one decides how Qt reads them all."""
    one, other = "<b>", "a\n<img src='canary.png'>"
    assert "canary" in shown("\n\n".join(map(plain_tool_tip, (one, other))))
    assert "\ufffc" not in shown("\n\n".join(map(plain_tool_tip, (one, other))))


def test_the_control_sees_what_qt_parses() -> None:
    assert shown("<b>bold</b>") == "bold"


def test_long_lines_are_wrapped_and_short_ones_stay() -> None:
    long = " ".join(["word"] * 60)
    lines = plain_tool_tip(f"first\n\n{long}\nlast").split("\n")
    assert lines[:2] == ["first", ""] and lines[-1] == "last"
    assert " ".join(lines[2:-1]) == long and max(map(len, lines)) <= 100
    assert plain_tool_tip("x" * 250).replace("\n", "") == "x" * 250


def test_a_label_keeps_its_text(qtbot: Any) -> None:
    one = PlainLabel(TEXTS[0])
    qtbot.addWidget(one)
    assert one.textFormat() == Qt.TextFormat.PlainText
    assert one.sizeHint().height() < 2 * one.fontMetrics().height()  # the heading is one line of plain text


def test_every_target_gets_it(qtbot: Any) -> None:
    widget, item = QWidget(), QTreeWidgetItem(["a", "b"])
    qtbot.addWidget(widget)
    set_tool_tip(widget, TEXTS[0])
    set_tool_tip(item, TEXTS[0], 1)
    assert widget.toolTip() == item.toolTip(1) == plain_tool_tip(TEXTS[0])
    assert item.toolTip(0) == ""


def test_what_is_shown_at_once(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our markup keeps its tags, and a value in it none."""
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, text, widget: told.append(text))
    widget = QWidget()
    qtbot.addWidget(widget)
    show_tool_tip(QPoint(), TEXTS[0], widget)
    show_tool_tip(QPoint(), markup("<b>{}</b> {}", "<i>{}", markup("<u>{}</u>", 1)), widget)
    assert shown(told[0]) == TEXTS[0]
    assert told[1] == "<b>&lt;i&gt;{}</b> <u>1</u>"
