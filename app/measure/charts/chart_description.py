"""What a chart shows, in words for a screen reader; the arrow keys move from point to point.

figures ──show──▶ the chart's accessible description ◀──select── arrow keys ──mark──▶ the cursor of the chart
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.text.translatable import tr


def range_text(name: str, values: Sequence[float], text: Callable[[float], str]) -> str:
    """The range and the median of values [n] in a sentence. text: of one of them."""
    if not len(values):
        return tr("{0}: no values.").format(name)
    figures = (text(min(values)), text(max(values)), text(median(values)))
    return tr("{0}: from {1} to {2}, median {3}.").format(name, *figures)


class ChartDescription:
    """Describes `chart`. mark: shows the point with an index in it, or none for -1."""

    def __init__(self, chart: QWidget, mark: Callable[[int], object]) -> None:
        self._chart, self._mark = chart, mark
        self._summary = ""
        self._count = 0
        self._point_text: Callable[[int], str] = str
        self.index = -1

    def show(self, summary: str, count: int, point_text: Callable[[int], str]) -> None:
        """Describe other figures, without a selected point. point_text: of one of `count` points."""
        self._summary, self._count, self._point_text = summary, count, point_text
        self.select(-1)

    def select(self, index: int) -> None:
        """Describe and mark a point; Qt notifies screen readers."""
        self.index = index
        selected = tr("Selected: {0}").format(self._point_text(index)) if index >= 0 else ""
        self._chart.setAccessibleDescription(f"{self._summary} {selected}".strip())
        self._mark(index)

    def handle_key(self, event: QKeyEvent) -> bool:
        """Select the next or previous point; False for a key other than Left and Right."""
        side = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if not side or not self._count:
            return False
        start = -1 if side > 0 else self._count
        index = (self.index if self.index >= 0 else start) + side
        self.select(max(0, min(index, self._count - 1)))
        return True
