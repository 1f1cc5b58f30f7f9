"""Points and blocks that stay cheap: one draw call, and no more points than a few a pixel column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]

MAX_SMOOTH_POINTS = 1000
"""Fewer points than this are drawn round and smooth."""
MAX_POINTS = 4096
"""More points than this are thinned to the lowest and highest of each of MOST/2 buckets."""


def peak_indices(y: Floats, most: int = MAX_POINTS) -> Ints:
    """The indices of at most `most` of the values y [n], ascending, among them every bucket's lowest and highest."""
    n = len(y)
    if n <= most:
        return np.arange(n)
    width = -(-n // (most // 2))
    whole = n // width * width
    buckets = y[:whole].reshape(-1, width)
    start = np.arange(len(buckets)) * width
    return np.unique(np.concatenate([buckets.argmin(1) + start, buckets.argmax(1) + start, np.arange(whole, n)]))


class PointsItem(pg.GraphicsObject):  # type: ignore[misc]
    """Round points of a fixed size in pixels."""

    def __init__(self, size: int = 4) -> None:
        super().__init__()
        self._size = size
        self._pen = QPen()
        self._bounds = QRectF()
        self._polygon = pg.functions.create_qpolygonf(0)
        self.count = 0

    def set_color(self, color: QColor) -> None:
        """Draws in another colour."""
        self._pen.setColor(color)
        self.update()

    def set_points(self, x: Floats, y: Floats) -> None:
        """Shows the points (x [n] ascending, y [n]) in place of the old ones; thin them before, with `keep`."""
        self.count = len(x)
        self._polygon = pg.functions.create_qpolygonf(self.count)
        bounds = QRectF()
        if self.count:
            memory = pg.functions.ndarray_from_qpolygonf(self._polygon)
            memory[:, 0], memory[:, 1] = x, y
            low, high = float(y.min()), float(y.max())
            bounds = QRectF(float(x[0]), low, float(x[-1] - x[0]) or 1e-9, high - low or 1e-9)
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:
        """Qt's name for the rectangle that paint fills."""
        return self._bounds

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Qt's name for drawing."""
        few = self.count < MAX_SMOOTH_POINTS
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, few)
        self._pen.setCapStyle(Qt.PenCapStyle.RoundCap if few else Qt.PenCapStyle.SquareCap)
        self._pen.setWidth(self._size if few else self._size - 2)
        painter.setPen(self._pen)
        place = painter.transform()  # a round cap under the plot's uneven scale would become a dash
        painter.resetTransform()
        painter.drawPoints(place.map(self._polygon))
        painter.setTransform(place)

    def dataBounds(self, axis: int, *_args: Any, **_kwargs: Any) -> tuple[float, float] | None:  # noqa: N802
        """pyqtgraph's name for the extent along an axis."""
        if not self.count:
            return None
        b = self._bounds
        return (b.left(), b.right()) if axis == 0 else (b.top(), b.bottom())


class BlocksItem(pg.GraphicsObject):  # type: ignore[misc]
    """Blocks that stand side by side: all of them in one draw call."""

    def __init__(self) -> None:
        super().__init__()
        self._pen, self._brush = QPen(), QBrush()
        self._bounds = QRectF()
        self.rects: list[QRectF] = []

    def set_colors(self, edge: QColor, inside: QColor) -> None:
        """Draws in other colours."""
        self._pen, self._brush = pg.mkPen(edge), QBrush(inside)
        self.update()

    def set_blocks(self, x: Floats, y: Floats) -> None:
        """Shows blocks, as `block_outline` gives them ([5n], [5n]), in place of the old ones."""
        corners = np.stack([x, y], axis=1).reshape(-1, 5, 2)[:, :3:2].reshape(-1, 4)
        self.rects = [QRectF(left, low, right - left, high - low) for left, low, right, high in corners.tolist()]
        self.prepareGeometryChange()
        self._bounds = QRectF()
        if len(corners):
            (left, low), (right, high) = corners[:, :2].min(0).tolist(), corners[:, 2:].max(0).tolist()
            self._bounds = QRectF(left, low, right - left, high - low)
        self.update()

    def boundingRect(self) -> QRectF:
        """Qt's name for the rectangle that paint fills."""
        return self._bounds

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Qt's name for drawing."""
        painter.setPen(self._pen)
        painter.setBrush(self._brush)
        painter.drawRects(self.rects)


def block_outline(time_s: Floats, latency_ms: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Blocks that end at `time_s` [n], as wide as their latency, so high [n], NaN after each: ([5n], [5n])."""
    left, none = time_s - latency_ms / 1000, np.full_like(time_s, np.nan)
    x = np.stack([left, left, time_s, time_s, none], axis=1).reshape(-1)
    zero = np.zeros_like(height)
    y = np.stack([zero, height, height, zero, none], axis=1).reshape(-1)
    return x, y
