"""Banners over the upper edge of a page, which they do not move: controls stay under the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from app.widgets.basics import Banner
from app.widgets.layouts import vbox
from app.widgets.theme import G


class BannerOverlay(QWidget):
    """Holds `banners`, one below the other, over `area`. Without a visible one it has no height."""

    def __init__(self, area: QWidget, *banners: Banner) -> None:
        super().__init__(area)
        self._area = area
        vbox(*banners, parent=self, spacing=0)
        area.installEventFilter(self)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Qt's name: a banner was shown, hidden, or has another text."""
        done = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._place()
        return done

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: the area has another size."""
        if watched is self._area and event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        width = self._area.width() - 4 * G
        column = self.layout()
        needed = column.totalHeightForWidth(width) if column is not None else 0
        self.setGeometry(2 * G, G, width, max(0, min(needed, self._area.height() - 2 * G)))
        self.raise_()
