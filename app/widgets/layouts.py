"""Box layouts, each built and filled by one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.widgets.theme import G


@dataclass(frozen=True, slots=True)
class Stretch:
    """An empty part that grows by this factor, relative to the others."""

    factor: int = 1


STRETCH = Stretch()
Part = QWidget | QLayout | Stretch | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
"""A widget or layout, alone or with its stretch factor and alignment; or empty space, an int in pixels."""
Margins = int | tuple[int, int, int, int] | None
Box = TypeVar("Box", bound=QBoxLayout)


def hbox(*parts: Part, parent: QWidget | None = None, margins: Margins = 0, spacing: int | None = G) -> QHBoxLayout:
    """The parts side by side, as the layout of `parent` if there is one. None: margins or spacing of the style."""
    return _fill(QHBoxLayout() if parent is None else QHBoxLayout(parent), parts, margins, spacing)


def vbox(*parts: Part, parent: QWidget | None = None, margins: Margins = 0, spacing: int | None = G) -> QVBoxLayout:
    """The parts one below the other; otherwise as `hbox`."""
    return _fill(QVBoxLayout() if parent is None else QVBoxLayout(parent), parts, margins, spacing)


def _fill(box: Box, parts: tuple[Part, ...], margins: Margins, spacing: int | None) -> Box:
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        item, *options = part if isinstance(part, tuple) else (part,)
        if isinstance(item, Stretch):
            box.addStretch(item.factor)
        elif isinstance(item, int):
            box.addSpacing(item)
        elif isinstance(item, QLayout):
            box.addLayout(item, *options)
        else:
            box.addWidget(item, *options)  # type: ignore[arg-type]  # a stretch factor, then an alignment
    return box
