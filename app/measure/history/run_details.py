"""One run: its saved figures, steps and recipe, and buttons for its bundle."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from app.measure.history.run_comparison import run_figures
from app.state.run_history import HistoryModel
from app.state.run_rows import kind_title
from app.text.formatting import format_local_time, format_milliseconds, format_number
from app.widgets import button, label
from app.widgets.plain_text import set_tool_tip
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G, mono_font
from workflows.measure.run_measures import bundle_name
from workflows.wire.reports.runs import RunRecord, RunReport


class RunDetails(QWidget):
    """Reads the steps and the recipe when a run is shown."""

    open_requested = Signal(str)  # the bundle's folder
    report_requested = Signal(str)  # the bundle's folder

    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.run: RunRecord | None = None
        self.title = label(self.tr("Double-click a run, or press Enter on it, to see all of it."), "muted", wrap=True)
        self.open = button(self.tr("Open bundle"), "folder", clicked=lambda: self._emit(self.open_requested))
        self.report = button(
            self.tr("Report on the bundle …"), "save", clicked=lambda: self._emit(self.report_requested)
        )
        self.figures = ReadOnlyTable(
            TextTableModel([self.tr("figure"), self.tr("value")]), self.tr("Figures of the run"), stretch=1
        )
        headings = [self.tr("step"), self.tr("phase"), self.tr("latency"), self.tr("cache")]
        self.steps = ReadOnlyTable(TextTableModel(headings, numbers=(0, 2, 3)), self.tr("Steps of the run"), stretch=1)
        self.recipe = QPlainTextEdit()
        self.recipe.setReadOnly(True)
        self.recipe.setFont(mono_font())
        self.recipe.setAccessibleName(self.tr("Recipe of the bundle"))
        self._lay_out()
        self._enable()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.title, 1)
        top.addWidget(self.open)
        top.addWidget(self.report)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        for part in (self.figures, self.steps, self.recipe):
            part.setMinimumWidth(24 * G)
            split.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, G, 0, 0)
        column.setSpacing(G)
        column.addLayout(top)
        column.addWidget(split, 1)

    def show_run(self, run: RunRecord) -> None:
        """Show a run."""
        self.run = run
        template = self.tr("{0}: {1} of {2}")
        self.title.setText(template.format(bundle_name(run), kind_title(run.kind), format_local_time(run.time)))
        self.figures.rows.fill(run_figures(run))
        self.steps.rows.fill([])
        self.recipe.setPlainText(self.tr("Reading …"))
        self._model.steps([run], self._show_steps)
        self._model.recipe(run, lambda text: self._show_recipe(run, text))
        self._enable()

    def _enable(self) -> None:
        """Disable the buttons if the bundle's folder does not exist."""
        exists = self.run is not None and Path(self.run.bundle).is_dir()
        for part in (self.open, self.report):
            part.setEnabled(exists)
            set_tool_tip(
                part, "" if exists or self.run is None else self.tr("The bundle is not in its folder any more.")
            )

    def _emit(self, signal: object) -> None:
        if self.run is not None:
            signal.emit(self.run.bundle)  # type: ignore[attr-defined]  # a bound signal

    def _show_steps(self, reports: list[RunReport]) -> None:
        report = reports[0]
        if report.run is self.run:
            self.steps.rows.fill(
                [
                    (format_number(one.step), one.phase, format_milliseconds(one.latency_ms),
                     f"{format_number(one.used)} / {format_number(one.capacity)}")
                    for one in report.steps
                ]
            )  # fmt: skip

    def _show_recipe(self, run: RunRecord, text: str | None) -> None:
        if run is self.run:
            unknown = self.tr("The bundle in this folder is gone, or is another one now: its recipe is not known.")
            self.recipe.setPlainText(unknown if text is None else text or self.tr("This bundle has no recipe."))
