"""A recording as a waveform, with a cursor that mouse and keys move.

peaks ──▶ a bar per column, those before the cursor in the accent; mouse, arrow keys ──▶ sought(seconds)
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.text.formatting import format_position
from app.widgets.spoken_selection import SpokenSelection
from app.widgets.theme import G, theme

HEIGHT = 6 * G
BAR, GAP = 2, 1
"""The width of a bar and of the space behind it, in pixels."""
STEP_S, PAGE_S = 1.0, 10.0
"""How far an arrow key and a page key move the cursor, in seconds."""


class Waveform(QWidget):
    """The waveform of one recording. sought: emitted when the cursor is moved by hand, in seconds."""

    sought = Signal(float)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.peaks: list[float] = []
        self.seconds = self.position = 0.0
        """The length of the recording, and where the cursor is; no length, no cursor."""
        self.span: tuple[float, float] | None = None
        """The times of the segment that is shaded."""
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(12 * G)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.spoken = SpokenSelection(self, self.tr("Waveform of {0}").format(name))
        self.setAccessibleDescription(self.tr("Arrow keys move by a second, page keys by ten."))
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(480, HEIGHT)

    def show_peaks(self, peaks: list[float], seconds: float) -> None:
        """Shows a recording of this length."""
        self.peaks, self.seconds = peaks, seconds
        self.show_position(self.position)

    def show_position(self, position: float) -> None:
        """Moves the cursor."""
        self.position = max(0.0, min(position, self.seconds))
        self.spoken.select(self.text if self.seconds else "")
        self.update()

    def show_span(self, span: tuple[float, float] | None) -> None:
        """Shades a segment, or none."""
        self.span = span
        self.update()

    @property
    def text(self) -> str:
        """Position and length, for people."""
        return self.tr("{0} of {1}").format(format_position(self.position), format_position(self.seconds))

    def x_of(self, seconds: float) -> float:
        """The pixel of a time."""
        return self.width() * seconds / self.seconds if self.seconds else 0.0

    def columns(self) -> list[float]:
        """The peak of each bar at the present width."""
        count = min(max(self.width() // (BAR + GAP), 1), max(len(self.peaks), 1))
        parts = [len(self.peaks) * place // count for place in range(count + 1)]
        return [max(self.peaks[first:last], default=0.0) for first, last in pairwise(parts)]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        color, middle = theme().color, self.height() / 2
        if self.span is not None:
            first, last = (self.x_of(one) for one in self.span)
            shade = color("accent")
            shade.setAlpha(40)
            painter.fillRect(QRectF(first, 0, max(last - first, 2), self.height()), shade)
        columns = self.columns()
        loudest, each = max(columns, default=0.0) or 1.0, self.width() / max(len(columns), 1)
        cursor = self.x_of(self.position)
        for place, peak in enumerate(columns):
            half = max(peak / loudest * (middle - 4), 0.5)
            x = place * each
            heard = self.seconds > 0 and x + each / 2 <= cursor
            painter.fillRect(
                QRectF(x, middle - half, max(each - GAP, 1), 2 * half), color("accent" if heard else "muted")
            )
        if self.seconds:
            painter.setPen(QPen(color("text"), 2))
            x = min(max(cursor, 1.0), self.width() - 1.0)
            painter.drawLine(round(x), 0, round(x), self.height())
        if self.hasFocus():
            painter.setPen(QPen(color("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._seek_to(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a drag moves the cursor."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._seek_to(event)

    def _seek_to(self, event: QMouseEvent) -> None:
        if self.seconds:
            self._seek(event.position().x() / max(self.width(), 1) * self.seconds)

    def _seek(self, position: float) -> None:
        self.show_position(position)
        self.sought.emit(self.position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: arrows, page keys, Home and End move the cursor."""
        steps = {
            Qt.Key.Key_Left: -STEP_S,
            Qt.Key.Key_Right: STEP_S,
            Qt.Key.Key_PageUp: -PAGE_S,
            Qt.Key.Key_PageDown: PAGE_S,
            Qt.Key.Key_Home: -self.seconds,
            Qt.Key.Key_End: self.seconds,
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self.seconds:
            super().keyPressEvent(event)
        else:
            self._seek(self.position + step)
