"""The wheel scrolls a page; it does not change what lies under the pointer on the way."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox

Field = TypeVar("Field", bound=QComboBox | QAbstractSpinBox)


class _PassedOn(QObject):
    """Leaves the wheel to the area around."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def deaf_to_wheel(field: Field) -> Field:
    """The field, which keeps its value when a person scrolls over it: a provider so chosen would open a bundle anew."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_PassedOn(field))
    return field
