"""The unit of a field for tokens follows the number, by keyboard, by code and in its range."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSpinBox

from app.widgets.fields import add_token_unit


@pytest.mark.parametrize(("value", "text"), [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens"), (99, "99 tokens")])
def test_one_is_one(qtbot: Any, value: int, text: str) -> None:
    spin = QSpinBox()
    spin.setValue(value)
    qtbot.addWidget(add_token_unit(spin))
    assert spin.text() == text
    spin.setValue(5)
    spin.setValue(value)
    assert spin.text() == text and spin.cleanText() == str(value)


def test_arrows_and_the_range_change_the_unit_too(qtbot: Any) -> None:
    spin = add_token_unit(QSpinBox())
    qtbot.addWidget(spin)
    spin.setRange(1, 8)
    assert spin.text() == "1 token"
    qtbot.keyClick(spin, Qt.Key.Key_Up)
    assert spin.text() == "2 tokens"
    spin.setMaximum(1)
    assert spin.text() == "1 token"
