"""Markdown as a Qt document that loads nothing: no HTML, no images, no files; tables and code are styled."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)

from app.widgets.theme import G

_LINE = QColor(128, 128, 128, 110)  # visible on light and dark, so that a change of theme needs no new rendering
_OBJECT = "\ufffc"  # the character of an image in a document's text
_TINT = QColor(128, 128, 128, 40)


class MarkdownDocument(QTextDocument):
    """A document that loads nothing: a text that is not ours must not make the window read files."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802 - Qt's name
        """A transparent pixel for every image: Qt opens the file of an image that has no data."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return None
        image = QImage(1, 1, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        return image

    def render_markdown(self, text: str) -> None:
        """Show Markdown of GitHub's dialect. HTML stays text, and each image is shown as its Markdown source."""
        features = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
        self.setMarkdown(text, features)
        _replace_images_with_source(self)
        _style_markdown(self)


def _style_markdown(document: QTextDocument) -> None:
    """Style a document rendered from Markdown; its text does not change."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _style_table(frame)
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


def _replace_images_with_source(document: QTextDocument) -> None:
    """Replace each image by its Markdown source: images named in a text are never loaded."""
    cursor = document.find(_OBJECT)
    while not cursor.isNull():
        form = cursor.charFormat()
        if form.isImageFormat():
            image, alt = form.toImageFormat(), form.property(QTextFormat.Property.ImageAltText) or ""
            cursor.insertText(f"![{alt}]({image.name()})", QTextCharFormat())
        cursor = document.find(_OBJECT, cursor)


def _style_table(table: QTextTable) -> None:
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
