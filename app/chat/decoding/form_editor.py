"""The editor of a form: text in a fixed-width font, its problem, examples, files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QMenu, QPlainTextEdit, QTextEdit, QWidget

from app.chat.decoding.decoding_options import Form
from app.text.translatable import tr
from app.widgets import button, label, set_role
from app.widgets.file_suffix import suggested_file
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G, mono_font, theme
from workflows.common.files import write_atomically


@dataclass(frozen=True, slots=True)
class FormExample:
    """A form, and its name."""

    title: str
    text: str


def _object(**properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_PERSON = _object(name={"type": "string", "maxLength": 40}, age={"type": "integer", "minimum": 0, "maximum": 130})
_LIST = _object(items={"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 30}})
_CHOICE = _object(answer={"enum": ["yes", "no", "unknown"]})


def form_examples(kind: Form) -> list[FormExample]:
    """The examples of a kind, the simplest first."""
    if kind == "json_schema":
        titled = ((tr("A person"), _PERSON), (tr("A list of items"), _LIST), (tr("One of several values"), _CHOICE))
        return [FormExample(title, json.dumps(schema, indent=2)) for title, schema in titled]
    if kind == "regex":
        return [
            FormExample(tr("Yes or no"), "yes|no"),
            FormExample(tr("A whole number"), "-?[0-9]{1,9}"),
            FormExample(tr("A date"), "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
        ]
    return [
        FormExample(tr("One of several words"), 'start: "red" | "green" | "blue"\n'),
        FormExample(tr("Sums"), 'start: number (("+" | "-") number)*\nnumber: /[0-9]{1,3}/\n'),
    ]


LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class FormFinding:
    """The problem of a form, one sentence, and its character (-1 if unknown). Empty: no problem, if `sure`."""

    problem: str = ""
    position: int = -1
    sure: bool = True


class FormEditor(QDialog):
    """A dialog that is not modal. `changed` gives the text as it is typed."""

    changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind: Form = "json_schema"
        self.text = QPlainTextEdit()
        self.text.setFont(mono_font())
        self.text.setProperty("role", "code")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.place = label("", "muted")
        self.status = label("", "muted", wrap=True)
        self.begin = button(self.tr("Begin with …"), "file")
        self.begin.setMenu(QMenu(self.begin))
        self._lay_out()
        self.text.textChanged.connect(lambda: self.changed.emit(self.text.toPlainText()))
        self.text.cursorPositionChanged.connect(self._show_position)
        self._show_position()
        self.resize(76 * G, 64 * G)  # 70 characters, 30 lines

    def _lay_out(self) -> None:
        load = button(self.tr("Open a file …"), "folder", clicked=self._choose_load)
        save = button(self.tr("Save …"), "save", clicked=self._choose_save)
        foot = hbox((self.status, 1), (self.place, 0, Qt.AlignmentFlag.AlignTop))
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        vbox(hbox(self.begin, load, save, STRETCH), (self.text, 1), foot, close, margins=None, parent=self)

    def show_form(self, kind: Form, title: str, text: str) -> None:
        """Shows another form without emitting `changed`."""
        self._kind = kind
        self.setWindowTitle(title)
        self.text.setAccessibleName(title)
        if text != self.text.toPlainText():
            self.text.blockSignals(True)
            self.text.setPlainText(text)
            self.text.blockSignals(False)
            self._show_position()
        menu = self.begin.menu()
        menu.clear()
        for example in form_examples(kind):
            menu.addAction(example.title).triggered.connect(partial(self.write, example.text))

    def write(self, text: str, *_: object) -> None:
        """Replaces the text, as one step that can be undone."""
        cursor = QTextCursor(self.text.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.text.setFocus()

    def show_finding(self, finding: FormFinding) -> None:
        """Shows the problem, and where it is."""
        well = self.tr("Valid.") if finding.sure else self.tr("Checking …")
        self._show_status(finding.problem or well, bool(finding.problem))
        marks = []
        if finding.position >= 0:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.text.document())
            end = max(0, self.text.document().characterCount() - 1)
            cursor.setPosition(max(0, min(finding.position, end) - (finding.position >= end)))
            cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor)
            look = QTextCharFormat()
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            look.setUnderlineColor(theme().color("error"))
            mark.cursor, mark.format = cursor, look
            marks.append(mark)
        self.text.setExtraSelections(marks)

    def load(self, file: Path) -> None:
        """Loads a file; if it cannot be read, the text stays."""
        try:
            with file.open("rb") as opened:
                data = opened.read(LONGEST + 1)
            text = data.decode()
        except OSError as error:
            self._show_status(self.tr("{0} cannot be read: {1}.").format(file, error.strerror), True)
        except UnicodeDecodeError:
            self._show_status(self.tr("{0} cannot be read: {1}.").format(file, self.tr("it is not UTF-8 text")), True)
        else:
            if len(data) > LONGEST:
                self._show_status(self.tr("{0} cannot be read: {1}.").format(file, self.tr("it is over 1 MiB")), True)
            else:
                self.write(text)

    def save(self, file: Path) -> None:
        """Saves the text to a file."""
        try:
            write_atomically(file, self.text.toPlainText().encode())
        except OSError as error:
            why = error.strerror or type(error).__name__
            self._show_status(self.tr("{0} cannot be written: {1}.").format(file, why), True)

    def _show_status(self, words: str, wrong: bool) -> None:
        self.status.setText(words)
        set_role(self.status, "error" if wrong else "muted")

    def _show_position(self) -> None:
        cursor = self.text.textCursor()
        line, column = cursor.blockNumber() + 1, cursor.positionInBlock() + 1
        self.place.setText(self.tr("line {0}, column {1}").format(line, column))

    def _kinds(self) -> tuple[str, str]:
        if self._kind == "json_schema":
            return self.tr("JSON (*.json);;All files (*)"), "schema.json"
        if self._kind == "grammar":
            return self.tr("Lark grammars (*.lark);;All files (*)"), "grammar.lark"
        return self.tr("Text (*.txt);;All files (*)"), "regex.txt"

    def _choose_load(self) -> None:
        name, _kind = QFileDialog.getOpenFileName(self, self.windowTitle(), "", self._kinds()[0])
        if name:
            self.load(Path(name))

    def _choose_save(self) -> None:
        kinds, called = self._kinds()
        name, _kind = QFileDialog.getSaveFileName(self, self.windowTitle(), suggested_file(called), kinds)
        if name:
            self.save(Path(name))
