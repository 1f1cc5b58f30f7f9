"""The wheel scrolls a page; it changes a field only where that has the focus.

application ── a wheel event for a combo box or a spin box ──▶ it has the focus: as ever
                                                           └─▶ else: the area around it scrolls
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QApplication, QComboBox, QScrollBar, QTabBar

FIELDS = (QComboBox, QAbstractSpinBox, QAbstractSlider, QTabBar)
"""What Qt lets the wheel change; the scroll bars among the sliders are there for it."""
Field = TypeVar("Field", bound=QComboBox | QAbstractSpinBox)


class WheelGuard(QObject):
    """One for the application: it sees every widget, also those that are made later."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        kind = event.type()
        if kind not in (QEvent.Type.Wheel, QEvent.Type.Polish):
            return False
        if not isinstance(watched, FIELDS) or isinstance(watched, QScrollBar):
            return False
        if kind == QEvent.Type.Polish:
            if watched.focusPolicy() == Qt.FocusPolicy.WheelFocus:  # Qt's own: the wheel itself would bring the focus
                watched.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            return False
        if watched.hasFocus():
            return False
        event.ignore()  # and so it goes on to the parent
        return True


def guard_wheel(app: QApplication) -> WheelGuard:
    """Lets no wheel change a field of `app` that a person did not choose."""
    guard = WheelGuard(app)
    app.installEventFilter(guard)
    return guard


class _PassedOn(QObject):
    """Leaves the wheel to the area around."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def deaf_to_wheel(field: Field) -> Field:
    """The field, which the wheel does not change even with the focus: a provider so chosen would open a bundle anew."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_PassedOn(field))
    return field
