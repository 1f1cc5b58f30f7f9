"""The stylesheet, part by part of the window: what is hidden when the theme changes is dressed when it is next seen.

A sheet of the whole application would be simpler, and costs four times as much to replace: Qt then asks every widget
anew for every widget above it. A part's own sheet reaches the dialogs, menus and tool tips below it too.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from app.widgets.theme import redraw_icon, theme

_SEEN = (QEvent.Type.Polish, QEvent.Type.Show)


class _Dresser(QObject):
    """Sees to one part, of which it is a child."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self._part = part
        self._own, self._worn = part.styleSheet(), ""
        part.installEventFilter(self)
        theme().changed.connect(self._follow)

    def _follow(self) -> None:
        if self._part.isVisible():
            self.put_on()

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
