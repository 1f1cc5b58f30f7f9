"""The tab "Accuracy" of the measure page: the form, the progress, and the report.

AccuracyForm ──Eval──▶ AccuracyModel ──changed──▶ empty | progress | banner | figures, chart by layer, answers
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QWidget

from app.measure.accuracy.form import AccuracyForm
from app.state.accuracy import AccuracyModel, AccuracySubjects, ComparedModel, as_csv, as_json
from app.text.formatting import approximate_duration, format_local_time, format_number, pluralize
from app.text.translatable import tr
from app.widgets import Banner, CardFrame, EmptyState, button, label
from app.widgets.actions import add_action, menu_button
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.fields import progress_bar
from app.widgets.file_suffix import suggested_file, with_file_suffix
from app.widgets.layouts import STRETCH, Stretch, hbox, splitter, stack, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G, theme
from app.widgets.token_diff import insert_token_diff, plain_format, read_only_text
from workflows.wire.reports.accuracy import EvalReport, GreedyAnswer, Suggestions
from workflows.wire.requests import Eval

if TYPE_CHECKING:
    from app.measure.accuracy.harness_dialog import HarnessDialog
    from app.measure.accuracy.layer_chart import LayerChart
    from app.state.context import AppContext


def comparison_title(of: AccuracySubjects) -> str:
    return tr("{0} compared with {1}").format(_side_name(of.candidate), _side_name(of.reference))


def comparison_settings(of: AccuracySubjects) -> str:
    """The settings and the time of a comparison."""
    steps = pluralize(of.steps, tr("up to 1 token per prompt"), tr("up to {0} tokens per prompt"))
    prompts = [tr("prompts of {0}").format(of.prompts)] if of.prompts else []
    return " · ".join([of.provider, steps, *prompts, format_local_time(of.began)])


def _side_name(side: ComparedModel) -> str:
    return f"{side.name} ({side.precision})" if side.precision else side.name


def report_figures(report: EvalReport) -> list[tuple[str, str]]:
    """(name, value with its unit) of each figure."""
    rows = [
        (tr("positions"), format_number(report.positions)),
        (tr("top-1 agreement"), percent(report.top1_agreement)),
        (tr("top-5 overlap"), percent(report.top5_overlap)),
        (tr("KL divergence, mean"), figure(report.kl_mean, "nats")),
        (tr("KL divergence, largest"), figure(report.kl_max, "nats")),
        (tr("logits, largest difference"), figure(report.logit_max_abs_diff)),
        (tr("hidden states, cosine"), figure(report.hidden_cosine)),
        (tr("keys and values, cosine"), figure(report.kv_cosine)),
        (tr("perplexity of the prompts, reference"), figure(report.perplexity.reference)),
        (tr("perplexity of the prompts, candidate"), figure(report.perplexity.candidate)),
        (tr("perplexity of the answers, reference"), figure(report.answer_perplexity.reference)),
        (tr("perplexity of the answers, candidate"), figure(report.answer_perplexity.candidate)),
    ]
    if report.task is not None:
        questions = pluralize(report.task.rows, tr("1 question"), tr("{0} questions"))
        rows.append((tr("{0}, reference").format(questions), percent(report.task.reference_score)))
        rows.append((tr("{0}, candidate").format(questions), percent(report.task.score)))
    return rows + _suggestion_figures(report.suggestions)


def _suggestion_figures(suggestions: Suggestions | None) -> list[tuple[str, str]]:
    """The mean divergence without each suggested node, and without all of them."""
    if suggestions is None or not suggestions.exclude:
        return []
    rows = [(tr("KL without {0}").format(row.node), figure(row.kl_mean, "nats")) for row in suggestions.exclude]
    return [*rows, (tr("KL without all of these"), figure(suggestions.after.kl_mean, "nats"))]


def percent(share: float | None) -> str:
    """99.34 %, or a dash."""
    return "–" if share is None else f"{format_number(100 * share, 2)} %"


def figure(value: float | None, unit: str = "") -> str:
    """Five significant digits in the system's locale, or a dash."""
    return "–" if value is None else f"{QLocale().toString(float(value), 'g', 5)} {unit}".strip()


class AnswersView(QWidget):
    """A document: the prompt, the reference's tokens, and the candidate's tokens if they differ."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answers: list[GreedyAnswer] = []
        self.summary = label("", "muted")
        self.only = QCheckBox(self.tr("Only different answers"))
        self.only.toggled.connect(self._write)
        self.text = read_only_text(self.tr("Answers of both bundles"))
        row = hbox((self.summary, 1), self.only, spacing=None)
        vbox(row, (self.text, 1), parent=self, spacing=G // 2)
        theme().changed.connect(self._write)

    def show_answers(self, answers: list[GreedyAnswer]) -> None:
        """Show other answers; if some differ, only those at first."""
        self._answers = answers
        differing = sum(not answer.same for answer in answers)
        self.summary.setText(
            self.tr("{0} of {1} answers have the same tokens").format(len(answers) - differing, len(answers))
        )
        self.only.setEnabled(bool(differing))
        self.only.setChecked(bool(differing))
        self._write()

    def _write(self, *_: object) -> None:
        self.text.clear()
        cursor = self.text.textCursor()
        shown = [answer for answer in self._answers if not (self.only.isChecked() and answer.same)]
        for answer in shown:
            self._one(cursor, answer)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _one(self, cursor: QTextCursor, answer: GreedyAnswer) -> None:
        cursor.insertText(answer.prompt.replace("\n", " ") + "\n", plain_format(bold=True))
        names = (self.tr("both"),) if answer.same else (self.tr("reference"), self.tr("candidate"))
        for name, tokens in zip(names, (answer.reference, answer.candidate), strict=False):
            cursor.insertText(f"  {name}  ", plain_format("muted"))
            insert_token_diff(cursor, [piece.replace("\n", "⏎") for _, piece in tokens], answer.tokens_equal)
            cursor.insertText("\n", plain_format())


TICK_MS = 500


class AccuracyTab(QWidget):
    """Compares the current bundle with another one."""

    history_requested = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.model = AccuracyModel(context.new_machine_worker, context.describe, self)
        self.chart: LayerChart | None = None
        self.form = AccuracyForm(context.recents)
        self.banner = Banner()
        self._build()
        self._add_actions()
        self.form.requested.connect(self.compare)
        self.form.stopped.connect(self.model.cancel)
        self.form.tasks_button.clicked.connect(lambda _checked=False: self.score_tasks())
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

    def score_tasks(self) -> HarnessDialog:
        """Shows the dialog that asks tasks of lm-eval, or the one that runs."""
        from app.measure.accuracy.harness_dialog import HarnessDialog  # imported when it is first needed

        for open_one in self.window().findChildren(HarnessDialog):
            if open_one.model.running:
                open_one.show()
                open_one.activateWindow()
                return open_one
            open_one.close()
        dialog = HarnessDialog(self.context, self.window())
        dialog.history_requested.connect(self.history_requested)
        dialog.show()
        return dialog

    def _build(self) -> None:
        self.empty = EmptyState(
            self.tr("No comparison yet"),
            self.tr(
                "Choose a bundle and a reference. Both read the same tokens; agreement, divergence, hidden "
                "states, cache, perplexity and answers appear here."
            ),
            "",
            "measure",
        )
        self.stack = stack(self.empty, self._progress(), self._results())
        vbox(self.form, (self.stack, 1), parent=self, margins=(2 * G, 2 * G, 2 * G, G))
        self.overlay = BannerOverlay(self, self.banner, area=self.stack)

    def _progress(self) -> QWidget:
        page = QWidget()
        self.bundles = label("", "heading", wrap=True)
        self.bundles.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.note = label("", "body-muted")
        self.remaining = label("", "muted")
        self.bar = progress_bar(self.tr("Progress of the comparison"))
        self.bar.setMaximumWidth(60 * G)
        self.bar.setMinimumWidth(40 * G)
        centered = ((part, 0, Qt.AlignmentFlag.AlignHCenter) for part in (self.note, self.bar, self.remaining))
        vbox(STRETCH, self.bundles, *centered, Stretch(2), parent=page, margins=None, spacing=None)
        return page

    def _results(self) -> QWidget:
        self.figures = ReadOnlyTable(
            TextTableModel((self.tr("measure"), self.tr("value")), numbers=(1,)), self.tr("Figures")
        )
        self.figures.setMinimumWidth(38 * G)
        self.answers = AnswersView()
        self.chart_card = CardFrame(self.tr("Loss by layer"))
        self.chart_card.body.setContentsMargins(G, G, G, G)
        self.no_layers = label(self.tr("Neither bundle lists its layers."), "muted", wrap=True)
        self.chart_card.body.addWidget(self.no_layers, 1, Qt.AlignmentFlag.AlignCenter)
        top = QWidget()
        hbox((self.figures, 2), (self.chart_card, 3), parent=top, spacing=2 * G)
        page = QWidget()
        vbox(
            self._head(), (splitter(Qt.Orientation.Vertical, (top, 3), (self.answers, 2)), 1), parent=page, spacing=None
        )
        return page

    def _head(self) -> QHBoxLayout:
        self.title = label("", "heading", wrap=True)
        self.summary = label("", "muted", wrap=True)
        texts = vbox(self.title, self.summary, spacing=G // 2)
        kinds = (self.tr("Report (JSON) …"), "json"), (self.tr("Layers (CSV) …"), "csv")
        self.export_button = menu_button(self.tr("Export"), "save", kinds, self._choose_file)
        self.build_without = button(self.tr("Build without quantizing them"), "build", clicked=self._build_without)
        self.build_without.hide()
        return hbox((texts, 1), self.build_without, self.export_button, spacing=G)

    def _add_actions(self) -> None:
        for text, keys, act in (
            (self.tr("Accuracy: compare"), "Ctrl+Return", self.form.start),
            (self.tr("Accuracy: stop comparing"), "Esc", self.model.cancel),
        ):
            add_action(self, text, act, keys)

    def _on_bundle(self, bundle: dict[str, object] | None) -> None:
        self.form.tasks_button.setEnabled(bundle is not None)
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
                "" if remaining is None else self.tr("about {0} left").format(approximate_duration(remaining))
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
            from app.measure.accuracy.layer_chart import LayerChart  # imports pyqtgraph, which takes a second

            self.chart = LayerChart()
            self.chart_card.body.addWidget(self.chart, 1)
        self.no_layers.setVisible(not report.layers)
        if self.chart is not None:
            self.chart.setVisible(bool(report.layers))
            self.chart.show_layers(report.layers)

    def _exclusions(self, report: EvalReport) -> list[str]:
        """What to build without; empty if there is no suggestion."""
        self.build_without.setVisible(bool(report.excluded) and bool(self._checkpoint()))
        if not report.excluded:
            return []
        text = self.tr("Suggestion: leave {0} unquantized (Build, Quantize, “Nodes that are not quantized”).")
        return [text.format(", ".join(report.excluded))]

    def _checkpoint(self) -> str:
        """What the compared bundle was built of; empty where that is not known."""
        result = self.model.result
        entry = self.context.recents.find(result.subjects.candidate.path) if result is not None else None
        return entry.checkpoint if entry is not None else ""

    def _build_without(self) -> None:
        """Show the wizard with the bundle's checkpoint, its precision, and the suggested nodes as they are."""
        result = self.model.result
        if result is not None:
            options: dict[str, object] = {
                "precision": result.subjects.candidate.precision,
                "quantize": {"exclude": result.report.excluded},
            }
            self.context.unsaved_recipe.restore(self._checkpoint(), options, "", frozenset())
            self.context.navigate.emit("build")

    def _choose_file(self, ending: str) -> None:
        name, _kind = QFileDialog.getSaveFileName(
            self, self.tr("Export the report"), suggested_file(f"accuracy.{ending}"), f"*.{ending}"
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
