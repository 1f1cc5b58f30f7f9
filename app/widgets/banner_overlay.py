"""Banners over the upper edge of a page, which they do not move: controls stay under the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from app.widgets.basics import Banner
from app.widgets.layouts import vbox
from app.widgets.theme import G


class BannerOverlay(QWidget):
    """Holds `banners`, one below the other, over the upper edge of `owner`. Without a visible one it has no height.

    area: the part of `owner` that they lie over, if not all of it: a stack of pages, which raises each page that it
    shows over its own children, or a table, which scrolls them.
    """

    def __init__(self, owner: QWidget, *banners: Banner, area: QWidget | None = None) -> None:
        super().__init__(owner)
        self._owner, self._area = owner, area or owner
        vbox(*banners, parent=self, spacing=0)
        for watched in (self._area, *banners):
            watched.installEventFilter(self)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Qt's name: a banner was hidden, or has another text."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return done

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: the area has another size or place, or a banner is shown, which has its place at once."""
        moved = watched is self._area and event.type() in (QEvent.Type.Resize, QEvent.Type.Move)
        if moved or event.type() == QEvent.Type.Show:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        area = self._owner.rect() if self._area is self._owner else self._area.geometry()
        area.adjust(2 * G, G, -2 * G, -G)
        column = self.layout()
        needed = column.totalHeightForWidth(area.width()) if column is not None else 0
        self.setGeometry(area.x(), area.y(), area.width(), max(0, min(needed, area.height())))
        self.raise_()
