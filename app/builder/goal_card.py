"""Quantize page: a quality goal, for which the build searches the smallest mix of precisions; and the trials made.

GoalOptions: metric, value, task ──▶ the recipe's goal        the bundle's goal.json ──▶ TrialsChart: size against error
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDoubleSpinBox, QFileDialog, QPushButton, QSizePolicy, QWidget

from app.text.formatting import format_bytes, format_figures, format_number, format_percent
from app.text.translatable import tr
from app.widgets.basics import Section
from app.widgets.fields import combo_box, indent_number, line_edit
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import SMALL, G, sans_font, theme
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.goals import AT_LEAST, Goal, Metric, TaskFile
from workflows.wire.reports.goal import GOAL_FILE, GoalReport, TriedPoint

DEFAULT_LIMITS: dict[Metric, float] = {"top1": 99.0, "kl": 0.01, "perplexity": 1.02, "task": 95.0}


class GoalOptions(Section):
    """The fields of a goal. `changed`: another metric, value or file."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Goal"))
        metrics = (
            (self.tr("top-1 agreement of at least"), "top1"),
            (self.tr("a divergence (KL) of at most"), "kl"),
            (self.tr("a perplexity ratio of at most"), "perplexity"),
            (self.tr("share of the score in a task of at least"), "task"),
        )
        self.metric_box = ignore_wheel(combo_box(self.tr("Quality measure"), metrics, width=16))
        self.value = ignore_wheel(indent_number(QDoubleSpinBox()))
        self.value.setAccessibleName(self.tr("The limit"))
        self.task = line_edit(self.tr("Task file"), self.tr("questions and answers, as JSON lines or parquet"))
        self.browse = QPushButton(self.tr("Choose a file…"))
        self._task, self._prompts = TaskFile(""), ""
        """A goal that was set elsewhere, for example by an edited build, and has no fields here."""
        self._rows()
        self._on_metric()
        self.metric_box.currentIndexChanged.connect(self._on_metric)
        self.value.valueChanged.connect(lambda _value: self.changed.emit())
        self.task.textChanged.connect(lambda _text: self.changed.emit())
        self.browse.clicked.connect(self._browse)

    def _rows(self) -> None:
        for part in (self.metric_box, self.value):  # a row each: the column beside the table is narrow
            self.body.addWidget(part)
        self.body.addLayout(hbox((self.task, 1), self.browse))

    @property
    def goal(self) -> Goal | None:
        """The entered goal; None if a task has no file yet."""
        metric, value, file = self.metric_box.currentData(), self.value.value(), self.task.text().strip()
        if metric == "task" and not file:
            return None
        limit = round(value / 100, 6) if metric in AT_LEAST else value
        task = replace(self._task, file=file) if metric == "task" else None
        return Goal(metric, limit, task, self._prompts)

    def show_goal(self, goal: Goal | None) -> None:
        """Show a goal; None leaves the fields as they are."""
        self._task, self._prompts = (goal and goal.task) or TaskFile(""), goal.prompts if goal else ""
        if goal is None:
            return
        with QSignalBlocker(self):
            self.metric_box.setCurrentIndex(self.metric_box.findData(goal.metric))
            self.task.setText(goal.task.file if goal.task else "")
            self.value.setValue(goal.limit * 100 if goal.metric in AT_LEAST else goal.limit)

    def _on_metric(self) -> None:
        metric = self.metric_box.currentData()
        share = metric in AT_LEAST
        self.value.setSuffix(" %" if share else "")
        self.value.setDecimals(2 if share else 6)
        self.value.setRange(0.01 if share else 1e-6, 100.0)
        self.value.setSingleStep(0.5 if share else DEFAULT_LIMITS[metric] / 10)
        self.value.setValue(DEFAULT_LIMITS[metric])
        self.task.setVisible(metric == "task")
        self.browse.setVisible(metric == "task")
        self.changed.emit()

    def _browse(self) -> None:
        kinds = self.tr("Tasks (*.jsonl *.ndjson *.parquet);;All files (*)")
        file, _ = QFileDialog.getOpenFileName(self, self.tr("Task file"), self.task.text(), kinds)
        if file:
            self.task.setText(file)


def goal_description(goal: Goal) -> str:
    """A goal as a sentence."""
    texts = {
        "top1": tr("The smallest bundle whose top-1 agreement with the model is at least {0} %."),
        "kl": tr("The smallest bundle whose mean divergence (KL) is at most {0} nats."),
        "perplexity": tr("The smallest bundle whose perplexity is at most {0} times the model's."),
        "task": tr("The smallest bundle that reaches {0} % of the model's score in {1}."),
    }[goal.metric]
    limit = f"{goal.limit * 100:g}" if goal.metric in AT_LEAST else f"{goal.limit:g}"
    return texts.format(limit, Path(goal.task.file).name if goal.task else "")


def goal_result(report: GoalReport) -> str:
    """What the goal was, and what the built mix reached."""
    names = {
        "top1": tr("top-1 agreement of at least {0}"),
        "kl": tr("a divergence (KL) of at most {0}"),
        "perplexity": tr("a perplexity ratio of at most {0}"),
        "task": tr("a share of the score of at least {0}"),
    }
    chosen = report.points[report.chosen]
    goal = names[report.metric].format(figure_text(report.metric, report.limit))
    reached = figure_text(report.metric, chosen.figure) if chosen.figure is not None else "–"
    text = tr("Goal: {0}. Reached: {1}, in {2} of weights instead of {3}.")
    return text.format(goal, reached, format_bytes(chosen.bytes), format_bytes(report.full))


def figure_text(metric: Metric, value: float) -> str:
    """A figure of a goal with its unit."""
    if metric in AT_LEAST:
        return format_percent(value, 2)
    return tr("{0} nats").format(format_figures(value)) if metric == "kl" else format_figures(value)


def read_goal_report(bundle: Path) -> GoalReport | None:
    """The search report of a bundle; None if the bundle has no goal or the file is no such report."""
    try:
        report = read(GoalReport, json.loads((bundle / GOAL_FILE).read_text("utf-8")))
    except (OSError, ValueError, PayloadMismatch):
        return None
    return report if set(range(len(report.points))).issuperset({report.chosen, *report.front}) else None


class TrialsChart(QWidget):
    """Each trial as a dot, size to the right and error upwards; the Pareto front is joined, the chosen trial ringed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.report: GoalReport | None = None
        self.setMinimumHeight(26 * G)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)
        self.hide()

    def show_report(self, report: GoalReport | None) -> None:
        """Show a search; None hides the chart."""
        self.report = report
        self.setVisible(report is not None)
        if report is not None:
            chosen = report.points[report.chosen]
            text = self.tr("{0} mixes tried; the smallest that meets the goal has {1} of weights: {2}")
            values = format_number(len(report.points)), format_bytes(chosen.bytes), chosen.what
            self.setAccessibleName(text.format(*values))
            set_tool_tip(self, self.accessibleName())
        self.update()

    def places(self) -> list[QPointF]:
        """The position of each trial; a trial without a figure is at the top."""
        report = self.report
        if report is None:
            return []
        errors = [self._error(point) for point in report.points]
        known = [error for error in errors if error is not None]
        low, high = min(known, default=0.0), max(known, default=1.0)
        least, most = report.points[0].bytes, report.points[-1].bytes
        field = self._field()
        return [
            QPointF(
                field.left() + field.width() * (point.bytes - least) / max(1, most - least),
                field.bottom() - field.height() * ((high if error is None else error) - low) / max(1e-12, high - low),
            )
            for point, error in zip(report.points, errors, strict=True)
        ]

    def _error(self, point: TriedPoint) -> float | None:
        """The error axis: the complement of a share, or the logarithm of a distance."""
        assert self.report is not None
        if point.figure is None:
            return None
        if self.report.metric in AT_LEAST:
            return 1 - point.figure
        return math.log10(max(point.figure, 1e-9))

    def _field(self) -> QRectF:
        return QRectF(12 * G, 2 * G, self.width() - 26 * G, self.height() - 7 * G)

    def paintEvent(self, event: QPaintEvent) -> None:
        report, places = self.report, self.places()
        if report is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().color("accent"))
        painter.drawPolyline([places[place] for place in report.front])
        for point, place in zip(report.points, places, strict=True):
            self._dot(painter, place, theme().color("ok" if point.met else "faint"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(theme().color("text"))
        painter.drawEllipse(places[report.chosen], G, G)
        self._draw_labels(painter, report)
        painter.end()

    def _dot(self, painter: QPainter, place: QPointF, color: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(place, G / 2, G / 2)

    def _draw_labels(self, painter: QPainter, report: GoalReport) -> None:
        field = self._field()
        painter.setPen(theme().color("border"))
        painter.drawLine(field.bottomLeft() + QPointF(0, G), field.bottomRight() + QPointF(0, G))
        painter.setFont(sans_font(SMALL - 1))
        painter.setPen(theme().color("muted"))
        under = QRectF(field.left(), field.bottom() + G, field.width(), 2 * G)
        painter.drawText(under, Qt.AlignmentFlag.AlignLeft, format_bytes(report.points[0].bytes))
        painter.drawText(under, Qt.AlignmentFlag.AlignRight, format_bytes(report.points[-1].bytes))
        legend = self.tr(
            "Downwards: nearer to the model. Green meets the goal, grey does not; the ring marks the built mix."
        )
        painter.drawText(under.translated(0, 2 * G), Qt.AlignmentFlag.AlignLeft, legend)
        for text, height in self._marks(report):
            beside = QRectF(0, height - G, field.left() - G, 2 * G)
            painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        chosen = self.places()[report.chosen]
        figure = report.points[report.chosen].figure
        if figure is not None:
            text = f"{figure_text(report.metric, figure)} · {format_bytes(report.points[report.chosen].bytes)}"
            painter.setPen(theme().color("text"))
            painter.drawText(chosen + QPointF(1.5 * G, -G / 2), text)

    def _marks(self, report: GoalReport) -> list[tuple[str, float]]:
        """The worst and the best figure beside the vertical axis, each with its height."""
        known = [(place.y(), point.figure) for place, point in zip(self.places(), report.points, strict=True)]
        figures = [(height, figure) for height, figure in known if figure is not None]
        ends = {min(figures), max(figures)} if figures else set()
        return [(figure_text(report.metric, figure), height) for height, figure in ends]
