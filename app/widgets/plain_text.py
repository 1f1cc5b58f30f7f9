"""Labels and tool tips that show text as it is.

Qt parses a label's or a tool tip's text as HTML when it looks like HTML, and opens the pictures that it names. Names,
reasons and tokens come from files, models and drivers, so no other module of the window uses QLabel, setToolTip or
QToolTip.showText (tests/app/test_rich_text.py).

text ──PlainLabel──▶ label                     text ──plain_tool_tip──▶ setToolTip, showText, Qt.ToolTipRole
                          template, values ──markup──▶ showText: HTML of our own around escaped values
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from html import escape
from typing import Protocol, overload

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QToolTip, QTreeWidgetItem, QWidget

TIP_COLUMNS = 100
"""Characters after which a line of a tool tip is wrapped: Qt wraps no plain text."""


class PlainLabel(QLabel):
    """A label that never parses its text as HTML or Markdown."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


class MarkupText(str):
    """HTML of our own; made by `markup`."""


def markup(template: str, *values: object) -> MarkupText:
    """Fills `template`, HTML written in the source, as str.format does; values that are no Markup are escaped."""
    return MarkupText(template.format(*(one if isinstance(one, MarkupText) else escape(str(one)) for one in values)))


def join_markup(parts: Iterable[MarkupText]) -> MarkupText:
    """The parts one after the other."""
    return MarkupText("".join(parts))


def plain_tool_tip(text: str) -> str:
    """Text for a tool tip that Qt shows as it is, in lines of at most TIP_COLUMNS characters.

    Text with a character of markup is escaped, so that several joined by others (pyqtgraph does) stay plain as well.
    """
    wrapped = "\n".join(part for line in text.split("\n") for part in _wrap(line))
    return markup("<p style='white-space: pre'>{}</p>", wrapped) if "<" in wrapped or "&" in wrapped else wrapped


def _wrap(line: str) -> list[str]:
    if len(line) <= TIP_COLUMNS:
        return [line]
    return textwrap.wrap(line, TIP_COLUMNS, expand_tabs=False, replace_whitespace=False, break_on_hyphens=False)


class _HasToolTip(Protocol):
    """A widget, an action, or an item of a scene or a view."""

    def setToolTip(self, text: str, /) -> None:  # noqa: N802
        """Qt's name."""


@overload
def set_tool_tip(target: _HasToolTip, text: str) -> None: ...
@overload
def set_tool_tip(target: QTreeWidgetItem, text: str, column: int) -> None: ...
def set_tool_tip(target: _HasToolTip | QTreeWidgetItem, text: str, column: int = 0) -> None:
    """Sets the tool tip of a widget, an action or an item to plain text; `column`: of a tree's item."""
    if isinstance(target, QTreeWidgetItem):
        target.setToolTip(column, plain_tool_tip(text))
    else:
        target.setToolTip(plain_tool_tip(text))


def show_tool_tip(place: QPoint, text: str | MarkupText, widget: QWidget) -> None:
    """Shows a tool tip at `place`, in global coordinates: plain text, or `markup` of our own."""
    QToolTip.showText(place, text if isinstance(text, MarkupText) else plain_tool_tip(text), widget)
