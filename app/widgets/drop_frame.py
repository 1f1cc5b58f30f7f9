"""While files are dragged over the window: a frame around it that says what dropping does."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.widgets.theme import TITLE, G, sans_font, theme


class DropFrame(QWidget):
    """Lies over its parent and takes no mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = ""
        self.hide()

    def show_for(self, files: int) -> None:
        """Above everything else, with what dropping so many files does."""
        several = self.tr("Drop to compare them, or to put them together")
        self.text = self.tr("Drop to open it") if files == 1 else several
        self.setAccessibleName(self.text)
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A veil, a dashed frame and the words."""
        color = theme().color
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(color("window"))
        veil.setAlpha(200)
        painter.fillRect(self.rect(), veil)
        painter.setPen(QPen(color("accent"), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2 * G, 2 * G, -2 * G, -2 * G), G, G)
        painter.setFont(sans_font(TITLE))
        words = painter.fontMetrics().boundingRect(self.text)
        words.moveCenter(self.rect().center())
        painter.setPen(QPen(color("border"), 1))
        painter.setBrush(color("surface"))
        painter.drawRoundedRect(QRectF(words).adjusted(-3 * G, -2 * G, 3 * G, 2 * G), G, G)
        painter.setPen(color("text"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text)
        painter.end()
