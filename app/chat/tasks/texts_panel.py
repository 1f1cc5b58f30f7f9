"""The left half of a page that gives texts to a bundle: a field for lines, examples, and the button that starts.

lines ──started──▶ the page ──▶ TextTask ──changed──▶ count, progress, Cancel, banner
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.state.text_task import MOST_CHARACTERS, TextTask, lines_of
from app.text.formatting import pluralize
from app.widgets.basics import Banner, button, label
from app.widgets.fields import progress_bar
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


class TextsPanel(QWidget):
    """The lines for `model`, and what becomes of them; `banner` says why they were not read.

    verb: the text of the button; tip: what it does; extra: widgets beside it. started: the page is to send the lines.
    """

    started = Signal()

    def __init__(
        self, model: TextTask[Any, Any], verb: str, tip: str, working: str, extra: Sequence[QWidget] = ()
    ) -> None:
        super().__init__()
        self.model = model
        self.banner = Banner()
        self.lines = LinesEdit()
        self.count = label("", "muted", selectable=False)
        self.examples = button(self.tr("Examples"), role="link", tool_tip=self.tr("Puts example texts in the field"))
        self.start = button(verb, "", "primary", self.started.emit, tip)
        self.stop = button(self.tr("Cancel"), "stop", "", self.cancel, self.tr("Stops it (Esc)"))
        self.working = progress_bar(working, height=4)
        actions = hbox(self.start, self.stop, STRETCH, *extra)
        below = hbox((self.count, 1), self.examples)
        vbox((self.lines, 1), below, actions, self.working, margins=(0, 0, G, 0), parent=self)
        self.lines.submitted.connect(self.started)
        self.lines.textChanged.connect(self._show_count)
        model.changed.connect(self.refresh)
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

    def cancel(self) -> None:
        """Stops a running request."""
        if self.model.running:
            self.lines.setFocus()  # the pressed button is hidden
            self.model.cancel()

    def refresh(self) -> None:
        """Shows whether a request runs, and why the last one failed."""
        model = self.model
        self.stop.setVisible(model.running)
        self.working.setVisible(model.running)
        if model.problem:
            self.banner.show_message("warning", model.problem)
        elif model.error is not None:
            self.banner.error(model.error.message, model.error.details)
        else:
            self.banner.clear()
        self._show_count()

    def _show_count(self) -> None:
        """Shows the number of lines, and whether they are those that were read last."""
        lines, request = lines_of(self.lines.toPlainText()), self.model.request
        text = pluralize(len(lines), self.tr("1 line"), self.tr("{0} lines"))
        if request is not None and lines != request.texts:
            text += self.tr(" · changed since they were read")
        self.count.setText(text)
