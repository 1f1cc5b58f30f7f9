"""Layouts, stacks and splitters, each built, filled or cleared by one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

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


def grid_layout(
    horizontal: int = G, vertical: int = G, stretch: Sequence[int] = (), parent: QWidget | None = None
) -> QGridLayout:
    """An empty grid with these gaps, as the layout of `parent` if there is one. stretch: the columns that grow."""
    result = QGridLayout() if parent is None else QGridLayout(parent)
    result.setContentsMargins(0, 0, 0, 0)
    result.setHorizontalSpacing(horizontal)
    result.setVerticalSpacing(vertical)
    for column in stretch:
        result.setColumnStretch(column, 1)
    return result


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


def clear_layout(layout: QLayout) -> None:
    """Remove everything from a layout, and delete the widgets."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def stack(*pages: QWidget) -> QStackedWidget:
    """The pages on top of each other; the first is visible."""
    result = QStackedWidget()
    for page in pages:
        result.addWidget(page)
    return result


def splitter(orientation: Qt.Orientation, *parts: QWidget | tuple[QWidget, int]) -> QSplitter:
    """The parts with handles between them, each alone or with its stretch factor; none can be collapsed."""
    result = QSplitter(orientation)
    result.setChildrenCollapsible(False)
    for index, part in enumerate(parts):
        widget, factor = part if isinstance(part, tuple) else (part, 0)
        result.addWidget(widget)
        if factor:
            result.setStretchFactor(index, factor)
    return result


class FlowLayout(QLayout):
    """Items have their preferred size, with G // 2 between them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(G // 2)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(max((one.width() for one in sizes), default=0), max((one.height() for one in sizes), default=0))

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def _arrange(self, rect: QRect, move: bool) -> int:
        """Place the items if `move`, each in the middle of its line; returns the height of the lines."""
        y = rect.y()
        for line in self._lines(rect.width()):
            x, height = rect.x(), max(size.height() for _, size in line)
            for item, size in line:
                if move:
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + self.spacing()
            y += height + self.spacing()
        return max(0, y - self.spacing() - rect.y())

    def _lines(self, width: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        """The items with their sizes, divided into lines of at most `width` pixels."""
        lines: list[list[tuple[QLayoutItem, QSize]]] = []
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = QSize(min(item.sizeHint().width(), width), item.sizeHint().height())
            if not lines or used + size.width() > width:
                lines.append([])
                used = 0
            lines[-1].append((item, size))
            used += size.width() + self.spacing()
        return lines
