"""Graphics items for many points and blocks: one draw call, and at most a few points per pixel column."""

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
"""Below this number, points are drawn with antialiasing."""
MAX_POINTS = 4096
"""Above this number, points are thinned to the lowest and highest of each of MAX_POINTS/2 buckets."""


def peak_indices(y: Floats, most: int = MAX_POINTS) -> Ints:
    """The ascending indices of at most `most` of the values y [n], with the lowest and highest of every bucket."""
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
        self._pen.setColor(color)
        self.update()

    def set_points(self, x: Floats, y: Floats) -> None:
        """Replace the points (x [n] ascending, y [n]); thin them first with `peak_indices`."""
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
        return self._bounds

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        few = self.count < MAX_SMOOTH_POINTS
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, few)
        self._pen.setCapStyle(Qt.PenCapStyle.RoundCap if few else Qt.PenCapStyle.SquareCap)
        self._pen.setWidth(self._size if few else self._size - 2)
        painter.setPen(self._pen)
        place = painter.transform()  # a round cap would be distorted by the plot's scale
        painter.resetTransform()
        painter.drawPoints(place.map(self._polygon))
        painter.setTransform(place)

    def dataBounds(self, axis: int, *_args: Any, **_kwargs: Any) -> tuple[float, float] | None:  # noqa: N802
        """The extent along an axis (pyqtgraph's name)."""
        if not self.count:
            return None
        b = self._bounds
        return (b.left(), b.right()) if axis == 0 else (b.top(), b.bottom())


class BlocksItem(pg.GraphicsObject):  # type: ignore[misc]
    """Blocks side by side, drawn with one call."""

    def __init__(self) -> None:
        super().__init__()
        self._pen, self._brush = QPen(), QBrush()
        self._bounds = QRectF()
        self.rects: list[QRectF] = []

    def set_colors(self, edge: QColor, inside: QColor) -> None:
        self._pen, self._brush = pg.mkPen(edge), QBrush(inside)
        self.update()

    def set_blocks(self, x: Floats, y: Floats) -> None:
        """Replace the blocks; x and y as `block_outline` returns them ([5n], [5n])."""
        corners = np.stack([x, y], axis=1).reshape(-1, 5, 2)[:, :3:2].reshape(-1, 4)
        self.rects = [QRectF(left, low, right - left, high - low) for left, low, right, high in corners.tolist()]
        self.prepareGeometryChange()
        self._bounds = QRectF()
        if len(corners):
            (left, low), (right, high) = corners[:, :2].min(0).tolist(), corners[:, 2:].max(0).tolist()
            self._bounds = QRectF(left, low, right - left, high - low)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        painter.setPen(self._pen)
        painter.setBrush(self._brush)
        painter.drawRects(self.rects)


def block_outline(time_s: Floats, latency_ms: Floats, height: Floats) -> tuple[Floats, Floats]:
    """The outlines of blocks that end at `time_s` [n], as wide as their latency, NaN between: ([5n], [5n])."""
    left, none = time_s - latency_ms / 1000, np.full_like(time_s, np.nan)
    x = np.stack([left, left, time_s, time_s, none], axis=1).reshape(-1)
    zero = np.zeros_like(height)
    y = np.stack([zero, height, height, zero, none], axis=1).reshape(-1)
    return x, y
