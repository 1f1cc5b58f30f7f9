"""The stylesheet, part by part of the window: what is seen when the theme changes is dressed first, a part a turn.

    theme().changed ──▶ parts that are seen, their window's picture standing still ──▶ one new picture ──▶ hidden parts

What is hidden is dressed when it is seen, or when nothing else is left.
A sheet of the whole application would be simpler, and costs four times as much to replace: Qt then asks every widget
anew for every widget above it. A part's own sheet reaches the dialogs, menus and tool tips below it too.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget
from shiboken6 import isValid

from app.widgets.theme import redraw_icon, theme

_SEEN = (QEvent.Type.Polish, QEvent.Type.Show)


BREATH_MS = 40
"""Between two hidden parts."""


class _Turns(QObject):
    """Dresses one part a turn of the event loop; nothing of a window is painted before all that is seen has had its."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = deque[_Dresser]()
        self._hidden = deque[_Dresser]()
        self._still: list[QWidget] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._turn)

    def add(self, dresser: _Dresser, part: QWidget) -> None:
        """It will have its turn."""
        if part.isVisible():
            window = part.window()
            if window.updatesEnabled():
                window.setUpdatesEnabled(False)
                self._still.append(window)
            self._seen.append(dresser)
        else:
            self._hidden.append(dresser)
        self._timer.start(0)

    def _turn(self) -> None:
        waiting = self._seen or self._hidden
        dresser = waiting.popleft()
        if isValid(dresser):
            dresser.put_on()
        if not self._seen:
            still, self._still = self._still, []
            for window in filter(isValid, still):
                window.setUpdatesEnabled(True)
        if self._seen or self._hidden:
            self._timer.start(0 if self._seen else BREATH_MS)


@lru_cache(maxsize=1)
def _turns() -> _Turns:
    """The one of the process."""
    return _Turns()


class _Dresser(QObject):
    """Sees to one part, of which it is a child."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        self._own, self._worn = part.styleSheet(), ""
        part.installEventFilter(self)
        theme().changed.connect(self._follow)

    def _follow(self) -> None:
        _turns().add(self, self._part)

    def put_on(self) -> None:
        """The theme's sheet and icons, unless it wears them."""
        sheet = theme().sheet
        if sheet == self._worn:
            return
        self._worn = sheet
        self._part.setStyleSheet(sheet + self._own)
        part, dressed = self._part, list[QAbstractButton | QAction | QLabel]()
        for found in (part.findChildren(QAbstractButton), part.findChildren(QLabel), part.findChildren(QAction)):
            dressed += found
        for target in dressed:
            if target.property("iconName"):
                redraw_icon(target)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dressed before it is measured and painted."""
        if event.type() in _SEEN:
            self.put_on()
        return super().eventFilter(watched, event)


def dress(part: QWidget, later: bool = False) -> None:
    """Have `part`, and all that is or comes below it, wear the theme's sheet: now, or when it is first seen."""
    if part.findChild(_Dresser, options=Qt.FindChildOption.FindDirectChildrenOnly) is None:
        dresser = _Dresser(part)
        if not later:
            dresser.put_on()
