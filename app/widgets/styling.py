"""The stylesheet, applied part by part: on a change of theme, visible parts are styled first, one per turn.

    theme().changed ──▶ visible parts, while their window is not painted ──▶ one repaint ──▶ hidden parts

A hidden part is styled when it is shown, or when the event loop is idle.
A stylesheet of the whole application would be simpler, but replacing it takes four times as long: Qt then checks
every widget against all its parents. The sheet of a part also reaches the dialogs, menus and tool tips below it.
A sheet costs 0.1 ms for each widget below it, visible or not. A widget with many hidden children is a frame
(`style_separately`): it has no sheet, and each of its children is a part.
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
"""The pause between two hidden parts."""


class _StyleQueue(QObject):
    """Styles one part per turn of the event loop, and suspends painting until all visible parts are styled."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = deque[_PartStyler]()
        self._hidden = deque[_PartStyler]()
        self._still: list[QWidget] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._turn)

    def add(self, styler: _PartStyler, part: QWidget) -> None:
        if part.isVisible():
            window = part.window()
            if window.updatesEnabled():
                window.setUpdatesEnabled(False)
                self._still.append(window)
            self._seen.append(styler)
        else:
            self._hidden.append(styler)
        self._timer.start(0)

    def _turn(self) -> None:
        waiting = self._seen or (not self._still and self._hidden)
        if waiting:
            styler = waiting.popleft()
            if isValid(styler):
                styler.apply()
        else:
            self._paint()
        if self._seen or self._still or self._hidden:
            self._timer.start(0 if self._seen or self._still else BREATH_MS)

    def _paint(self) -> None:
        """Repaint at once: X11 drops updates requested before updates were disabled, and all later ones."""
        still, self._still = self._still, []
        for window in filter(isValid, still):
            window.setUpdatesEnabled(True)
            window.repaint()


@lru_cache(maxsize=1)
def _style_queue() -> _StyleQueue:
    """The queue of the process."""
    return _StyleQueue()


def _invalidate_layouts(part: QWidget) -> None:
    """Update the layouts after a late change of style: Qt does not notify hidden layouts."""
    for layout in part.findChildren(QLayout):
        layout.invalidate()
    for stack in part.findChildren(QStackedWidget):
        stack.updateGeometry()


class _PartStyler(QObject):
    """Styles one part, its parent."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        self._own, self._applied = part.styleSheet(), ""
        part.installEventFilter(self)
        theme().changed.connect(self._follow)

    def _follow(self) -> None:
        _style_queue().add(self, self._part)

    def apply(self) -> None:
        """Apply the theme's sheet and icons unless they are applied already."""
        sheet = theme().sheet
        if sheet == self._applied:
            return
        first, self._applied = not self._applied, sheet
        self._part.setStyleSheet(sheet + self._own)
        if first:
            _invalidate_layouts(self._part)
        part, targets = self._part, list[QAbstractButton | QAction | QLabel]()
        if isinstance(part, QAbstractButton | QLabel):
            targets.append(part)
        for widgets in (part.findChildren(QAbstractButton), part.findChildren(QLabel), part.findChildren(QAction)):
            targets += widgets
        for target in targets:
            if target.property("iconName"):
                redraw_icon(target)

    def apply_later(self) -> None:
        """Apply the style when the part is shown, or when the event loop is idle."""
        _style_queue().add(self, self._part)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Style the part before it is measured and painted; Qt also polishes hidden widgets (Qt's name)."""
        if event.type() in _SEEN and self._part.isVisibleTo(self._part.window()):
            self.apply()
        return False


class _FrameWatcher(QObject):
    """Styles widgets that are added to a frame later; a child of the frame."""

    def __init__(self, frame: QWidget) -> None:
        super().__init__(frame)
        frame.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ChildPolished:
            assert isinstance(event, QChildEvent)
            child = event.child()
            if isinstance(child, QWidget):
                apply_style(child, later=not child.isVisibleTo(child.window()))
        return False


def style_separately(frame: QWidget | None) -> None:
    """Make `frame` a frame, before it is styled: each of its children, and its siblings, become parts of their own."""
    while frame is not None:
        frame.setProperty("styledSeparately", True)
        frame = frame.parentWidget()


def apply_style(part: QWidget, later: bool = False) -> None:
    """Style `part` and everything below it: now, or when it is shown or the event loop is idle."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    if part.findChild(_PartStyler, options=direct) or part.findChild(_FrameWatcher, options=direct):
        return
    if part.property("styledSeparately"):
        _FrameWatcher(part)
        for child in part.findChildren(QWidget, options=direct):
            apply_style(child, later)
        return
    styler = _PartStyler(part)
    (styler.apply_later if later else styler.apply)()
