"""The page of a bundle that gives labels: lines to paste, and a table of labels, of spans, or of scores for a query.

lines, query ──label──▶ TextLabels ──changed──▶ table, problem
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.chat.tasks.example_texts import opinions, question, sentences_with_names
from app.chat.tasks.result_table import Cell, ResultTable
from app.chat.tasks.texts_panel import TextsPanel
from app.state.text_labels import TextLabels
from app.text.formatting import pluralize
from app.widgets import label
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.fields import line_edit
from app.widgets.layouts import splitter, vbox
from app.widgets.theme import G
from workflows.wire.reports.labels import LabelsReport
from workflows.wire.requests import LabelTexts

_OTHERS = 4  # labels of a text besides the most probable one


class LabelView(QWidget):
    """Shows what `model` has; figures are of its bundle, and of the lines that were read."""

    def __init__(self, model: TextLabels, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self._by_token = self._ranks = False
        self.heading = label("", "heading")
        self.summary = label("", "muted", wrap=True)
        tip = self.tr("Gives the texts to the model (Ctrl+Enter)")
        self.texts = TextsPanel(model, self.tr("Classify"), tip, self.tr("Labels are computed"))
        self.query = line_edit(self.tr("Query"), self.tr("Rank the texts by how well they answer"), clear=True)
        self.result = ResultTable(self.tr("Labels of the texts"), self.tr("The labels appear here."))
        self.note = label("", "warning", wrap=True)
        right = QWidget()
        vbox(self.query, (self.result, 1), self.note, margins=(G, 0, 0, 0), parent=right)
        halves = splitter(Qt.Orientation.Horizontal, (self.texts, 2), (right, 3))
        halves.setHandleWidth(1)
        head = vbox(self.heading, self.summary, spacing=G // 2)
        vbox(head, (halves, 1), margins=2 * G, spacing=2 * G, parent=self)
        self.overlay = BannerOverlay(self, self.texts.banner)
        model.changed.connect(self._show_report)
        self.query.returnPressed.connect(self._label)
        self.result.failed.connect(self.texts.banner.error)
        self.texts.lines.refused.connect(model.label)
        self.texts.started.connect(self._label)
        self.texts.examples.clicked.connect(self._show_examples)
        add_action(self, self.tr("Classify the texts"), self._label)
        add_action(self, self.tr("Copy the labels as TSV"), self.result.copy)

    def set_bundle(self, bundle: Mapping[str, Any], title: str) -> None:
        """Shows the page of a bundle, by its summary; the lines stay, figures of another bundle go."""
        self._by_token = bundle["task"] == "token-classification"
        self._ranks = not self._by_token and bundle.get("labels") == 1
        self.query.setVisible(self._ranks)
        verb = self.tr("Rank texts with {0}") if self._ranks else self.tr("Classify texts with {0}")
        self.heading.setText(verb.format(title))
        self.texts.start.setText(self.tr("Rank them") if self._ranks else self.tr("Classify"))
        places = self.tr("The texts appear here by their rank.")
        self.result.hint.setText(places if self._ranks else self.tr("The labels appear here."))
        self.texts.start.setAccessibleName(self.texts.start.text())
        self.model.set_bundle(str(bundle["path"]))
        self._show_report()

    def _label(self) -> None:
        self.model.label(self.texts.lines.toPlainText(), self.query.text() if self._ranks else "")

    def _show_examples(self) -> None:
        if self._ranks:
            query, lines = question(self)
            self.query.setText(query)
        else:
            lines = sentences_with_names(self) if self._by_token else opinions(self)
        self.texts.show_examples(lines)

    def _show_report(self) -> None:
        report, request = self.model.report, self.model.request
        self.note.hide()
        if report is None or request is None:
            self.summary.setText(self._invitation())
            self.result.clear()
            return
        read = pluralize(sum(report.tokens), self.tr("1 token read"), self.tr("{0} tokens read"))
        text = f"{read} · {self.tr('on {0}').format(request.provider)}"
        if request.query:
            text = self.tr("Scores for “{0}” · {1}").format(request.query, text)
        self.summary.setText(text)
        self.note.setText("\n".join(report.notes[:5] + ["…"] * (len(report.notes) > 5)))
        self.note.setVisible(bool(report.notes))
        if report.ranking:
            self._show_ranking(report, request)
        elif report.spans:
            self._show_spans(report, request)
        else:
            self._show_labels(report, request)

    def _invitation(self) -> str:
        if self._by_token:
            return self.tr("This bundle marks parts of a text, such as names: paste texts and classify them.")
        if self._ranks:
            return self.tr(
                "This bundle scores texts for a query: write the query, paste the texts, and rank them. Without a "
                "query it gives each text its number."
            )
        return self.tr("This bundle gives a text one of its labels: paste texts and classify them.")

    def _show_ranking(self, report: LabelsReport, request: LabelTexts) -> None:
        order = sorted(range(len(report.ranking)), key=lambda place: -report.ranking[place])
        rows = [(str(rank), Cell.of(report.ranking[at]), request.texts[at]) for rank, at in enumerate(order, 1)]
        self.result.show_rows([self.tr("Rank"), self.tr("Score"), self.tr("Text")], rows, numbers=(0, 1), wide=2)

    def _show_spans(self, report: LabelsReport, request: LabelTexts) -> None:
        rows = [
            (str(number), span.text, span.label, Cell.of(span.score), f"{span.start}–{span.end}")
            for number, spans in enumerate(report.spans, 1)
            for span in spans
        ]
        headings = [self.tr("Line"), self.tr("Part"), self.tr("Label"), self.tr("Probability"), self.tr("Characters")]
        self.result.show_rows(headings, rows, numbers=(0, 3, 4), wide=1)
        if not rows:
            self.note.setText(self.tr("The model marks nothing in these texts."))
            self.note.show()

    def _show_labels(self, report: LabelsReport, request: LabelTexts) -> None:
        rows = []
        for text, (first, *rest) in zip(request.texts, report.labels, strict=True):
            others, more = [(one.label, Cell.of(one.score)) for one in rest[:_OTHERS]], ", …" * (len(rest) > _OTHERS)
            shown = ", ".join(f"{name} {score.shown}" for name, score in others) + more
            saved = ", ".join(f"{name} {score.saved}" for name, score in others) + more
            rows.append((text, first.label, Cell.of(first.score), Cell(shown, saved)))
        last = self.tr("Others")
        headings = [
            self.tr("Text"),
            self.tr("Label"),
            self.tr("Value") if self._ranks else self.tr("Probability"),
            last,
        ]
        self.result.show_rows(headings, rows, numbers=(2,), wide=0)
