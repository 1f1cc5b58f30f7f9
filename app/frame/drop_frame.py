"""A frame around the window while files are dragged over it; it says what dropping does."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.widgets.theme import TITLE, G, sans_font, theme


class DropFrame(QWidget):
    """Covers its parent and ignores the mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = ""
        self.hide()

    def show_for(self, files: int) -> None:
        """Show the frame with what dropping `files` files does."""
        several = self.tr("Drop to compare them, or to put them together")
        self.text = self.tr("Drop to open it") if files == 1 else several
        self.setAccessibleName(self.text)
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a veil, a dashed frame and the text (Qt's name)."""
        color = theme().color
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(color("window"))
        veil.setAlpha(200)
        painter.fillRect(self.rect(), veil)
        painter.setPen(QPen(color("accent"), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2 * G, 2 * G, -2 * G, -2 * G), G, G)
        painter.setFont(sans_font(TITLE))
        text_box = painter.fontMetrics().boundingRect(self.text)
        text_box.moveCenter(self.rect().center())
        painter.setPen(QPen(color("border"), 1))
        painter.setBrush(color("surface"))
        painter.drawRoundedRect(QRectF(text_box).adjusted(-3 * G, -2 * G, 3 * G, 2 * G), G, G)
        painter.setPen(color("text"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text)
        painter.end()
