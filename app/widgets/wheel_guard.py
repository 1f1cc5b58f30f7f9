"""The wheel scrolls a page; it changes a field only where that has the focus.

a window ── a wheel over a combo box or a spin box ──▶ it has the focus: as ever
                                                 └──▶ else: the area around it scrolls
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QWheelEvent, QWindow
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QScrollBar,
    QTabBar,
    QWidget,
)

FIELDS = (QComboBox, QAbstractSpinBox, QAbstractSlider, QTabBar)
"""What Qt lets the wheel change; the scroll bars among the sliders are there for it."""
Field = TypeVar("Field", bound=QComboBox | QAbstractSpinBox)


class WheelGuard(QObject):
    """One for the application. It filters the events of windows, which are few, and not those of every widget."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        app.focusWindowChanged.connect(self._watch)

    def _watch(self, window: QWindow | None) -> None:
        if window is not None:
            window.installEventFilter(self)  # once: what is installed already is not installed twice

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        if not isinstance(event, QWheelEvent):
            return False
        field = _field_at(watched, event.position().toPoint())
        if field is None or field.hasFocus():
            return False
        around, accepted = field.parentWidget(), False
        while around is not None and not accepted and not around.isWindow():  # Qt hands on the system's events alone
            copy = _copy_event(event)
            QApplication.sendEvent(around, copy)
            around, accepted = around.parentWidget(), copy.isAccepted()
        return True


def _field_at(window: QObject, at: QPoint) -> QWidget | None:
    """The field of a window under a point of it."""
    top = next((one for one in QApplication.topLevelWidgets() if one.windowHandle() is window), None)
    widget = top.childAt(at) if top is not None else None
    while widget is not None and not (isinstance(widget, FIELDS) and not isinstance(widget, QScrollBar)):
        widget = widget.parentWidget()
    return widget


def _copy_event(event: QWheelEvent) -> QWheelEvent:
    where, turned = (event.position(), event.globalPosition()), (event.pixelDelta(), event.angleDelta())
    return QWheelEvent(*where, *turned, event.buttons(), event.modifiers(), event.phase(), event.inverted())


def guard_wheel(app: QApplication) -> WheelGuard:
    """Lets no wheel change a field of `app` that a person did not choose."""
    return WheelGuard(app)


class _WheelForwarder(QObject):
    """Leaves the wheel to the area around."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def ignore_wheel(field: Field) -> Field:
    """The field, which the wheel does not change even with the focus: a provider so chosen would open a bundle anew."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelForwarder(field))
    return field
