"""Quantize page: times int4 formats and threads on this processor; builds and sessions then take the fastest."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from app.jobs.one_shot_worker import ReportModel
from app.state.unsaved_recipe import UnsavedRecipe
from app.text.formatting import format_percent
from app.text.translatable import tr
from app.widgets.basics import Section, label
from app.widgets.layouts import STRETCH, hbox
from workflows.wire.reports.tuning import BUSY
from workflows.wire.requests import Tune


class TuningBox(Section):
    """A button, and what was found. The recipe's own choice of blocks stays."""

    def __init__(self, model: ReportModel, draft: UnsavedRecipe) -> None:
        super().__init__(tr("This processor"))
        self._model, self._draft = model, draft
        model.setParent(self)
        text = self.tr(
            "Times products with this model's sizes (for a small one those of a common model) in each block format, in "
            "about a minute. Builds on this computer then take the fastest format that rounds no coarser than the "
            "default, and models run with as many threads as are fastest."
        )
        self.body.addWidget(label(text, "muted", wrap=True))
        self.button = QPushButton()
        self.button.clicked.connect(self._on_click)
        self.body.addLayout(hbox(self.button, STRETCH))
        self.found = label("", "muted", wrap=True)
        self.body.addWidget(self.found)
        model.changed.connect(self._on_changed)
        self._show()

    def _on_click(self) -> None:
        if self._model.running:
            self._model.cancel()
        else:
            self._model.start(Tune(self._draft.source))

    def _on_changed(self) -> None:
        self._show()
        if self._model.state == "done":
            self._draft.request_plan()

    def _show(self) -> None:
        model = self._model
        self.button.setText(self.tr("Cancel") if model.running else self.tr("Time the formats"))
        self.found.setText(self._text())
        self.found.setVisible(bool(self.found.text()))

    def _text(self) -> str:
        model, report = self._model, self._model.report
        if model.running:
            return self.tr("Timing: {0}").format(format_percent(model.share))
        if model.error is not None:
            return model.error.message
        if report is None:
            return ""
        kind = self.tr("Symmetric blocks of {0}") if report.symmetric else self.tr("Blocks of {0} with zero points")
        text = self.tr("{0}: {1} of the default's time a token, on {2}.").format(
            kind.format(str(report.block_size)), format_percent(report.share), report.processor
        )
        if report.threads is not None:
            text += " " + self.tr("{0} threads are faster than one for each core.").format(str(report.threads))
        if report.width is not None:
            text += " " + self.tr("Prompts go in runs of {0} tokens.").format(str(report.width))
        if report.others > BUSY:
            busy = self.tr("Other programs used {0} of the processor: time the formats again when it is idle.")
            text += " " + busy.format(format_percent(report.others))
        return text
