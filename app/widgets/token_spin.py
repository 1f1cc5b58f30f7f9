"""A field for a number of tokens, which says one token and two tokens."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QSpinBox


def _tr(text: str) -> str:
    return QCoreApplication.translate("Spin", text)


def add_token_unit(spin: QSpinBox) -> QSpinBox:
    """The field, with its unit behind the number from now on."""

    def name(value: int) -> None:
        spin.setSuffix(_tr(" token") if value == 1 else _tr(" tokens"))

    spin.valueChanged.connect(name)
    name(spin.value())
    return spin
