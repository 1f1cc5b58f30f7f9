"""Form fields and progress bars with their names for screen readers, each created by one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QProgressBar, QSpinBox

from app.text.translatable import tr
from app.widgets.theme import G

SpinBox = TypeVar("SpinBox", bound=QAbstractSpinBox)


def line_edit(name: str, hint: str = "", clear: bool = False) -> QLineEdit:
    """A field for a line of text. hint: shown while it is empty; clear: whether it has a button that empties it."""
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setClearButtonEnabled(clear)
    return field


def combo_box(name: str, entries: Iterable[tuple[str, object]] = (), width: int = 0) -> QComboBox:
    """A combo box of (text, value). width: in characters, where longer entries must not widen it."""
    box = QComboBox()
    box.setAccessibleName(name)
    for text, value in entries:
        box.addItem(text, value)
    if width:
        box.setMinimumContentsLength(width)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box


def progress_bar(name: str = "", height: int = 0, total: int = 0) -> QProgressBar:
    """A progress bar without a text. height: in pixels, 0 for the style's; total: 0 while it is unknown."""
    bar = QProgressBar()
    bar.setAccessibleName(name)
    bar.setRange(0, total)
    bar.setTextVisible(False)
    if height:
        bar.setFixedHeight(height)
    return bar


def indent_number(spin: SpinBox) -> SpinBox:
    """Move the number off the frame, like other texts: Qt takes a style sheet's padding for the size only."""
    spin.lineEdit().setTextMargins(G - 2, 0, 0, 0)
    return spin


def add_token_unit(spin: QSpinBox) -> QSpinBox:
    """Add the unit to a field for a number of tokens, in singular and plural, and return the indented field."""

    def update(value: int) -> None:
        spin.setSuffix(tr(" token") if value == 1 else tr(" tokens"))

    spin.valueChanged.connect(update)
    update(spin.value())
    return indent_number(spin)
