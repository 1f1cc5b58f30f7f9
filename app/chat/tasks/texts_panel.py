"""The left half of a page that gives texts to a bundle: a field for lines, examples, and the button that starts.

lines ──started──▶ the page ──▶ TextTask ──changed──▶ count, progress, Cancel, banner
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.chat.tasks.task_panel import TaskPanel
from app.state.text_task import MOST_CHARACTERS, TextTask, lines_of
from app.text.formatting import pluralize
from app.widgets.basics import button
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G


class LinesEdit(QPlainTextEdit):
    """A field for lines of text, which are not wrapped; Ctrl+Enter submits them.

    Wrapping a line of 200,000 characters would block the window for 14 s, and more are not pasted at all.
    """

    submitted = Signal()
    refused = Signal(str)  # a text that is too long

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText(self.tr("Paste texts, one in each line"))
        self.setAccessibleName(self.tr("Texts, one in each line"))

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Qt's name: what is pasted or dropped."""
        if len(source.text()) > MOST_CHARACTERS:
            self.refused.emit(source.text())
        else:
            super().insertFromMimeData(source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: Ctrl+Enter means something here."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.submitted.emit()
        else:
            super().keyPressEvent(event)


class TextsPanel(TaskPanel):
    """The lines for `model`. extra: widgets beside the button."""

    def __init__(
        self, model: TextTask[Any, Any], verb: str, tip: str, working: str, extra: Sequence[QWidget] = ()
    ) -> None:
        super().__init__(model, verb, tip, working)
        self.lines = LinesEdit()
        self.examples = button(self.tr("Examples"), role="link", tool_tip=self.tr("Puts example texts in the field"))
        actions = hbox(self.start, self.stop, STRETCH, *extra)
        below = hbox((self.count, 1), self.examples)
        vbox((self.lines, 1), below, actions, self.working, margins=(0, 0, G, 0), parent=self)
        self.lines.submitted.connect(self.started)
        self.lines.textChanged.connect(self.show_count)
        self.refresh()

    @property
    def content(self) -> str:
        """The lines, for the next start."""
        return self.lines.toPlainText()

    def show_content(self, content: str) -> None:
        """Shows the lines of an earlier start."""
        self.lines.setPlainText(content)

    def show_examples(self, lines: Sequence[str]) -> None:
        """Puts lines in the field so that undo brings the former ones back."""
        self.lines.selectAll()
        self.lines.insertPlainText("\n".join(lines))
        self.lines.setFocus()

    def rest(self) -> QWidget:
        return self.lines

    def show_count(self) -> None:
        lines, request = lines_of(self.lines.toPlainText()), self.model.request
        text = pluralize(len(lines), self.tr("1 line"), self.tr("{0} lines"))
        if request is not None and lines != request.texts:
            text += self.tr(" · changed since they were read")
        self.count.setText(text)
