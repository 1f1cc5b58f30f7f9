"""Box layouts built in one call with their parts: `vbox(self.text, hbox(self.copy, 1, self.close), parent=self)`.

A part is a widget or a layout, alone or as (part, stretch) or (part, stretch, alignment); a number is a stretch.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.widgets.theme import G

Part = QWidget | QLayout
LayoutItem = Part | int | tuple[Part, int] | tuple[Part, int, Qt.AlignmentFlag]
Margins = tuple[int, int, int, int]
Box = TypeVar("Box", bound=QBoxLayout)
STYLE_SPACING, STYLE_MARGINS = -1, (-1, -1, -1, -1)
"""Those of the layout around it, or of the style."""


def hbox(
    *items: LayoutItem, spacing: int = G, margins: Margins = (0, 0, 0, 0), parent: QWidget | None = None
) -> QHBoxLayout:
    """A row of items, as the layout of `parent` if there is one."""
    return _fill(QHBoxLayout() if parent is None else QHBoxLayout(parent), items, spacing, margins)


def vbox(
    *items: LayoutItem, spacing: int = G, margins: Margins = (0, 0, 0, 0), parent: QWidget | None = None
) -> QVBoxLayout:
    """A column of items, as the layout of `parent` if there is one."""
    return _fill(QVBoxLayout() if parent is None else QVBoxLayout(parent), items, spacing, margins)


def _fill(box: Box, items: tuple[LayoutItem, ...], spacing: int, margins: Margins) -> Box:
    box.setSpacing(spacing)
    box.setContentsMargins(*margins)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        part, stretch, *alignment = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QLayout):
            box.addLayout(part, stretch)
        else:
            box.addWidget(part, stretch, *alignment)
    return box
