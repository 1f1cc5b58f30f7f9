"""The row of buttons over the table of runs: how many are selected, reports, exports, removal with undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.measure.history.run_views import MAX_RUNS
from app.measure.history.runs_table import RunsTable
from app.text.formatting import format_number, pluralize
from app.widgets import Banner, button, label
from app.widgets.actions import menu_button
from app.widgets.file_suffix import suggested_file
from app.widgets.layouts import hbox
from workflows.wire.reports.runs import RunRecord, WrittenReport
from workflows.wire.requests import WriteReport

if TYPE_CHECKING:
    from app.state.context import AppContext


class RunActions(QWidget):
    """Acts on the selection of `table`; `banner` shows the results."""

    def __init__(self, context: AppContext, table: RunsTable, banner: Banner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._model = context, context.history
        self._table, self._banner = table, banner
        self.count = label("", "muted")
        kinds = (
            (self.tr("Report (HTML) …"), "html"),
            (self.tr("Report (Markdown) …"), "md"),
            (self.tr("Steps and figures (CSV) …"), "csv"),
            (self.tr("Everything (JSON) …"), "json"),
        )
        self.export = menu_button(self.tr("Export"), "save", kinds, self.choose_export)
        self.bundle_report = button(self.tr("Report on the bundle …"), "save", clicked=self.choose_report)
        tip = self.tr("Remove the selected runs from the history (Del)")
        self.remove_button = button(self.tr("Remove"), "trash", clicked=self.remove, tool_tip=tip)
        hbox((self.count, 1), self.bundle_report, self.export, self.remove_button, parent=self)
        self._model.removed.connect(self._on_removed)
        self._model.written.connect(self._on_written)
        self._model.writingChanged.connect(self.refresh)

    def refresh(self) -> None:
        """Show how many runs are selected, and enable the buttons."""
        selected, shown, total = len(self._table.selected), len(self._table.lines.matches), len(self._model.lines)
        text = pluralize(total, self.tr("1 run"), self.tr("{0} runs"))
        if shown < total:
            text = self.tr("{0} of {1}").format(format_number(shown), text)
        if selected:
            text += " · " + self.tr("{0} selected").format(format_number(selected))
        if len(self._table.selected_items) > MAX_RUNS:
            text += " · " + self.tr("the first {0} are compared").format(format_number(MAX_RUNS))
        self.count.setText(text if self._model.loaded else self.tr("Reading …"))
        self.remove_button.setEnabled(bool(selected))
        self.export.setEnabled(bool(selected) and not self._model.writing)
        self.bundle_report.setEnabled(bool(self._bundle()) and not self._model.writing)

    def remove(self) -> None:
        """Remove the selected runs; the banner offers to undo it."""
        self._model.remove([run.id for run in self._table.selected])

    def choose_export(self, suffix: str = "html") -> None:
        """Ask for a file and export the selected runs to it."""
        run_ids = tuple(run.id for run in self._table.selected)
        name = self._choose_file(self.tr("Export the runs"), f"runs.{suffix}", f"*.{suffix}") if run_ids else ""
        if name:
            self.write(WriteReport(name, runs=run_ids))

    def choose_report(self, folder: str = "") -> None:
        """Ask for a file and write a report on a bundle: `folder`, else that of the selected runs, else the current."""
        folder = folder or self._bundle()
        if not folder:
            return
        name = self._choose_file(self.tr("Report on the bundle"), f"{Path(folder).name}.html", "*.html *.md")
        if name:
            self.write(WriteReport(name, bundle=folder))

    def write(self, request: WriteReport) -> None:
        """Write a report in the background; the banner shows the progress."""
        self._banner.show_message("info", self.tr("Writing {0} …").format(Path(request.out).name))
        self._model.write(request)

    def menu(self, show_run: Callable[[RunRecord], None]) -> QMenu:
        """The context menu of the selected runs. show_run: shows the details of one."""
        runs = self._table.selected
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        single, one_bundle = len(runs) == 1, len({run.bundle for run in runs}) == 1
        for text, act, enabled in (
            (self.tr("Show the run"), lambda: show_run(runs[0]), single),
            (self.tr("Open bundle"), lambda: self._context.open_bundle(runs[0].bundle), one_bundle),
            (self.tr("Report on the bundle …"), self.choose_report, bool(self._bundle())),
            (self.tr("Report on the selected runs …"), self.choose_export, bool(runs)),
            (self.tr("Remove"), self.remove, bool(runs)),
        ):
            action = menu.addAction(text)
            action.setEnabled(enabled)
            action.triggered.connect(lambda _checked=False, act=act: act())
        return menu

    def _choose_file(self, title: str, name: str, kinds: str) -> str:
        return QFileDialog.getSaveFileName(self, title, suggested_file(name), kinds)[0]

    def _bundle(self) -> str:
        """The bundle of the selected runs, else the current one; empty if the runs are of several."""
        folders = {run.bundle for run in self._table.selected}
        if len(folders) == 1:
            return folders.pop()
        return str(self._context.bundle["path"]) if self._context.bundle and not folders else ""

    def _on_removed(self, count: int) -> None:
        text = pluralize(count, self.tr("1 run was removed."), self.tr("{0} runs were removed."))
        self._banner.show_message("info", text, action=self.tr("Undo"), on_action=self._undo)

    def _undo(self) -> None:
        self._model.undo()
        self._banner.clear()

    def _on_written(self, report: WrittenReport) -> None:
        text = self.tr("Written: {0}").format(", ".join(Path(file).name for file in report.files))
        file = QUrl.fromLocalFile(report.files[0])
        self._banner.show_message("ok", text, action=self.tr("Open"), on_action=lambda: QDesktopServices.openUrl(file))
