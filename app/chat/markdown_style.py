"""Styles what Qt's Markdown leaves plain: space between paragraphs, table borders, inline code; images become text."""

from __future__ import annotations

from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)

from app.widgets.theme import G

_LINE = QColor(128, 128, 128, 110)  # seen on light and dark alike, so that a change of theme redraws nothing
_OBJECT = "\ufffc"  # what stands in a document's text for an image
_TINT = QColor(128, 128, 128, 40)


def style_markdown(document: QTextDocument) -> None:
    """Changes the formatting of rendered Markdown; every character stays in its place."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame)
    block = document.begin()
    while block.isValid():
        if QTextCursor(block).currentTable() is None:
            form = QTextBlockFormat()
            last = not block.next().isValid()
            form.setBottomMargin(0 if last else G // 4 if block.textList() and block.next().textList() else G)
            form.setTopMargin(G if block.blockFormat().headingLevel() and block.position() else 0)
            QTextCursor(block).mergeBlockFormat(form)
        block = block.next()
    cursor.endEditBlock()


def replace_images_with_source(document: QTextDocument) -> None:
    """Replaces each image by its Markdown source: images that a model names are never loaded."""
    cursor = document.find(_OBJECT)
    while not cursor.isNull():
        form = cursor.charFormat()
        if form.isImageFormat():
            image, alt = form.toImageFormat(), form.property(QTextFormat.Property.ImageAltText) or ""
            cursor.insertText(f"![{alt}]({image.name()})", QTextCharFormat())
        cursor = document.find(_OBJECT, cursor)


def _dress_table(table: QTextTable) -> None:
    form = table.format()
    form.setBorder(1)
    form.setBorderBrush(_LINE)
    form.setBorderCollapse(True)
    form.setCellSpacing(0)
    form.setCellPadding(G // 2)
    form.setTopMargin(G // 2)
    form.setBottomMargin(G)
    table.setFormat(form)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        cell_format = cell.format()
        cell_format.setBackground(_TINT)
        cell_format.setFontWeight(QFont.Weight.DemiBold)
        cell.setFormat(cell_format)
        span = cell.firstCursorPosition()
        span.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        bold = span.charFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        bold.clearProperty(QTextFormat.Property.BackgroundBrush)
        span.mergeCharFormat(bold)
