"""The legend of the curves: a sample of each line with its symbol, and the name of its run."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.measure.history.curve_style import CurveStyle
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import SMALL, G, sans_font, theme

ROW, SAMPLE, MAX_WIDTH = 22, 32, 336


class CurveLegend(QWidget):
    """As wide as its longest name, at most MAX_WIDTH pixels; the tool tip has the full names."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names: list[str] = []
        self.setFont(sans_font(SMALL))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def show_names(self, names: Sequence[str]) -> None:
        """Show the names of the curves, in their order."""
        self.names = list(names)
        set_tool_tip(self, "\n".join(names))
        self.setAccessibleName(", ".join(names))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """The preferred size (Qt's name)."""
        widest = max((self.fontMetrics().horizontalAdvance(name) for name in self.names), default=0)
        return QSize(min(widest + SAMPLE + 3 * G, MAX_WIDTH), ROW * len(self.names))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the legend (Qt's name)."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme().color("surface"))
        room = self.width() - SAMPLE - 2 * G
        for index, name in enumerate(self.names):
            middle = G + ROW * index + ROW / 2
            self._sample(painter, CurveStyle(index), middle)
            painter.setPen(theme().color("text"))
            text = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(QPointF(SAMPLE + G, middle + self.fontMetrics().ascent() / 2 - 1), text)
        painter.end()

    def _sample(self, painter: QPainter, style: CurveStyle, middle: float) -> None:
        painter.setPen(QPen(style.color, 1.3, style.dash))
        painter.drawLine(QPointF(0, middle), QPointF(SAMPLE, middle))
        painter.save()
        painter.translate(SAMPLE / 2, middle)
        painter.scale(8, 8)
        painter.fillPath(Symbols[style.shape], pg.mkBrush(style.color))
        painter.restore()
