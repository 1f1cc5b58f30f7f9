"""The tab "Accuracy" of the measure page: the form, the progress, and the report.

AccuracyForm ──Eval──▶ AccuracyModel ──changed──▶ empty | progress | banner | figures, chart by layer, answers
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.measure.accuracy.answers_view import AnswersView
from app.measure.accuracy.figures import comparison_settings, comparison_title, report_figures
from app.measure.accuracy.form import AccuracyForm
from app.state.accuracy import AccuracyModel, as_csv, as_json
from app.text.formatting import format_duration
from app.widgets import Banner, CardFrame, EmptyState, button, label
from app.widgets.actions import add_action
from app.widgets.file_suffix import with_file_suffix
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.requests import Eval

if TYPE_CHECKING:
    from app.measure.accuracy.layer_chart import LayerChart
    from app.state.context import AppContext

TICK_MS = 500


class AccuracyTab(QWidget):
    """Compares the current bundle with another one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.model = AccuracyModel(context.new_worker, context.describe, self)
        self.chart: LayerChart | None = None
        self.form = AccuracyForm(context.recents)
        self.banner = Banner()
        self._build()
        self._add_actions()
        self.form.requested.connect(self.compare)
        self.form.stopped.connect(self.model.cancel)
        self.model.changed.connect(self._refresh)
        self.model.finished.connect(self._on_finished)
        context.bundleChanged.connect(self._on_bundle)
        self._ticker = QTimer(self, interval=TICK_MS)
        self._ticker.timeout.connect(self._refresh)
        self._on_bundle(context.bundle)
        self._refresh()

    def compare(self, request: Eval) -> None:
        """Start a comparison; the last report is removed."""
        self.banner.clear()
        if self.model.start(request):
            self._ticker.start()

    def _build(self) -> None:
        self.empty = EmptyState(
            self.tr("Nothing compared yet"),
            self.tr(
                "Choose a bundle and what it should be like. Both read the same tokens; agreement, divergence, hidden "
                "states, cache, perplexity and answers appear here."
            ),
            "",
            "measure",
        )
        self.stack = QStackedWidget()
        for page in (self.empty, self._progress(), self._results()):
            self.stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * G, 2 * G, 2 * G, G)
        column.setSpacing(G)
        column.addWidget(self.form)
        column.addWidget(self.banner)
        column.addWidget(self.stack, 1)

    def _progress(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        self.bundles = label("", "heading", wrap=True)
        self.bundles.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.note = label("", "body-muted")
        self.remaining = label("", "muted")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(60 * G)
        self.bar.setAccessibleName(self.tr("How much is compared"))
        column.addStretch(1)
        column.addWidget(self.bundles)
        for part in (self.note, self.bar, self.remaining):
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        self.bar.setMinimumWidth(40 * G)
        column.addStretch(2)
        return page

    def _results(self) -> QWidget:
        self.figures = ReadOnlyTable(
            TextTableModel((self.tr("measure"), self.tr("value")), numbers=(1,)), self.tr("Figures")
        )
        self.figures.setMinimumWidth(38 * G)
        self.answers = AnswersView()
        self.chart_card = CardFrame(self.tr("Where it was lost"))
        self.chart_card.body.setContentsMargins(G, G, G, G)
        self.no_layers = label(self.tr("Neither bundle says which layers it has."), "muted", wrap=True)
        self.chart_card.body.addWidget(self.no_layers, 1, Qt.AlignmentFlag.AlignCenter)
        top = QWidget()
        row = QHBoxLayout(top)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * G)
        row.addWidget(self.figures, 2)
        row.addWidget(self.chart_card, 3)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(top)
        splitter.addWidget(self.answers)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._head())
        column.addWidget(splitter, 1)
        return page

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.title = label("", "heading", wrap=True)
        self.summary = label("", "muted", wrap=True)
        texts = QVBoxLayout()
        texts.setSpacing(G // 2)
        texts.addWidget(self.title)
        texts.addWidget(self.summary)
        self.export_button = button(self.tr("Export"), "save")
        menu = QMenu(self.export_button)
        for ending, text in (("json", self.tr("Report (JSON) …")), ("csv", self.tr("Layers (CSV) …"))):
            menu.addAction(text).triggered.connect(partial(self._ask_export, ending))
        self.export_button.setMenu(menu)
        row.addLayout(texts, 1)
        row.addWidget(self.export_button)
        return row

    def _add_actions(self) -> None:
        """Add the keyboard actions of this tab."""
        for text, keys, act in (
            (self.tr("Accuracy: compare"), "Ctrl+Return", self.form.start),
            (self.tr("Accuracy: stop comparing"), "Esc", self.model.cancel),
        ):
            add_action(self, text, act, keys)

    def _on_bundle(self, bundle: dict[str, object] | None) -> None:
        if bundle and not self.model.running:
            self.form.candidate.choose(str(bundle["path"]))

    def _refresh(self) -> None:
        model = self.model
        self.form.set_running(model.running)
        if model.running:
            self.stack.setCurrentIndex(1)
            self.bundles.setText(comparison_title(model.subjects) if model.subjects else "")
            self.note.setText(model.note)
            self.bar.setRange(0, int(model.total))
            self.bar.setValue(int(model.done))
            remaining = model.seconds_left
            self.remaining.setText(
                "" if remaining is None else self.tr("about {0} left").format(format_duration(remaining))
            )
        else:
            self.stack.setCurrentIndex(2 if model.result else 0)

    def _on_finished(self) -> None:
        self._ticker.stop()
        error = self.model.error
        if error is not None and error.kind != "cancelled":
            self.banner.error(error.message, error.details, self.tr("Try again"), self._again)
        self._show_report()

    def _again(self) -> None:
        if self.model.request is not None:
            self.compare(self.model.request)

    def _show_report(self) -> None:
        result = self.model.result
        if result is None:
            return
        report = result.report
        self.title.setText(comparison_title(result.subjects))
        self.figures.rows.fill(report_figures(report))
        self.answers.show_answers(report.greedy)
        self.summary.setText(
            " ".join([f"{comparison_settings(result.subjects)}.", *report.notes, *self._exclusions(report)])
        )
        if report.layers and self.chart is None:
            from app.measure.accuracy.layer_chart import (
                LayerChart,  # imports pyqtgraph, which takes a second
            )

            self.chart = LayerChart()
            self.chart_card.body.addWidget(self.chart, 1)
        self.no_layers.setVisible(not report.layers)
        if self.chart is not None:
            self.chart.setVisible(bool(report.layers))
            self.chart.show_layers(report.layers)

    def _exclusions(self, report: EvalReport) -> list[str]:
        """The recipe option that excludes the suggested nodes; empty if there is no suggestion."""
        return [f"quantize.exclude={json.dumps(report.excluded)}"] if report.excluded else []

    def _ask_export(self, ending: str, _checked: bool = False) -> None:
        name, _kind = QFileDialog.getSaveFileName(
            self, self.tr("Export the report"), f"accuracy.{ending}", f"*.{ending}"
        )
        if name:
            self.export(with_file_suffix(name, f".{ending}", ".csv", ".json"))

    def export(self, path: Path) -> None:
        """Write the report as .json, or its layers as .csv; both name the bundles."""
        result = self.model.result
        if result is None:
            return
        try:
            path.write_text(as_csv(result) if path.suffix.lower() == ".csv" else as_json(result), "utf-8")
        except OSError as error:
            self.banner.error(self.tr("The file could not be written."), str(error))
