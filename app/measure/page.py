"""The measure page: how fast bundles run, and how far one is from another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.measure.accuracy.tab import AccuracyTab
from app.measure.charts.speed_tab import SpeedTab
from app.measure.history.tab import HistoryTab
from app.widgets.actions import add_action
from app.widgets.lazy_tabs import LazyTabs
from app.widgets.styling import style_separately

if TYPE_CHECKING:
    from app.state.context import AppContext


class MeasurePage(QWidget):
    """A tab each, built when it is looked at."""

    title = "Measure"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        tabs = self.tabs = LazyTabs()
        self._speed = tabs.add("speed", self.tr("Speed"), lambda: SpeedTab(context))
        self._accuracy = tabs.add("accuracy", self.tr("Accuracy"), lambda: AccuracyTab(context))
        self._history = tabs.add("history", self.tr("History"), self._new_history)
        tabs.made.connect(self._on_made)
        tabs.tabBar().setAccessibleName(self.tr("Speed, accuracy or history"))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(tabs)
        style_separately(tabs.pages)
        add_action(self, self.tr("Compare the accuracy of two bundles"), self.show_accuracy)

    def slices(self) -> Iterator[Callable[[], object]]:
        """What the window builds ahead, a tab at a time."""
        return self.tabs.getters()

    @property
    def speed(self) -> SpeedTab:
        """Runs while they go on."""
        return self._speed()

    @property
    def accuracy(self) -> AccuracyTab:
        """One bundle beside another."""
        return self._accuracy()

    @property
    def history(self) -> HistoryTab:
        """Runs that were."""
        return self._history()

    def _new_history(self) -> HistoryTab:
        tab = HistoryTab(self.context)
        tab.wanted.connect(lambda: self.tabs.setCurrentWidget(tab))
        return tab

    def _on_made(self, tab: QWidget) -> None:
        """Ctrl+K finds what can be done in it, whichever is in front; the accuracy's keys are its own."""
        if isinstance(tab, HistoryTab):
            self.addActions(tab.palette_actions)
        elif isinstance(tab, SpeedTab):
            self.addActions(tab.actions())

    def show_accuracy(self, candidate: str = "", reference: str = "", consented: Sequence[str] = ()) -> None:
        """Brings the comparison of two bundles to the front, with these where they are named."""
        self.context.navigate.emit("measure")
        self.tabs.setCurrentWidget(self.accuracy)
        self.accuracy.form.name(candidate, reference, consented)
