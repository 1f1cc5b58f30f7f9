"""The composer: Enter sends, Shift+Enter breaks the line, Esc stops the reply or cancels an edit.

What the open bundle takes besides text is attached here: see app/chat/attachments.py.
"""

from __future__ import annotations

import math
from contextlib import suppress

from PySide6.QtCore import QMimeData, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from app.chat.attachments import AttachmentDrop, Attachments, attachment_column
from app.chat.controller import ChatController
from app.chat.intents import EditPrompt, ReplacePrompt, Send, SendSound, Stop
from app.state.conversation import Conversation
from app.state.unsent_prompts import UNSAVED_CHAT_KEY, UnsentPrompt, UnsentPrompts
from app.widgets import label, set_role
from app.widgets.layouts import hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon
from workflows.wire.events import SpeechChoices

MOST_LINES = 8
LONGEST_WORD = 10_000
"""Letters up to which lines end between words: Qt's search for their ends takes seconds in longer ones."""


class PromptEdit(QPlainTextEdit):
    """Grows with its text up to MOST_LINES."""

    submitted = Signal()
    escaped = Signal()
    recalled = Signal()  # arrow up in an empty box

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.attachments: Attachments | None = None
        """What takes dropped and pasted pictures and sounds."""
        self.setTabChangesFocus(True)
        self.setPlaceholderText(self.tr("Ask something"))
        self.setAccessibleName(self.tr("Prompt"))
        self.setAccessibleDescription(self.tr("Enter sends, Shift+Enter starts a new line."))
        self.document().setDocumentMargin(G - 2)
        self.textChanged.connect(self._fit)
        self._fit()

    def setPlainText(self, text: str) -> None:  # noqa: N802
        """Qt's name."""
        self._wrap(text)
        super().setPlainText(text)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802
        """Qt's name: pictures may be dropped and pasted, too; files that cannot be attached are the window's."""
        if self.attachments is not None and self.attachments.takes(source):
            return True
        return not source.hasUrls() and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Qt's name."""
        if self.attachments is not None and self.attachments.takes(source):
            self.attachments.take(source)
        else:
            self._wrap(self.toPlainText() + source.text())  # before Qt lays the text out
            super().insertFromMimeData(source)

    def _wrap(self, text: str) -> None:
        """Ends lines between words, or anywhere in a text with a word of more than LONGEST_WORD letters."""
        longest = max(map(len, text.split()), default=0) if len(text) > LONGEST_WORD else 0
        modes = QTextOption.WrapMode
        mode = modes.WrapAnywhere if longest > LONGEST_WORD else modes.WrapAtWordBoundaryOrAnywhere
        if mode != self.wordWrapMode():
            self.setWordWrapMode(mode)

    def _fit(self) -> None:
        self._wrap(self.toPlainText())
        lines, line = max(1, min(int(self.document().size().height()), MOST_LINES)), self.fontMetrics().lineSpacing()
        self.setFixedHeight(lines * line + self._extra_height(line) + 2 * G)

    def _extra_height(self, line: int) -> int:
        """What the first lines are higher than `line`, in pixels: those of other fonts are, as of Chinese or Hindi."""
        block, extra, lines = self.document().firstBlock(), 0.0, 0
        while block.isValid() and lines < MOST_LINES:
            count = max(1, block.layout().lineCount())
            extra += max(0.0, self.blockBoundingRect(block).height() - count * (line + 1))  # + 1: of rounding
            lines += count
            block = block.next()
        return min(math.ceil(extra), MOST_LINES * line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: Enter, Esc and the arrow up in an empty box mean something here."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_Up and not self.toPlainText():
            self.recalled.emit()
        else:
            super().keyPressEvent(event)


class Composer(QWidget):
    """The text box, its button, and a line that shows what is being edited."""

    requested = Signal(object)  # Send, SendSound, ReplacePrompt, EditPrompt or Stop

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editing: int | None = None
        self._running = False
        self._enabled = True
        self._problem = ""
        self.edit = PromptEdit()
        self.button = QPushButton()
        self.button.setMinimumWidth(96)
        text = self.tr("Editing an earlier prompt: Enter sends it as a new branch, Esc cancels.")
        self._note = label(text, "muted", selectable=False)
        text = self.tr("No chat template: the model continues the text written so far.")
        self._completes = label(text, "muted", selectable=False)
        self.problem = label("", "error", wrap=True, selectable=False)
        for line in (self._completes, self._note, self.problem):
            line.hide()
        self.attachments = self.edit.attachments = attachments = Attachments(self)
        bottom = Qt.AlignmentFlag.AlignBottom
        row = hbox(
            (attachments.picture_button, 0, bottom), (self.edit, 1), (attachments.speech, 1), (self.button, 0, bottom)
        )
        lines = (self._completes, self._note, self.problem, attachment_column(attachments))
        vbox(*lines, row, spacing=G // 2, parent=self)
        AttachmentDrop(self, attachments)
        attachments.row.changed.connect(self._refresh)
        attachments.sound.connect(self._send_sound)
        self.edit.submitted.connect(self.submit)
        self.edit.escaped.connect(self.escape)
        self.edit.recalled.connect(lambda: self.requested.emit(EditPrompt()))
        self.edit.textChanged.connect(self._refresh)
        self.button.clicked.connect(self._press)
        self._refresh()

    def submit(self) -> None:
        """Sends the text, if that is possible now."""
        text, files = self.edit.toPlainText(), self.attachments.row.files
        if not (text.strip() or files) or self._running or not self._enabled or self._problem:
            return
        editing = self._editing
        self.cancel_edit()
        self.requested.emit(Send(text, files) if editing is None else ReplacePrompt(editing, text, files))

    def _send_sound(self, path: str) -> None:
        if self._enabled and not self._running and not self._problem and self.attachments.listens:
            self.requested.emit(SendSound(self.attachments.speech.prompt(path)))
        else:
            why = self.tr("{0} was not transcribed, as nothing can be sent now: choose the file later.")
            self.attachments.failed.emit(why.format(path))

    def begin_edit(self, id: int, text: str, files: tuple[str, ...] = ()) -> None:
        """Shows an earlier prompt for editing."""
        self.show_unsent_prompt(UnsentPrompt(text, id, files))
        self.edit.setFocus()

    def cancel_edit(self) -> None:
        """Cancels the edit and empties the box."""
        self.show_unsent_prompt(UnsentPrompt())

    @property
    def unsent_prompt(self) -> UnsentPrompt:
        """The text that is not sent, with the prompt that it edits."""
        return UnsentPrompt(self.edit.toPlainText(), self._editing, self.attachments.row.files)

    def show_unsent_prompt(self, draft: UnsentPrompt) -> None:
        """Restores an unsent prompt."""
        self._editing = draft.editing
        self._note.setVisible(draft.editing is not None)
        self.edit.setPlainText(draft.text)
        self.attachments.row.show_files(draft.files)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def set_running(self, running: bool) -> None:
        """Shows Stop in place of Send while a reply runs."""
        self._running = running
        self._refresh()

    def set_completes(self, completes: bool) -> None:
        """Shows whether the text is a question, or a text that the model continues."""
        self.edit.setPlaceholderText(self.tr("Continue the text") if completes else self.tr("Ask something"))
        self._completes.setVisible(completes)

    def set_senses(self, sees: bool, speech: SpeechChoices | None, takes_sound: bool = False) -> None:
        """Offers what the open bundle takes; one that listens takes no text."""
        self.attachments.set_senses(sees, speech, takes_sound)
        self.edit.setVisible(speech is None)
        self._refresh()

    @property
    def focus_target(self) -> QWidget:
        """What the keyboard is for now: the text, or for a bundle that listens its button, or Stop."""
        if not self.attachments.listens:
            return self.edit
        return self.button if self._running else self.attachments.speech.choose

    def set_problem(self, problem: str) -> None:
        """Sets what prevents sending; the text can be sent later. Empty: nothing."""
        self._problem = problem
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self._refresh()

    def set_enabled(self, enabled: bool) -> None:
        """Enables the composer if there is a bundle."""
        self._enabled = enabled
        self.edit.setEnabled(enabled)
        self._refresh()

    def escape(self) -> None:
        """Drops a recording that is being made, stops the running reply, or cancels an edit."""
        if self.attachments.recorder.recording:
            self.attachments.recorder.cancel()
        elif self._running:
            self.requested.emit(Stop())
        elif self._editing is not None:
            self.cancel_edit()

    def _press(self) -> None:
        self.edit.setFocus()  # the next line may disable the button
        self.escape() if self._running else self.submit()

    def _refresh(self) -> None:
        running = self._running
        self.button.setText(self.tr("Stop") if running else self.tr("Send"))
        set_tool_tip(self.button, self.tr("Ends the reply (Esc)") if running else self.tr("Sends the prompt (Enter)"))
        set_icon(self.button, "stop" if running else "send", "text" if running else "accent_text", 16)
        role = "" if running else "primary"
        if self.button.property("role") != role:
            set_role(self.button, role)
        free = self._enabled and not self._problem
        written = bool(self.edit.toPlainText().strip() or self.attachments.row.files)
        if running:  # what takes the focus is there before what has it is disabled
            self.button.setEnabled(True)
            self.button.setVisible(True)
        self.attachments.set_enabled(self._enabled, free and not running)
        self.button.setEnabled(running or (free and written))
        self.button.setVisible(running or not self.attachments.listens)


AUTOSAVE_MS = 500


class PromptAutosave(QObject):
    """Follows composer and controller. When the chat changes, it saves the old one's prompt and shows the new one's."""

    def __init__(self, composer: Composer, controller: ChatController, drafts: UnsentPrompts, parent: QObject) -> None:
        super().__init__(parent)
        self._composer, self._controller, self._drafts = composer, controller, drafts
        self._key = UNSAVED_CHAT_KEY
        self._saved = UnsentPrompt()
        self._timer = QTimer(self, singleShot=True, interval=AUTOSAVE_MS)
        self._timer.timeout.connect(self.save)
        for changed in (composer.edit.textChanged, composer.attachments.row.changed):
            changed.connect(lambda: self._timer.isActive() or self._timer.start())
        controller.reset.connect(self._on_chat)
        controller.appended.connect(lambda _id: self._on_chat())

    def show(self) -> None:
        """Shows the unsent prompt of the chat that is open at the start."""
        self._key = _key_of(self._controller.chat)
        self._show()

    def save(self) -> None:
        """Saves the unsent prompt at once, if it changed."""
        self._timer.stop()
        draft = self._composer.unsent_prompt
        if draft == self._saved:
            return
        with suppress(OSError):  # a full disk is reported when the chat itself is saved
            self._drafts.write(self._key, draft)
            self._saved = draft

    def _on_chat(self) -> None:
        key = _key_of(self._controller.chat)
        if key == self._key:
            return
        became_saved = self._key == UNSAVED_CHAT_KEY and len(self._controller.chat) <= 1
        self.save()
        self._key = key
        if became_saved:  # its first prompt was sent: the text written since belongs to it
            self._saved = UnsentPrompt()
            self.save()
        else:
            self._show()

    def _show(self) -> None:
        self._saved = self._drafts.read(self._key)
        editing = self._saved.editing
        if editing is not None and editing not in self._controller.chat:
            self._saved = UnsentPrompt(self._saved.text, files=self._saved.files)
        self._composer.show_unsent_prompt(self._saved)
        self._timer.stop()


def _key_of(chat: Conversation) -> str:
    return chat.key if len(chat) else UNSAVED_CHAT_KEY
