"""Tabs that are built when they are first shown, or ahead of time one by one.

add(name, maker) ──▶ an empty widget; get() ──▶ the tab takes its place ──▶ made(tab)
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
    """One tab per name, with its title; `made` is emitted after each tab was built."""

    made = Signal(object)  # the tab

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self._getters: dict[str, Callable[[], QWidget]] = {}
        self._built: dict[str, QWidget] = {}
        self.currentChanged.connect(self._on_current)

    def add(self, name: str, title: str, maker: Callable[[], Tab]) -> Callable[[], Tab]:
        """Add a tab. Returns a function that builds it if necessary; the current tab stays current."""
        tabs: list[Tab] = []

        def get() -> Tab:
            if not tabs:
                tabs.append(maker())
                self._built[name] = tabs[0]
                self._put(self.names.index(name), tabs[0])
                self.made.emit(tabs[0])
            return tabs[0]

        self._getters[name] = get
        self.blockSignals(True)  # the first tab becomes current
        self.addTab(QWidget(), title)
        self.blockSignals(False)
        return get

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._getters)

    @property
    def current(self) -> str:
        return self.names[self.currentIndex()]

    def turn(self, steps: int) -> None:
        """Goes on by some tabs, and from the last to the first; those that are disabled do not count."""
        places = [place for place in range(self.count()) if self.isTabEnabled(place) and self.isTabVisible(place)]
        if self.currentIndex() in places:
            self.setCurrentIndex(places[(places.index(self.currentIndex()) + steps) % len(places)])

    def getters(self) -> Iterator[Callable[[], QWidget]]:
        """The functions that build the tabs, in their order."""
        return iter(list(self._getters.values()))

    def built(self, kind: type[Tab]) -> list[Tab]:
        """The tabs of a class that are built already."""
        return [tab for tab in self._built.values() if isinstance(tab, kind)]

    @property
    def pages(self) -> QWidget:
        """The widget that holds the tabs; see styling.style_separately."""
        stack = self.findChild(QStackedWidget)
        assert stack is not None  # QTabWidget creates it first
        return stack

    def name_of(self, tab: QWidget) -> str:
        """The name of a built tab."""
        return next(name for name, one in self._built.items() if one is tab)

    def show_tab(self, name: str) -> None:
        """Make a tab current; a hidden widget does not build it for that."""
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
        """Draw a hairline below the names: a frame has no stylesheet (Qt's name)."""
        below = QRect(0, self.tabBar().geometry().bottom(), self.width(), 1)
        QPainter(self).fillRect(below, theme().color("border"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_current(self.currentIndex())
