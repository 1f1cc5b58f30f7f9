"""The tokens that both bundles generate, prompt by prompt, with the first difference marked."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets import label
from app.widgets.theme import G, theme
from app.widgets.token_diff import insert_token_diff, plain_format, read_only_text
from workflows.wire.reports.accuracy import GreedyAnswer


class AnswersView(QWidget):
    """A document: the prompt, the reference's tokens, and the candidate's tokens if they differ."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answers: list[GreedyAnswer] = []
        self.summary = label("", "muted")
        self.only = QCheckBox(self.tr("Only those that differ"))
        self.only.toggled.connect(self._write)
        self.text = read_only_text(self.tr("Answers of both bundles"))
        row = QHBoxLayout()
        row.addWidget(self.summary, 1)
        row.addWidget(self.only)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(G // 2)
        column.addLayout(row)
        column.addWidget(self.text, 1)
        theme().changed.connect(self._write)

    def show_answers(self, answers: list[GreedyAnswer]) -> None:
        """Show other answers; if some differ, only those at first."""
        self._answers = answers
        differing = sum(not answer.same for answer in answers)
        self.summary.setText(
            self.tr("{0} of {1} prompts are answered with the same tokens").format(
                len(answers) - differing, len(answers)
            )
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
