"""Tabs that are built one by one: when a tab is looked at, or ahead of that, a tab a slice.

add(name, maker) ──▶ an empty widget; get() ──▶ it gives its place to the tab ──▶ made(tab)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from app.widgets.theme import theme

Tab = TypeVar("Tab", bound=QWidget)


class LazyTabs(QTabWidget):
    """One tab for each name, with its title; `made` follows each that was built."""

    made = Signal(object)  # the tab

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self._getters: dict[str, Callable[[], QWidget]] = {}
        self._built: dict[str, QWidget] = {}
        self.currentChanged.connect(self._on_current)

    def add(self, name: str, title: str, maker: Callable[[], Tab]) -> Callable[[], Tab]:
        """One more tab; what is given back builds it, if it is not there yet, and what is in front stays in front."""
        found: list[Tab] = []

        def get() -> Tab:
            if not found:
                found.append(maker())
                self._built[name] = found[0]
                self._put(self.names.index(name), found[0])
                self.made.emit(found[0])
            return found[0]

        self._getters[name] = get
        self.blockSignals(True)  # the first one comes to the front
        self.addTab(QWidget(), title)
        self.blockSignals(False)
        return get

    @property
    def names(self) -> tuple[str, ...]:
        """All, in their order."""
        return tuple(self._getters)

    @property
    def current(self) -> str:
        """The name of the tab in front."""
        return self.names[self.currentIndex()]

    def getters(self) -> Iterator[Callable[[], QWidget]]:
        """What builds each, in their order."""
        return iter(list(self._getters.values()))

    def built(self, kind: type[Tab]) -> list[Tab]:
        """Those of a kind that are there already."""
        return [tab for tab in self._built.values() if isinstance(tab, kind)]

    @property
    def pages(self) -> QWidget:
        """What holds the tabs, of which one is seen: see dressing.apart."""
        found = self.findChild(QStackedWidget)
        assert found is not None  # QTabWidget makes it first
        return found

    def name_of(self, tab: QWidget) -> str:
        """The name of a tab that was built."""
        return next(name for name, one in self._built.items() if one is tab)

    def show_tab(self, name: str) -> None:
        """Brings a tab to the front; while nobody looks it is not built for that."""
        self.setCurrentIndex(self.names.index(name))

    def _put(self, place: int, tab: QWidget) -> None:
        current, empty = self.currentIndex(), self.widget(place)
        self.blockSignals(True)
        self.insertTab(place, tab, self.tabText(place))
        self.removeTab(place + 1)
        self.setCurrentIndex(current)
        self.blockSignals(False)
        assert empty is not None
        empty.deleteLater()

    def _on_current(self, place: int) -> None:
        if self.isVisible():
            self._getters[self.names[place]]()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt's name: a hair line below the names, that is drawn here since a frame wears no sheet."""
        below = QRect(0, self.tabBar().geometry().bottom(), self.width(), 1)
        QPainter(self).fillRect(below, theme().color("border"))

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: what is in front is needed now."""
        super().showEvent(event)
        self._on_current(self.currentIndex())
