"""Moves the keyboard focus to the composer when the focused widget is disabled or hidden."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget


class FocusRedirect(QObject):
    """Qt moves the focus to the next widget; in `area`, `heir` gets it instead."""

    def __init__(self, area: QWidget, heir: QWidget) -> None:
        super().__init__(area)
        self._area, self._heir = area, heir
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_moved)

    def _on_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is None or new is self._heir or not self._area.isVisible() or not self._area.isAncestorOf(old):
            return
        if not (old.isEnabled() and old.isVisible()):
            self._heir.setFocus()
