"""The tab "History" of the measure page: the saved runs in a table, and views of the selected ones.

RunHistory ──changed──▶ RunFilters, RunsTable ──selection──▶ RunViews
           ◀──remove, undo, write── RunActions
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.measure.history.run_actions import RunActions
from app.measure.history.run_views import RunViews
from app.measure.history.runs_table import RunsTable
from app.state.run_rows import COLUMNS, RunRow
from app.widgets import Banner, EmptyState
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.fields import combo_box, line_edit
from app.widgets.layouts import hbox, splitter, stack, vbox
from app.widgets.theme import G

if TYPE_CHECKING:
    from app.state.context import AppContext


class RunFilters(QWidget):
    """`changed` is emitted when `text` or `choices` changed."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = line_edit(self.tr("Filter the runs"), self.tr("Filter"), clear=True)
        self.field.textChanged.connect(lambda _: self.changed.emit())
        everything = {
            "kind": self.tr("All kinds"),
            "bundle": self.tr("All bundles"),
            "precision": self.tr("All precisions"),
            "provider": self.tr("All providers"),
        }
        self.boxes = {key: combo_box(text, [(text, "")], width=9) for key, text in everything.items()}
        for box in self.boxes.values():
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
        hbox((self.field, 1), *self.boxes.values(), parent=self)
        self.setFocusProxy(self.field)

    @property
    def text(self) -> str:
        return self.field.text()

    @property
    def choices(self) -> dict[str, str]:
        """Column → the text that its cells must have; columns without a choice are absent."""
        return {key: str(box.currentData()) for key, box in self.boxes.items() if box.currentData()}

    def offer(self, lines: Sequence[RunRow]) -> None:
        """List the texts of each column; the chosen one stays, even if no line has it any more."""
        for key, box in self.boxes.items():
            at, chosen = COLUMNS.index(key), str(box.currentData())
            texts = sorted(({line.texts[at] for line in lines} | {chosen}) - {""})
            if texts == [box.itemData(index) for index in range(1, box.count())]:
                continue
            box.blockSignals(True)
            while box.count() > 1:
                box.removeItem(1)
            for text in texts:
                box.addItem(text, text)
            box.setCurrentIndex(max(box.findData(chosen), 0))
            box.blockSignals(False)

    def clear(self) -> None:
        """Show all lines."""
        self.field.clear()
        for box in self.boxes.values():
            box.setCurrentIndex(0)


SETTLE_MS = 30
"""The delay from a change of the selection to its views, so that a held arrow key does not draw every run it passes."""
PREBUILD_MS = 1000
"""The delay before the runs are read, so that the tab has them when it is first shown."""


class HistoryTab(QWidget):
    """Shows `context.history` and watches its files while the tab is visible."""

    show_requested = Signal()  # an action of the command palette needs this tab

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.model = context.history
        self.filters = RunFilters()
        self.table = RunsTable()
        self.views = RunViews(self.model)
        self.banner = Banner()
        self.run_actions = RunActions(context, self.table, self.banner)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._show_selection)
        self._lay_out()
        self._connect()
        self.palette_actions = self._add_actions()
        self._show_lines()
        QTimer.singleShot(PREBUILD_MS, self, self.model.read_if_changed)

    def _lay_out(self) -> None:
        self.empty = EmptyState(
            self.tr("No runs yet"),
            self.tr(
                "All builds, generations, measurements and evaluations appear here, including those of the "
                "command line."
            ),
            self.tr("Go to Chat"),
            "measure",
        )
        full, halves = QWidget(), splitter(Qt.Orientation.Vertical, (self.table, 1), (self.views, 1))
        vbox(self.filters, self.run_actions, (halves, 1), parent=full)
        self.stack = stack(self.empty, full)
        vbox((self.stack, 1), parent=self, margins=(2 * G, 2 * G, 2 * G, G))
        self.overlay = BannerOverlay(self, self.banner)

    def _connect(self) -> None:
        self.empty.triggered.connect(lambda: self.context.navigate.emit("chat"))
        self.filters.changed.connect(self._filter)
        self.table.selection_changed.connect(self._settle.start)
        self.table.opened.connect(self.views.show_run)
        self.table.removal_requested.connect(self.run_actions.remove)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.views.opened.connect(self.views.show_run)
        self.views.details.open_requested.connect(self.context.open_bundle)
        self.views.details.report_requested.connect(self.run_actions.choose_report)
        self.model.changed.connect(self._show_lines)
        self.model.errorOccurred.connect(self.banner.error)

    def _add_actions(self) -> list[QAction]:
        """The actions of the command palette while the measure page exists."""
        return [
            add_action(self, text, self._show_and_run(act), keys)
            for text, act, keys in (
                (self.tr("History: filter the runs"), self.filters.field.setFocus, "Ctrl+F"),
                (self.tr("History: report on the selected runs …"), self.run_actions.choose_export, ""),
                (self.tr("History: report on the bundle …"), self.run_actions.choose_report, ""),
            )
        ]

    def _show_and_run(self, act: Callable[[], object]) -> Callable[[], None]:
        """A function that shows this tab, then calls `act`."""

        def run() -> None:
            self.context.navigate.emit("measure")
            self.show_requested.emit()
            act()

        return run

    def showEvent(self, event: QShowEvent) -> None:
        """Watch the history's file while the tab is visible (Qt's name)."""
        super().showEvent(event)
        self.model.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        self.model.watch(False)
        super().hideEvent(event)

    def _show_lines(self) -> None:
        lines = self.model.lines
        self.stack.setCurrentIndex(1 if lines or not self.model.loaded else 0)
        self.filters.offer(lines)
        self.table.lines.set_lines(lines)
        self.run_actions.refresh()

    def _filter(self) -> None:
        self.table.lines.set_filter(self.filters.text, self.filters.choices)

    def _show_selection(self) -> None:
        self.views.show_items(self.table.selected_items, [line.run for line in self.table.lines.matches])
        self.run_actions.refresh()

    def _open_menu(self, place: QPoint) -> None:
        self.run_actions.menu(self.views.show_run).popup(self.table.viewport().mapToGlobal(place))
