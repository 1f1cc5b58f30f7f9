"""What the window parses as HTML or Markdown: all labels, texts, tool tips, models and scenes are walked."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QGraphicsTextItem,
    QGraphicsView,
    QLabel,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from app.widgets.markdown import MarkdownDocument

MOST = 400
"""Rows of a model that are looked at."""


def shown(mark: str) -> tuple[set[str], set[str]]:
    """Where a text with `mark` in it is shown, and where any text is parsed: the kinds of the widgets, and how."""
    seen, parsed = set[str](), set[str]()
    for where, text, rich in _texts():
        if mark in text:
            seen.add(where)
        if rich:  # whose text has lost its marks
            parsed.add(f"{where}: {rich}")
    return seen, parsed


def parsed_tip(text: str) -> str:
    """What of a tool tip is no plain text."""
    return _tip("", text)[2]


def all_widgets() -> list[QWidget]:
    """Those of the process. A search for garbage while PySide wraps Qt's list would destroy some that are to come."""
    gc.disable()
    try:
        return QApplication.allWidgets()
    finally:
        gc.enable()


Found = tuple[str, str, str]
"""Where, the text, and what of it is no plain text: empty for none."""


def _texts() -> Iterator[Found]:
    for widget in all_widgets():
        yield from _of_widget(widget)


def _of_widget(widget: QWidget) -> Iterator[Found]:
    kind = type(widget).__name__
    for name in ("toolTip", "statusTip", "whatsThis"):
        yield _tip(f"{kind}.{name}", str(getattr(widget, name)()))
    for action in widget.actions():
        yield (
            _tip("QAction.toolTip", action.toolTip()) if _shows_tips(widget, action) else ("QAction", action.text(), "")
        )
    if isinstance(widget, QLabel):
        plain = widget.textFormat() == Qt.TextFormat.PlainText or not GuiQt.mightBeRichText(widget.text())
        yield kind, widget.text(), "" if plain else "an HTML label"
    elif isinstance(widget, QTextEdit | QPlainTextEdit):
        yield _document(kind, widget.document(), isinstance(widget.document(), MarkdownDocument))
    elif isinstance(widget, QAbstractItemView | QComboBox):
        if widget.model() is not None:
            yield from _of_model(f"{kind} of {type(widget.parent()).__name__}", widget.model(), QModelIndex())
    elif isinstance(widget, QGraphicsView) and widget.scene() is not None:
        yield from _of_scene(widget)
    else:
        for name in ("text", "title", "windowTitle", "accessibleName"):
            yield kind, _call(widget, name), ""


def _call(widget: Any, name: str) -> str:
    value = getattr(widget, name, None)
    text = value() if callable(value) else value
    return text if isinstance(text, str) else ""


def _shows_tips(widget: QWidget, action: QAction) -> bool:
    """Menus show none unless they are told to."""
    return bool(getattr(widget, "toolTipsVisible", lambda: False)())


def _tip(where: str, text: str) -> Found:
    if not GuiQt.mightBeRichText(text):
        return where, text, ""
    document = QTextDocument()
    document.setHtml(text)
    return _document(where, document, False)


def _document(where: str, document: QTextDocument, markdown: bool) -> Found:
    """Images are never right, headings and links in our view of Markdown alone."""
    rich = set[str]()
    block = document.begin()
    while block.isValid():
        if block.blockFormat().headingLevel() and not markdown:
            rich.add("a heading")
        for fragment in block:
            form = fragment.fragment().charFormat()
            if form.isImageFormat():
                rich.add("an image")
            if form.isAnchor() and "example.com" in form.anchorHref() and not markdown:
                rich.add("a link")
        block = block.next()
    return where, document.toPlainText(), ", ".join(sorted(rich))


def _of_model(where: str, model: QAbstractItemModel, parent: QModelIndex) -> Iterator[Found]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(min(model.rowCount(parent), MOST)):
        for column in range(columns):
            index = model.index(row, column, parent)
            yield where, str(index.data() or ""), ""
            yield _tip(f"{where}, a tool tip", str(index.data(Qt.ItemDataRole.ToolTipRole) or ""))
        first = model.index(row, 0, parent)
        if model.rowCount(first):
            yield from _of_model(where, model, first)
    if not parent.isValid():
        for column in range(columns):
            tip = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
            yield _tip(f"{where}, a heading's tool tip", str(tip or ""))


def _of_scene(view: QGraphicsView) -> Iterator[Found]:
    for item in view.scene().items():
        kind = type(item).__name__
        yield _tip(f"{kind}.toolTip", item.toolTip())
        for point in item.points() if isinstance(item, pg.ScatterPlotItem) and item.opts.get("tip") else ():
            yield _tip(f"{kind}, a point's tool tip", item.opts["tip"](x=0, y=0, data=point.data()))
        if isinstance(item, QGraphicsTextItem):
            yield _document(kind, item.document(), False)
