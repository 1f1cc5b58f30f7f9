"""The unit of fields for a number of tokens, in singular and plural."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QSpinBox


def _tr(text: str) -> str:
    return QCoreApplication.translate("Spin", text)


def add_token_unit(spin: QSpinBox) -> QSpinBox:
    """Add the unit to the field, and return the field."""

    def name(value: int) -> None:
        spin.setSuffix(_tr(" token") if value == 1 else _tr(" tokens"))

    spin.valueChanged.connect(name)
    name(spin.value())
    return spin
