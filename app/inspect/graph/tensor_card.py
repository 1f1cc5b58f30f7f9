"""The values of an initializer: a histogram and statistics.

worker's "tensor" ──▶ TensorCard: histogram, min, max, mean, standard deviation, zeros, NaN and infinite values
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.text.formatting import format_bytes, format_figures, format_number, pluralize
from app.widgets import CardFrame, ElidedLabel, label
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import SMALL, G, sans_font, theme
from workflows.wire.reports.graphs import TensorReport


def short_number(value: float | None) -> str:
    """A number with four significant digits; – for None."""
    return "–" if value is None else format_figures(value)


class TensorHistogram(QWidget):
    """A histogram with the ends of its range."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.low = self.high = 0.0
        self.counts: list[int] = []
        self.setFixedHeight(11 * G)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_counts(self, low: float, high: float, counts: list[int]) -> None:
        self.low, self.high, self.counts = low, high, counts
        top = max(counts, default=0)
        self.setAccessibleName(
            self.tr("Histogram from {0} to {1}, the highest bar counts {2}").format(
                short_number(low), short_number(high), format_number(top)
            )
        )
        set_tool_tip(self, self.accessibleName())
        self.update()

    def bars(self) -> list[QRectF]:
        """The rectangles of the bars; a count above 0 is at least one pixel high."""
        top = max(self.counts, default=0)
        height, width = self.height() - 3 * G, self.width() / max(len(self.counts), 1)
        result = []
        for place, count in enumerate(self.counts):
            tall = max(1.0, height * count / top) if count else 0.0
            result.append(QRectF(place * width, G + height - tall, max(width - 1, 1), tall))
        return result

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color("accent"))
        painter.drawRects(self.bars())
        base = self.height() - 2 * G
        painter.setPen(theme().color("border"))
        painter.drawLine(0, base, self.width(), base)
        painter.setFont(sans_font(SMALL - 1))
        painter.setPen(theme().color("muted"))
        ends = QRectF(0, base + 1, self.width(), 2 * G - 1)
        painter.drawText(ends, Qt.AlignmentFlag.AlignLeft, short_number(self.low))
        painter.drawText(ends, Qt.AlignmentFlag.AlignRight, short_number(self.high))
        if self.low < 0 < self.high:
            x = self.width() * -self.low / (self.high - self.low)
            painter.setPen(theme().color("faint"))
            painter.drawLine(int(x), G, int(x), base)
        painter.end()


class TensorCard(CardFrame):
    """One initializer: while it is read, its statistics, or the error."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.body.setContentsMargins(G + 4, G, G + 4, G)
        self.body.setSpacing(2)
        self.name = ElidedLabel("", "heading", cut=Qt.TextElideMode.ElideMiddle)
        self.type = ElidedLabel("")
        self.histogram = TensorHistogram()
        self.figures = label("", "small", wrap=True)
        self.head = label("", "muted", wrap=True)
        self.error = label("", "error", wrap=True)
        for part in (self.name, self.type, self.histogram, self.figures, self.head, self.error):
            self.body.addWidget(part)
        self.hide()

    def show_reading(self, name: str) -> None:
        """Shows that the values are being read."""
        self._reset(name)
        self.type.set_whole(self.tr("Reading its values …"))

    def show_error(self, message: str) -> None:
        self.type.set_whole("")
        self.error.setText(message)
        self.error.show()

    def _reset(self, name: str) -> None:
        self.name.set_whole(name)
        for part in (self.histogram, self.figures, self.head, self.error):
            part.hide()
        self.show()

    def show_tensor(self, report: TensorReport) -> None:
        self._reset(report.name)
        shape = " × ".join(map(str, report.shape)) or self.tr("scalar")
        self.type.set_whole(f"{report.dtype} {shape} · {format_bytes(report.bytes)}")
        bars = report.histogram
        if bars is not None:
            self.histogram.show_counts(bars.low, bars.high, bars.counts)
        self.histogram.setVisible(bars is not None)
        self.figures.setText(self._figures(report))
        self.figures.show()
        head = ", ".join(map(short_number, report.head))
        self.head.setText(self.tr("First values: {0}").format(head) if head else "")
        self.head.setVisible(bool(head))

    def _figures(self, report: TensorReport) -> str:
        parts = [
            pluralize(report.count, self.tr("1 value"), self.tr("{0} values")),
            self.tr("min {0}").format(short_number(report.min)),
            self.tr("max {0}").format(short_number(report.max)),
            self.tr("mean {0}").format(short_number(report.mean)),
            self.tr("std {0}").format(short_number(report.std)),
            pluralize(report.zeros, self.tr("1 zero"), self.tr("{0} zeros")),
        ]
        for odd, text in ((report.nan, self.tr("{0} NaN")), (report.inf, self.tr("{0} infinite"))):
            if odd:
                parts.append(text.format(format_number(odd)))
        return " · ".join(parts)
