"""Recipe page: the tasks for which the checkpoint can be built, one line each; shown where there are several."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from app.builder.step_page import ChoiceCard, button_group
from app.widgets.basics import Section
from app.widgets.layouts import clear_layout
from app.widgets.theme import G
from workflows.wire.reports.plan import ProbeReport


class TaskChoice(Section):
    """Follows a probe report. A task of a part of the model alone is a choice even where it is the only one."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent, title="")
        self.heading.setText(self.tr("Task"))
        self.body.setSpacing(G)
        self.cards: dict[str, ChoiceCard] = {}
        self._shown: tuple[list[str], dict[str, str]] = ([], {})
        self._group: QButtonGroup | None = None
        self._showing = False
        self.hide()

    def set_report(self, report: ProbeReport | None, task: str | None) -> None:
        """Shows the report's tasks. task: the chosen one; None for the checkpoint's own."""
        tasks, left_out = (report.tasks, report.left_out) if report else ([], {})
        if (tasks, left_out) != self._shown:
            self._rebuild(tasks, left_out)
        self.setVisible(len(tasks) > 1 or bool(left_out))
        card = self.cards.get(task or (report.own_task if report else None) or "")
        if card is not None:
            self._showing = True
            card.radio.setChecked(True)
            self._showing = False

    def _choose(self, task: str) -> None:
        if not self._showing:
            self.chosen.emit(task)

    def _rebuild(self, tasks: list[str], left_out: dict[str, str]) -> None:
        clear_layout(self.body)
        lines = self._lines()
        self._shown = list(tasks), dict(left_out)
        self.cards = {task: ChoiceCard(task, left_out.get(task) or lines.get(task, "")) for task in tasks}
        self._group = button_group(self, list(self.cards.values()))
        for task, card in self.cards.items():
            card.radio.toggled.connect(lambda on, task=task: self._choose(task) if on else None)
            self.body.addWidget(card)

    def _lines(self) -> dict[str, str]:
        return {
            "text-generation": self.tr("Continues a text, one token after another."),
            "image-text-to-text": self.tr("Answers prompts of text and pictures."),
            "audio-text-to-text": self.tr("Answers prompts of text and sound."),
            "automatic-speech-recognition": self.tr("Writes down speech."),
            "translation": self.tr("Translates a text."),
            "summarization": self.tr("Shortens a text."),
            "text2text-generation": self.tr("Makes a text of another one."),
            "feature-extraction": self.tr("Gives the hidden states or vectors of a text."),
            "fill-mask": self.tr("Proposes tokens for a masked place."),
            "text-classification": self.tr("Gives a text's scores for labels."),
            "token-classification": self.tr("Gives each token's scores for labels."),
            "image-classification": self.tr("Gives a picture's scores for labels."),
            "depth-estimation": self.tr("Gives a picture's depth at each point."),
        }
