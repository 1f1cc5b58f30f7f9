"""Tabs that are built one by one: when a tab is looked at, or ahead of that, a tab a slice.

get(name) ──▶ the empty widget gives its place to the tab ──▶ made(name)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabWidget, QWidget

Maker = Callable[[], QWidget]


class LazyTabs(QTabWidget):
    """One tab for each name, with its title; `made` follows each that was built."""

    made = Signal(str)

    def __init__(self, makers: Mapping[str, tuple[str, Maker]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self._makers = {name: maker for name, (_title, maker) in makers.items()}
        self._names = list(makers)
        self._tabs: dict[str, QWidget] = {}
        for title, _maker in makers.values():
            self.addTab(QWidget(), title)
        self.currentChanged.connect(self._on_current)

    @property
    def names(self) -> tuple[str, ...]:
        """All, in their order."""
        return tuple(self._names)

    def built(self, name: str) -> bool:
        """Whether the tab is there already."""
        return name in self._tabs

    def get(self, name: str) -> QWidget:
        """The tab, built if it is not yet; what is in front stays in front."""
        if name not in self._tabs:
            self._tabs[name] = tab = self._makers[name]()
            self._put(self._names.index(name), tab)
            self.made.emit(name)
        return self._tabs[name]

    def show_tab(self, name: str) -> None:
        """Brings a tab to the front; while nobody looks it is not built for that."""
        self.setCurrentIndex(self._names.index(name))

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
            self.get(self._names[place])

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: what is in front is needed now."""
        super().showEvent(event)
        self._on_current(self.currentIndex())
