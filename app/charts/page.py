"""The measure page: how fast bundles run, and how far one is from another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.accuracy.tab import AccuracyTab
from app.charts.speed import SpeedTab
from app.history.tab import HistoryTab
from app.widgets.actions import action

if TYPE_CHECKING:
    from app.state.context import AppContext


class MeasurePage(QWidget):
    """A tab each."""

    title = "Measure"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._build()
        action(self, self.tr("Compare the accuracy of two bundles"), self.show_accuracy)
        self.addActions([*self.speed.actions(), *self.history.palette_actions])  # Ctrl+K finds those of the page alone

    def _build(self) -> None:
        self.speed = SpeedTab(self.context)
        self.accuracy = AccuracyTab(self.context)
        self.history = HistoryTab(self.context)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.speed, self.tr("Speed"))
        self.tabs.addTab(self.accuracy, self.tr("Accuracy"))
        self.tabs.addTab(self.history, self.tr("History"))
        self.history.wanted.connect(lambda: self.tabs.setCurrentWidget(self.history))
        self.tabs.tabBar().setAccessibleName(self.tr("Speed, accuracy or history"))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.tabs)

    def show_accuracy(self, candidate: str = "", reference: str = "", consented: Sequence[str] = ()) -> None:
        """Brings the comparison of two bundles to the front, with these where they are named."""
        self.context.navigate.emit("measure")
        self.tabs.setCurrentWidget(self.accuracy)
        self.accuracy.form.name(candidate, reference, consented)
