"""The tab "History" of the measure page: runs in a table, and views of those that are selected.

HistoryModel ──changed──▶ Filters, RunsTable ──chosen──▶ Below
             ◀──remove, undo, write── buttons, keys, the context menu
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.measure.history.run_comparison import MAX_RUNS
from app.measure.history.run_filters import RunFilters
from app.measure.history.run_views import RunViews
from app.measure.history.runs_table import RunsTable
from app.text.formatting import format_number, pluralize
from app.widgets import Banner, EmptyState, button, label
from app.widgets.actions import add_action
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.reports.runs import RunRecord, WrittenReport
from workflows.wire.requests import WriteReport

if TYPE_CHECKING:
    from app.state.context import AppContext

SETTLE_MS = 30
"""From the last change of the selection to its views: an arrow that is held down draws none of what it passes."""
PREBUILD_MS = 1000
"""After the page is made, the runs are read, so that the tab has them when it is first seen."""


class HistoryTab(QWidget):
    """Shows `context.history` while it is seen; `wanted` tells that it is to come to the front."""

    wanted = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.model = context.history
        self.filters = RunFilters()
        self.table = RunsTable()
        self.below = RunViews(self.model)
        self.banner = Banner()
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._show_chosen)
        self._build()
        self._connect()
        self.palette_actions = self._actions()
        self._show_lines()
        QTimer.singleShot(PREBUILD_MS, self, self.model.look)

    # -- building ----------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.empty = EmptyState(
            self.tr("No run has been kept yet"),
            self.tr("Every build, generation, measurement and evaluation appears here, of the command line, too."),
            self.tr("Go to Chat"),
            "measure",
        )
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.below)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 1)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(G)
        column.addWidget(self.filters)
        column.addLayout(self._buttons())
        column.addWidget(split, 1)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(full)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(2 * G, 2 * G, 2 * G, G)
        outer.setSpacing(G)
        outer.addWidget(self.banner)
        outer.addWidget(self.stack, 1)

    def _buttons(self) -> QHBoxLayout:
        self.count = label("", "muted")
        self.export = button(self.tr("Export"), "save")
        menu = QMenu(self.export)
        for ending, text in (
            ("html", self.tr("Report (HTML) …")),
            ("md", self.tr("Report (Markdown) …")),
            ("csv", self.tr("Steps and figures (CSV) …")),
            ("json", self.tr("Everything (JSON) …")),
        ):
            menu.addAction(text).triggered.connect(partial(self.ask_export, ending))
        self.export.setMenu(menu)
        self.bundle_report = button(self.tr("Report on the bundle …"), "save", clicked=self.ask_report)
        self.remove_button = button(self.tr("Remove"), "trash", clicked=self.remove)
        set_tool_tip(self.remove_button, self.tr("Removes the selected runs from the history (Del)"))
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(self.count, 1)
        for part in (self.bundle_report, self.export, self.remove_button):
            row.addWidget(part)
        return row

    def _connect(self) -> None:
        self.empty.triggered.connect(lambda: self.context.navigate.emit("chat"))
        self.filters.changed.connect(self._filter)
        self.table.chosen.connect(self._settle.start)
        self.table.opened.connect(self.below.show_run)
        self.table.removal.connect(self.remove)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._on_menu)
        self.below.opened.connect(self.below.show_run)
        self.below.details.wanted.connect(self.context.open_bundle)
        self.below.details.reported.connect(self.ask_report)
        self.model.changed.connect(self._show_lines)
        self.model.errorOccurred.connect(self.banner.error)
        self.model.removed.connect(self._on_removed)
        self.model.written.connect(self._on_written)
        self.model.writingChanged.connect(self._enable)

    def _actions(self) -> list[QAction]:
        """What Ctrl+K finds while the measure page is there."""
        return [
            add_action(
                self, self.tr("History: filter the runs"), self._show_and_run(self.filters.field.setFocus), "Ctrl+F"
            ),
            add_action(self, self.tr("History: report on the selected runs …"), self._show_and_run(self.ask_export)),
            add_action(self, self.tr("History: report on the bundle …"), self._show_and_run(self.ask_report)),
        ]

    def _show_and_run(self, act: Callable[[], object]) -> Callable[[], None]:
        """Brings the tab to the front, then acts."""

        def come() -> None:
            self.context.navigate.emit("measure")
            self.wanted.emit()
            act()

        return come

    # -- showing -----------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: the file is looked at while it is seen."""
        super().showEvent(event)
        self.model.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt's name."""
        self.model.watch(False)
        super().hideEvent(event)

    def _show_lines(self) -> None:
        lines = self.model.lines
        self.stack.setCurrentIndex(1 if lines or not self.model.loaded else 0)
        self.filters.offer(lines)
        self.table.lines.set_lines(lines)
        self._enable()

    def _filter(self) -> None:
        self.table.lines.set_filter(self.filters.words, self.filters.choices)

    def _show_chosen(self) -> None:
        self.below.show_runs(self.table.selected, [line.run for line in self.table.lines.shown])
        self._enable()

    def _enable(self) -> None:
        chosen, shown, total = len(self.table.selected), len(self.table.lines.shown), len(self.model.lines)
        told = pluralize(total, self.tr("1 run"), self.tr("{0} runs"))
        if shown < total:
            told = self.tr("{0} of {1}").format(format_number(shown), told)
        if chosen:
            told += " · " + self.tr("{0} selected").format(format_number(chosen))
        if chosen > MAX_RUNS:
            told += " · " + self.tr("the first {0} are compared").format(format_number(MAX_RUNS))
        self.count.setText(told if self.model.loaded else self.tr("Reading …"))
        self.remove_button.setEnabled(bool(chosen))
        self.export.setEnabled(bool(chosen) and not self.model.writing)
        self.bundle_report.setEnabled(bool(self._bundle()) and not self.model.writing)

    # -- acting ------------------------------------------------------------------------------------------------

    def remove(self) -> None:
        """Removes the selected runs; the banner puts them back."""
        self.model.remove([run.id for run in self.table.selected])

    def ask_export(self, ending: str = "html", _checked: bool = False) -> None:
        """Asks for a file for the selected runs."""
        idents = tuple(run.id for run in self.table.selected)
        name = self._ask_name(self.tr("Export the runs"), f"runs.{ending}", f"*.{ending}") if idents else ""
        if name:
            self.write(WriteReport(name, runs=idents))

    def ask_report(self, folder: str = "") -> None:
        """Asks for a file for a bundle: that in `folder`, else that of the one selected run, else the current one."""
        folder = folder or self._bundle()
        if not folder:
            return
        name = self._ask_name(self.tr("Report on the bundle"), f"{Path(folder).name}.html", "*.html *.md")
        if name:
            self.write(WriteReport(name, bundle=folder))

    def write(self, request: WriteReport) -> None:
        """Has a report written, and says so."""
        self.banner.show_message("info", self.tr("Writing {0} …").format(Path(request.out).name))
        self.model.write(request)

    def _ask_name(self, title: str, name: str, kinds: str) -> str:
        return QFileDialog.getSaveFileName(self, title, name, kinds)[0]

    def _bundle(self) -> str:
        folders = {run.bundle for run in self.table.selected}
        if len(folders) == 1:
            return folders.pop()
        return str(self.context.bundle["path"]) if self.context.bundle and not folders else ""

    def _on_removed(self, count: int) -> None:
        told = pluralize(count, self.tr("1 run was removed."), self.tr("{0} runs were removed."))
        self.banner.show_message("info", told, action=self.tr("Undo"), on_action=self._undo)

    def _undo(self) -> None:
        self.model.undo()
        self.banner.clear()

    def _on_written(self, report: WrittenReport) -> None:
        told = self.tr("Written: {0}").format(", ".join(Path(file).name for file in report.files))
        file = QUrl.fromLocalFile(report.files[0])
        self.banner.show_message("ok", told, action=self.tr("Open"), on_action=lambda: QDesktopServices.openUrl(file))

    def _on_menu(self, place: QPoint) -> None:
        self.menu_of(self.table.selected).popup(self.table.viewport().mapToGlobal(place))

    def menu_of(self, runs: list[RunRecord]) -> QMenu:
        """What can be done with the runs that are selected."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        single = len(runs) == 1
        for text, act, can in (
            (self.tr("Show the run"), lambda: self.below.show_run(runs[0]), single),
            (self.tr("Open bundle"), lambda: self.context.open_bundle(runs[0].bundle), single),
            (self.tr("Report on the bundle …"), self.ask_report, bool(self._bundle())),
            (self.tr("Report on the selected runs …"), self.ask_export, bool(runs)),
            (self.tr("Remove"), self.remove, bool(runs)),
        ):
            entry = menu.addAction(text)
            entry.setEnabled(can)
            entry.triggered.connect(lambda _checked=False, act=act: act())
        return menu
