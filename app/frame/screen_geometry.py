"""The geometry of the window: completely on an existing screen, with room for the system's frame."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication

FRAME = QSize(8, 40)
"""The largest system frame, assumed until the real one is known."""
MINIMUM_SIZE = QSize(960, 540)
"""The minimum size of the window, unless the screen is smaller."""


def fit_to_screen(geometry: QRect, screens: Sequence[QRect]) -> QRect:
    """`wanted` moved and limited so that the screen with its largest part shows it completely; else the first screen.

    All sizes are logical pixels; the screens are without taskbars. The corner includes the frame, the size does
    not. Without a screen, `wanted` is returned.
    """
    if not screens:
        return geometry

    def shared(screen: QRect) -> int:
        common = screen.intersected(geometry)
        return max(0, common.width()) * max(0, common.height())

    screen = max(screens, key=shared)
    size = geometry.size().boundedTo(screen.size() - FRAME)
    left = min(max(geometry.left(), screen.left()), screen.left() + screen.width() - FRAME.width() - size.width())
    top = min(max(geometry.top(), screen.top()), screen.top() + screen.height() - FRAME.height() - size.height())
    return QRect(QPoint(left, top), size)


def available_screens() -> list[QRect]:
    """The screens without taskbars, the primary one first; none on the offscreen platform."""
    if QGuiApplication.platformName() == "offscreen":
        return []
    first = QGuiApplication.primaryScreen()
    return [screen.availableGeometry() for screen in sorted(QGuiApplication.screens(), key=lambda s: s is not first)]


def minimum_window_size(screens: Sequence[QRect]) -> QSize:
    """MINIMUM_SIZE, limited to the smallest screen."""
    fit = MINIMUM_SIZE
    for screen in screens:
        fit = fit.boundedTo(screen.size() - FRAME)
    return fit
