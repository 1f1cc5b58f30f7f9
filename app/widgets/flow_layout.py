"""A layout that places widgets side by side and wraps to a new line if one does not fit."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from app.widgets.theme import G


class FlowLayout(QLayout):
    """Items have their preferred size, with G // 2 between them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(G // 2)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Add an item (Qt's name)."""
        self._items.append(item)

    def count(self) -> int:
        """The number of items (Qt's name)."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """An item by index (Qt's name)."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Remove an item (Qt's name)."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """No direction (Qt's name)."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """True (Qt's name)."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of the lines at a width (Qt's name)."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        """The minimum size (Qt's name)."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802
        """The width of the widest item (Qt's name)."""
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(max((one.width() for one in sizes), default=0), max((one.height() for one in sizes), default=0))

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Place the items (Qt's name)."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def _arrange(self, rect: QRect, move: bool) -> int:
        """Place the items if `move`; returns the height of the lines."""
        x, y, height = rect.x(), rect.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = QSize(min(item.sizeHint().width(), rect.width()), item.sizeHint().height())
            if x > rect.x() and x + size.width() > rect.right() + 1:
                x, y, height = rect.x(), y + height + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, height = x + size.width() + self.spacing(), max(height, size.height())
        return y + height - rect.y()
