"""The dialog that asks the current bundle tasks of lm-eval; it does not block the main window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSpinBox, QWidget

from app.measure.measure_dialog import MeasureDialog
from app.measure.request_form import RequestForm
from app.state.context import AppContext
from app.state.harness import HarnessModel
from app.text.formatting import format_figures, format_number
from app.text.translatable import tr
from app.widgets.basics import Banner, button, label
from app.widgets.fields import indent_number, line_edit, progress_bar
from app.widgets.layouts import STRETCH, grid_layout, hbox, stack, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.reports.harness import TaskScore
from workflows.wire.requests import EvalTasks

MOST = 1_000_000
SAMPLES = 100


class HarnessForm(RequestForm):
    """Requests an `EvalTasks` of one bundle."""

    def __init__(self, bundle: str, parent: QWidget | None = None) -> None:
        super().__init__(tr("Ask the tasks"), "play", parent)
        self._bundle = bundle
        self.tasks = line_edit(self.tr("Tasks"), self.tr("hellaswag, arc_easy, or a YAML file of your own"), clear=True)
        self.limit = ignore_wheel(indent_number(QSpinBox()))
        self.limit.setAccessibleName(self.tr("Samples of each task"))
        self.limit.setRange(0, MOST)
        self.limit.setSpecialValueText(self.tr("all"))
        self.limit.setGroupSeparatorShown(True)
        self.limit.setValue(SAMPLES)
        grid = grid_layout(stretch=(1,))
        for row, field in enumerate(self.fields):
            grid.addWidget(label(field.accessibleName(), "muted"), row, 0)
        grid.addWidget(self.tasks, 0, 1)
        grid.addLayout(hbox(self.limit, STRETCH, self.start_button), 1, 1)
        vbox(grid, parent=self)
        self.tasks.textChanged.connect(self.refresh)
        self.refresh()

    @property
    def fields(self) -> Sequence[QWidget]:
        return self.tasks, self.limit

    @property
    def names(self) -> tuple[str, ...]:
        """The tasks, which commas divide."""
        return tuple(one.strip() for one in self.tasks.text().split(",") if one.strip())

    @property
    def ready(self) -> bool:
        return bool(self.names)

    def request(self) -> EvalTasks:
        return EvalTasks(self._bundle, self.names, self.limit.value() or None)


class HarnessDialog(MeasureDialog):
    """The form above, the scores below. Closing the dialog stops the tasks."""

    model: HarnessModel
    history_requested = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        assert context.bundle is not None
        self.context = context
        self.model = HarnessModel(context.new_worker, self)
        self.setWindowTitle(self.tr("Tasks of lm-eval"))
        self.title = label(self.tr("Scores of {0} on {1}").format(context.bundle["name"], "cpu"), "heading", wrap=True)
        self.form = HarnessForm(str(context.bundle["path"]))
        self.bar = progress_bar(self.tr("Progress of the tasks"), height=6)
        self.status = label("", "muted", wrap=True)
        self.banner = Banner()
        headings = (self.tr("Task"), self.tr("Measure"), self.tr("Score"), self.tr("Standard error"))
        self.scores = ReadOnlyTable(TextTableModel(headings, numbers=(2, 3)), self.tr("Scores"))
        self._place = stack(QWidget(), self.scores)  # the dialog keeps its size when the scores come
        self.show_history = button(self.tr("Show in the history"), clicked=self._on_history)
        self._lay_out()
        self.form.requested.connect(self.start)
        self.form.stopped.connect(self.model.cancel)
        self.model.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        text = self.tr(
            "EleutherAI's lm-eval asks the bundle and scores its answers. The data of its tasks come from the hub."
        )
        bottom = hbox(STRETCH, self.show_history, button(self.tr("Close"), clicked=self.close))
        hint = label(text, "muted", wrap=True)
        parts = (self.title, hint, self.form, self.bar, self.banner, self.status, (self._place, 1), bottom)
        vbox(*parts, parent=self, margins=2 * G)
        self.setMinimumSize(68 * G, 56 * G)
        for one in self.findChildren(QPushButton):
            one.setAutoDefault(one is self.form.start_button)

    def start(self, request: EvalTasks) -> None:
        """Asks the tasks; the last scores are removed."""
        self.banner.clear()
        self.model.start(request)

    def _on_history(self) -> None:
        self.history_requested.emit()
        self.close()

    def refresh(self) -> None:
        """Shows how far it is, or the scores."""
        model = self.model
        self.show_work(self.tr("The tasks were stopped; nothing was saved."))
        self.show_history.setVisible(model.report is not None)
        self._place.setCurrentIndex(int(model.report is not None))
        self.status.setText(self._status())
        if model.state == "done" and model.report is not None:
            self.scores.rows.fill([score_row(one) for one in model.report.scores])
            self.context.history.read_if_changed()
        self.settle()

    def _status(self) -> str:
        model = self.model
        if model.running:
            progress = model.progress
            if progress is None:
                return self.tr("lm-eval starts …")
            counted = f"{format_number(progress.done)} / {format_number(progress.total)}" if progress.total else ""
            return " · ".join(filter(None, (progress.message, counted)))
        if model.report is None:
            return ""
        text = self.tr("lm-eval {0}, {1} samples")
        return text.format(model.report.version, format_number(model.report.samples))


def score_row(score: TaskScore) -> list[str]:
    """The cells of a score."""
    error = "–" if score.stderr is None else format_figures(score.stderr)
    return [score.task, score.metric, format_figures(score.value), error]
