"""The measure page: the speed of bundles, their accuracy, sweeps, and the history of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.measure.accuracy.tab import AccuracyTab
from app.measure.benchmark.dialog import BenchmarkDialog
from app.measure.charts.speed_tab import SpeedTab
from app.measure.history.tab import HistoryTab
from app.measure.sweeps.tab import SweepTab
from app.widgets.actions import add_action
from app.widgets.basics import button
from app.widgets.layouts import hbox, vbox
from app.widgets.lazy_tabs import LazyTabs
from app.widgets.machine_choice import MachineChoice
from app.widgets.plain_text import set_tool_tip
from app.widgets.styling import style_separately
from app.widgets.theme import G

if TYPE_CHECKING:
    from app.state.context import AppContext


class MeasurePage(QWidget):
    """Four tabs; each is built when it is first shown."""

    title = "Measure"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        tabs = self.tabs = LazyTabs()
        self._speed = tabs.add("speed", self.tr("Speed"), lambda: SpeedTab(context))
        self._accuracy = tabs.add("accuracy", self.tr("Accuracy"), lambda: AccuracyTab(context))
        self._history = tabs.add("history", self.tr("History"), self._new_history)
        self._sweep = tabs.add("sweep", self.tr("Sweep"), lambda: SweepTab(context))
        tabs.made.connect(self._on_made)
        tabs.tabBar().setAccessibleName(self.tr("Speed, accuracy, history or sweep"))
        self.benchmark_button = button(self.tr("Run benchmark …"), "play", "link", self.run_benchmark)
        corner = QWidget()
        self.machine = MachineChoice(context.machines)
        self.machine.setProperty("role", "compact")
        hbox(self.machine, self.benchmark_button, parent=corner, margins=(0, 2, 2 * G, 2))
        tabs.setCornerWidget(corner)
        vbox(tabs, parent=self)
        style_separately(tabs.pages)
        add_action(self, self.tr("Compare the accuracy of two bundles"), self.show_accuracy)
        self._tasks_action = add_action(self, self.tr("Ask the bundle tasks of lm-eval"), self._score_tasks)
        add_action(self, self.tr("Run a sweep of builds"), self.show_sweep)
        self._benchmark_action = add_action(self, self.tr("Run benchmark …"), self.run_benchmark)
        context.bundleChanged.connect(self._enable_benchmark)
        self._enable_benchmark(context.bundle)

    def slices(self) -> Iterator[Callable[[], object]]:
        """Functions that build the tabs, for the window to call while it is idle."""
        return self.tabs.getters()

    @property
    def speed(self) -> SpeedTab:
        return self._speed()

    @property
    def accuracy(self) -> AccuracyTab:
        return self._accuracy()

    @property
    def history(self) -> HistoryTab:
        return self._history()

    @property
    def sweep(self) -> SweepTab:
        return self._sweep()

    def _new_history(self) -> HistoryTab:
        tab = HistoryTab(self.context)
        tab.show_requested.connect(lambda: self.tabs.setCurrentWidget(tab))
        return tab

    def _on_made(self, tab: QWidget) -> None:
        """Add the actions of a new tab to Ctrl+K; the accuracy tab's keys work in that tab only."""
        if isinstance(tab, HistoryTab):
            self.addActions(tab.palette_actions)
        elif isinstance(tab, AccuracyTab):
            tab.history_requested.connect(self.show_history)
        elif isinstance(tab, SpeedTab):
            self.addActions(tab.actions())
            tab.benchmark_requested.connect(self.run_benchmark)

    def _enable_benchmark(self, bundle: object) -> None:
        for one in (self.benchmark_button, self._benchmark_action, self._tasks_action):
            one.setEnabled(bundle is not None)
        runs = self.tr("Measures the speed of the bundle in front; the run appears in the history.")
        set_tool_tip(self.benchmark_button, runs if bundle else self.tr("Open a bundle to measure its speed."))

    def run_benchmark(self) -> BenchmarkDialog:
        """Show the dialog that measures the speed of the current bundle, or a running benchmark: two would disturb."""
        for running in self.window().findChildren(BenchmarkDialog):
            if running.model.running:
                running.show()
                running.activateWindow()
                return running
            running.close()
        dialog = BenchmarkDialog(self.context, self.window())
        dialog.history_requested.connect(self.show_history)
        dialog.show()
        return dialog

    def _score_tasks(self) -> None:
        self.show_accuracy()
        self.accuracy.score_tasks()

    def show_history(self) -> None:
        """Show the saved runs."""
        self.context.navigate.emit("measure")
        self.tabs.setCurrentWidget(self.history)

    def show_sweep(self) -> None:
        """Show the sweep."""
        self.context.navigate.emit("measure")
        self.tabs.setCurrentWidget(self.sweep)

    def show_accuracy(self, candidate: str = "", reference: str = "", consented: Sequence[str] = ()) -> None:
        """Show the comparison of two bundles; arguments that are not empty are filled in."""
        self.context.navigate.emit("measure")
        self.tabs.setCurrentWidget(self.accuracy)
        self.accuracy.form.fill_in(candidate, reference, consented)
