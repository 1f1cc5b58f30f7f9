"""The stylesheet, part by part of the window: what is seen when the theme changes is dressed first, a part a turn.

    theme().changed ──▶ parts that are seen, their window's picture standing still ──▶ one new picture ──▶ hidden parts

What is hidden is dressed when it is seen, or when nothing else is left.
A sheet of the whole application would be simpler, and costs four times as much to replace: Qt then asks every widget
anew for every widget above it. A part's own sheet reaches the dialogs, menus and tool tips below it too.
A sheet costs 0.1 ms for each widget below it, seen or not. What holds many that are not seen is a frame (`apart`): it
wears no sheet, and each of its children is a part.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QLayout, QStackedWidget, QWidget
from shiboken6 import isValid

from app.widgets.theme import redraw_icon, theme

_SEEN = (QEvent.Type.Polish, QEvent.Type.Show)


BREATH_MS = 40
"""Between two hidden parts."""


class _StyleQueue(QObject):
    """Dresses one part a turn of the event loop; nothing of a window is painted before all that is seen has had its."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = deque[_PartStyler]()
        self._hidden = deque[_PartStyler]()
        self._still: list[QWidget] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._turn)

    def add(self, dresser: _PartStyler, part: QWidget) -> None:
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
        waiting = self._seen or (not self._still and self._hidden)
        if waiting:
            dresser = waiting.popleft()
            if isValid(dresser):
                dresser.put_on()
        else:
            self._paint()
        if self._seen or self._still or self._hidden:
            self._timer.start(0 if self._seen or self._still else BREATH_MS)

    def _paint(self) -> None:
        """At once: X11 forgets an update that it was asked for before they were disabled, and all that follow."""
        still, self._still = self._still, []
        for window in filter(isValid, still):
            window.setUpdatesEnabled(True)
            window.repaint()


@lru_cache(maxsize=1)
def _style_queue() -> _StyleQueue:
    """The one of the process."""
    return _StyleQueue()


def _invalidate_layouts(part: QWidget) -> None:
    """A widget styled late has other sizes than it had: Qt notifies no layout elsewhere, and no hidden one."""
    for layout in part.findChildren(QLayout):
        layout.invalidate()
    for stack in part.findChildren(QStackedWidget):
        stack.updateGeometry()


class _PartStyler(QObject):
    """Sees to one part, of which it is a child."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        self._own, self._worn = part.styleSheet(), ""
        part.installEventFilter(self)
        theme().changed.connect(self._follow)

    def _follow(self) -> None:
        _style_queue().add(self, self._part)

    def put_on(self) -> None:
        """The theme's sheet and icons, unless it wears them."""
        sheet = theme().sheet
        if sheet == self._worn:
            return
        first, self._worn = not self._worn, sheet
        self._part.setStyleSheet(sheet + self._own)
        if first:
            _invalidate_layouts(self._part)
        part, dressed = self._part, list[QAbstractButton | QAction | QLabel]()
        if isinstance(part, QAbstractButton | QLabel):
            dressed.append(part)
        for found in (part.findChildren(QAbstractButton), part.findChildren(QLabel), part.findChildren(QAction)):
            dressed += found
        for target in dressed:
            if target.property("iconName"):
                redraw_icon(target)

    def put_off(self) -> None:
        """When it is seen, or when there is time for it."""
        _style_queue().add(self, self._part)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dressed before it is measured and painted; Qt polishes what it does not show as well."""
        if event.type() in _SEEN and self._part.isVisibleTo(self._part.window()):
            self.put_on()
        return False


class _FrameWatcher(QObject):
    """Has what comes into a frame later dressed as well; a child of the frame."""

    def __init__(self, frame: QWidget) -> None:
        super().__init__(frame)
        frame.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        if event.type() == QEvent.Type.ChildPolished:
            assert isinstance(event, QChildEvent)
            child = event.child()
            if isinstance(child, QWidget):
                apply_style(child, later=not child.isVisibleTo(child.window()))
        return False


def style_separately(frame: QWidget | None) -> None:
    """From now on what lies in `frame`, and beside it in what holds it, is dressed by itself; before it is dressed."""
    while frame is not None:
        frame.setProperty("apart", True)
        frame = frame.parentWidget()


def apply_style(part: QWidget, later: bool = False) -> None:
    """Give `part`, and all that is or comes below it, the theme's sheet: now, or when it is seen or there is time."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    if part.findChild(_PartStyler, options=direct) or part.findChild(_FrameWatcher, options=direct):
        return
    if part.property("apart"):
        _FrameWatcher(part)
        for child in part.findChildren(QWidget, options=direct):
            apply_style(child, later)
        return
    dresser = _PartStyler(part)
    (dresser.put_off if later else dresser.put_on)()
