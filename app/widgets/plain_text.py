"""Labels and tool tips that show text literally.

Qt parses the text of labels and tool tips as HTML if it looks like HTML, and loads the images named in it. Names,
reasons and tokens come from files, models and drivers, so no other module of the window uses QLabel, setToolTip or
QToolTip.showText (tests/app/test_rich_text.py).

text ──PlainLabel──▶ label                     text ──plain_tool_tip──▶ setToolTip, showText, Qt.ToolTipRole
                          template, values ──markup──▶ showText: HTML of our own with escaped values
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from html import escape
from typing import Protocol, overload

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QToolTip, QTreeWidgetItem, QWidget

TIP_COLUMNS = 100
"""The line length of tool tips in characters: Qt does not wrap plain text."""


class PlainLabel(QLabel):
    """A label that never parses its text as HTML or Markdown."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)


class MarkupText(str):
    """HTML of our own, created by `markup`."""


def markup(template: str, *values: object) -> MarkupText:
    """Fill `template`, HTML from the source code, as str.format does; values other than MarkupText are escaped."""
    return MarkupText(template.format(*(one if isinstance(one, MarkupText) else escape(str(one)) for one in values)))


def join_markup(parts: Iterable[MarkupText]) -> MarkupText:
    return MarkupText("".join(parts))


def plain_tool_tip(text: str) -> str:
    """Text for a tool tip that Qt shows literally, in lines of at most TIP_COLUMNS characters.

    Text with markup characters is escaped, so that pyqtgraph can concatenate several.
    """
    wrapped = "\n".join(part for line in text.split("\n") for part in _wrap(line))
    return markup("<p style='white-space: pre'>{}</p>", wrapped) if "<" in wrapped or "&" in wrapped else wrapped


def _wrap(line: str) -> list[str]:
    if len(line) <= TIP_COLUMNS:
        return [line]
    return textwrap.wrap(line, TIP_COLUMNS, expand_tabs=False, replace_whitespace=False, break_on_hyphens=False)


class _HasToolTip(Protocol):
    """A widget, an action, or an item of a scene or view."""

    def setToolTip(self, text: str, /) -> None:  # noqa: N802
        """Set the tool tip (Qt's name)."""


@overload
def set_tool_tip(target: _HasToolTip, text: str) -> None: ...
@overload
def set_tool_tip(target: QTreeWidgetItem, text: str, column: int) -> None: ...
def set_tool_tip(target: _HasToolTip | QTreeWidgetItem, text: str, column: int = 0) -> None:
    """Set the tool tip of a widget, an action or an item to plain text. column: of a tree item."""
    if isinstance(target, QTreeWidgetItem):
        target.setToolTip(column, plain_tool_tip(text))
    else:
        target.setToolTip(plain_tool_tip(text))


def show_tool_tip(place: QPoint, text: str | MarkupText, widget: QWidget) -> None:
    """Show a tool tip at a global position: plain text, or `markup` of our own."""
    QToolTip.showText(place, text if isinstance(text, MarkupText) else plain_tool_tip(text), widget)
