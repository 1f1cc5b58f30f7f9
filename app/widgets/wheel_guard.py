"""The mouse wheel scrolls a page, and changes a field only if the field has the focus.

a window ── a wheel event over a combo box or spin box ──▶ it has the focus: default behaviour
                                                 └──▶ otherwise: the area around it scrolls
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QWheelEvent, QWindow
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QApplication, QComboBox, QScrollBar, QTabBar, QWidget

FIELDS = (QComboBox, QAbstractSpinBox, QAbstractSlider, QTabBar)
"""The widgets that Qt lets the wheel change; scroll bars, which are sliders, are excluded."""
Field = TypeVar("Field", bound=QComboBox | QAbstractSpinBox)


class WheelGuard(QObject):
    """The guard of the application. It filters the events of windows, which are few, not those of every widget."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        app.focusWindowChanged.connect(self._watch)

    def _watch(self, window: QWindow | None) -> None:
        if window is not None:
            window.installEventFilter(self)  # installing it again has no effect

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QWheelEvent):
            return False
        field = _field_at(watched, event.position().toPoint())
        if field is None or field.hasFocus():
            return False
        around, accepted = field.parentWidget(), False
        while around is not None and not accepted and not around.isWindow():  # Qt propagates only the system's events
            copy = _copy_event(event)
            QApplication.sendEvent(around, copy)
            around, accepted = around.parentWidget(), copy.isAccepted()
        return True


def _field_at(window: QObject, at: QPoint) -> QWidget | None:
    """The field of a window at a point."""
    # not of Qt's list of windows: a search for garbage while PySide wraps each destroys some that are still to come
    top = QWidget.find(window.winId()) if isinstance(window, QWindow) else None
    widget = top.childAt(at) if top is not None else None
    while widget is not None and not (isinstance(widget, FIELDS) and not isinstance(widget, QScrollBar)):
        widget = widget.parentWidget()
    return widget


def _copy_event(event: QWheelEvent) -> QWheelEvent:
    where, turned = (event.position(), event.globalPosition()), (event.pixelDelta(), event.angleDelta())
    return QWheelEvent(*where, *turned, event.buttons(), event.modifiers(), event.phase(), event.inverted())


def guard_wheel(app: QApplication) -> WheelGuard:
    """Prevent the wheel from changing fields of `app` without the focus."""
    return WheelGuard(app)


class _WheelForwarder(QObject):
    """Forwards the wheel to the area around."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def ignore_wheel(field: Field) -> Field:
    """Make the wheel never change a field, even with the focus: another provider would reopen the bundle."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelForwarder(field))
    return field
