"""Where the window goes: on a screen that is there, whole, with room for the frame that the system draws around it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication

FRAME = QSize(8, 40)
"""What the system's frame takes at most, before it has drawn one and can be asked."""
MINIMUM_SIZE = QSize(960, 540)
"""The window's least size, where the screen is not smaller still."""


def fit_to_screen(wanted: QRect, screens: Sequence[QRect]) -> QRect:
    """`wanted` moved and cut so that the screen that has most of it shows it whole; the first one if none has any.

    Both are in logical pixels; the screens are what taskbars leave of them. The corner is the frame's, the size is
    that of what is in it. Without a screen nothing is changed.
    """
    if not screens:
        return wanted

    def shared(screen: QRect) -> int:
        common = screen.intersected(wanted)
        return max(0, common.width()) * max(0, common.height())

    screen = max(screens, key=shared)
    size = wanted.size().boundedTo(screen.size() - FRAME)
    left = min(max(wanted.left(), screen.left()), screen.left() + screen.width() - FRAME.width() - size.width())
    top = min(max(wanted.top(), screen.top()), screen.top() + screen.height() - FRAME.height() - size.height())
    return QRect(QPoint(left, top), size)


def available_screens() -> list[QRect]:
    """What taskbars leave of each screen, the primary one first; offscreen there is none."""
    if QGuiApplication.platformName() == "offscreen":
        return []
    first = QGuiApplication.primaryScreen()
    return [screen.availableGeometry() for screen in sorted(QGuiApplication.screens(), key=lambda s: s is not first)]


def minimum_window_size(screens: Sequence[QRect]) -> QSize:
    """SMALLEST, or what fits on the smallest of the screens."""
    fit = MINIMUM_SIZE
    for screen in screens:
        fit = fit.boundedTo(screen.size() - FRAME)
    return fit
