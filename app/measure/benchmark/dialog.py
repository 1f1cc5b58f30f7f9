"""The dialog that measures the speed of the current bundle; it does not block the main window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QSpinBox, QWidget

from app.jobs.one_shot_worker import ReportModel
from app.measure.measure_dialog import MeasureDialog
from app.measure.request_form import RequestForm
from app.state.context import AppContext
from app.state.run_rows import measure_text
from app.text.figures import figure_titles
from app.text.formatting import format_number
from app.text.memory import memory_text
from app.text.translatable import tr
from app.widgets.basics import Banner, button, label
from app.widgets.fields import add_token_unit, indent_number, progress_bar
from app.widgets.layouts import STRETCH, grid_layout, hbox, vbox
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.measure.run_measures import MEASURES
from workflows.wire.reports.bench import BenchReport, CompositeRow, Row, SingleRow
from workflows.wire.requests import USUAL_PROMPT, USUAL_REPLY, Bench


class BenchmarkModel(ReportModel):
    """The benchmark that runs, or the last one."""

    report: BenchReport | None


REPEATS, LONGEST = 5, 1 << 20


class BenchmarkForm(RequestForm):
    """Requests a `Bench` of one bundle on one provider. single: it is one graph, which makes no new tokens."""

    def __init__(self, bundle: str, provider: str, single: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(tr("Run benchmark"), "play", parent)
        self._bundle, self._provider, self._single = bundle, provider, single
        fitting = self.tr("{0}, or what fits the cache")
        if single:
            usual = format_number(USUAL_PROMPT)
            self.prompt = self._spin_box(self.tr("Tokens of a text"), LONGEST, special=usual)
        else:
            self.prompt = self._spin_box(self.tr("Prompt tokens"), LONGEST, special=fitting.format(USUAL_PROMPT))
        self.new = self._spin_box(self.tr("New tokens"), LONGEST, special=fitting.format(USUAL_REPLY))
        self.repeats = self._spin_box(self.tr("Repetitions"), 100)
        self.repeats.setRange(1, 100)
        self.repeats.setValue(REPEATS)
        grid = grid_layout(stretch=(1,))
        for row, field in enumerate(self.fields):
            grid.addWidget(label(field.accessibleName(), "muted"), row, 0)
            grid.addWidget(field, row, 1)
        vbox(grid, hbox(STRETCH, self.start_button), parent=self)
        self.refresh()

    def _spin_box(self, name: str, most: int, special: str = "") -> QSpinBox:
        """A number up to `most`; special: the text in place of 0."""
        box = ignore_wheel(add_token_unit(QSpinBox()) if special else indent_number(QSpinBox()))
        box.setRange(0, most)
        box.setSpecialValueText(special)
        box.setAccessibleName(name)
        box.setMinimumWidth(36 * G)
        return box

    @property
    def fields(self) -> Sequence[QSpinBox]:
        return (self.prompt, self.repeats) if self._single else (self.prompt, self.new, self.repeats)

    @property
    def ready(self) -> bool:
        return True

    def request(self) -> Bench:
        prompt, new = (box.value() or None for box in (self.prompt, self.new))
        return Bench(self._bundle, (self._provider,), prompt, new, self.repeats.value())


class BenchmarkDialog(MeasureDialog):
    """The form above, the figures below. Closing the dialog stops the benchmark."""

    model: BenchmarkModel
    history_requested = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        assert context.bundle is not None
        self.context = context
        self.model = BenchmarkModel(context.new_machine_worker, self)
        provider = context.ready.provider.partition(",")[0] if context.ready else "cpu"
        self.setWindowTitle(self.tr("Run benchmark"))
        self.title = label(
            self.tr("Speed of {0} on {1}").format(context.bundle["name"], provider), "heading", wrap=True
        )
        self._single = not context.bundle["layout"]
        self.form = BenchmarkForm(str(context.bundle["path"]), provider, self._single)
        self.bar = progress_bar(self.tr("Progress of the benchmark"), height=6)
        self.status = label("", wrap=True)
        self.banner = Banner()
        self.show_history = button(self.tr("Show in the history"), clicked=self._on_history)
        self._lay_out()
        self.form.requested.connect(self.start)
        self.form.stopped.connect(self.model.cancel)
        self.model.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        text = self.tr(
            "A random prompt and a reply, both of a fixed length; the first run warms up and is not counted."
        )
        if self._single:
            text = self.tr("Runs of the graph over one random input; the first run warms up and is not counted.")
        hint = label(text, "muted", wrap=True)
        bottom = hbox(STRETCH, self.show_history, button(self.tr("Close"), clicked=self.close))
        parts = (self.title, hint, self.form, self.bar, self.banner, self.status, STRETCH, bottom)
        vbox(*parts, parent=self, margins=2 * G)
        self.setMinimumWidth(60 * G)
        for one in self.findChildren(QPushButton):
            one.setAutoDefault(one is self.form.start_button)

    def start(self, request: Bench) -> None:
        """Start a benchmark, unless a reply would slow it down; the last result is removed."""
        self.banner.clear()
        if self.context.session.state == "generating":
            self.banner.error(self.tr("A reply is being generated, which would slow the benchmark: wait for its end."))
        else:
            self.model.start(request)

    def _on_history(self) -> None:
        self.history_requested.emit()
        self.close()

    def refresh(self) -> None:
        model = self.model
        self.show_work(self.tr("The benchmark was stopped; nothing was saved."))
        self.show_history.setVisible(model.report is not None)
        self.status.setText(self._status())
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grow()
        if model.state == "done":
            self.context.history.read_if_changed()
        self.settle()

    def _grow(self) -> None:
        """Makes room for the result, whose lines wrap: the fields of the form were squashed."""
        column = self.layout()
        needed = column.totalHeightForWidth(self.width()) if column is not None else 0
        if needed > self.height():
            self.resize(self.width(), needed)

    def _status(self) -> str:
        if self.model.running:
            return self.model.progress.message if self.model.progress else self.tr("Opening the bundle …")
        return "\n".join(map(row_text, self.model.report.rows)) if self.model.report else ""


def row_text(row: Row) -> str:
    """The figures of a row with their names, or why there are none."""
    if isinstance(row, CompositeRow):
        figures = {
            "decode": row.decode_tokens_per_s, "prefill": row.prefill_tokens_per_s, "ttft": row.ttft_ms,
            "roofline": row.roofline.share, "memory": row.peak_rss_bytes,
        }  # fmt: skip
    elif isinstance(row, SingleRow):
        figures = {"p50": row.latency_ms.p50, "p95": row.latency_ms.p95, "memory": row.peak_rss_bytes}
    else:
        return row.reason
    names = figure_titles()
    text = " · ".join(f"{names[key]} {measure_text(value, MEASURES[key])}" for key, value in figures.items())
    if isinstance(row, CompositeRow):
        lengths = tr("Prompt of {0} tokens, reply of {1} tokens")
        text = f"{lengths.format(format_number(row.prompt_tokens), format_number(row.new_tokens))}\n{text}"
    memory = row.memory if isinstance(row, CompositeRow) else None
    return f"{text}\n{memory_text(memory)}" if memory else text
