"""Review: the recipe as JSON, which can be changed there; the engine says what is wrong with it, and in which line.

text ──JSON?──▶ what differs from the plan ──Draft.set_options──▶ planned: it stands, or the engine's sentence
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit

from app.state.json_file import parse_json
from app.state.unsaved_recipe import UnsavedRecipe
from app.widgets.basics import Section, button, label, set_role
from app.widgets.theme import G, mono_font
from workflows.common.files import write_atomically
from workflows.wire.requests import Options


class RecipeEditor(Section):
    """Follows the draft's plan while nobody types; `problem` is what is wrong with the text, empty for nothing."""

    changed = Signal()

    def __init__(self, draft: UnsavedRecipe) -> None:
        super().__init__("")
        self.heading.setText(self.tr("Recipe"))
        self._draft = draft
        self._base: Options = {}
        """The options of the plan that is shown."""
        self.problem = ""
        self.text = QPlainTextEdit()
        self.text.setFont(mono_font())
        self.text.setProperty("role", "code")
        self.text.setAccessibleName(self.tr("Recipe as JSON"))
        self.text.setMinimumHeight(30 * G)
        self.text.setTabChangesFocus(True)
        self.said = label("", "muted", wrap=True)
        self._late = QTimer(self, interval=400, singleShot=True)
        self._late.timeout.connect(self._take)
        self._showing = False
        self.text.textChanged.connect(self._on_text)
        self.undo = button(self.tr("Undo"), "undo", clicked=self.text.undo)
        self.text.undoAvailable.connect(self.undo.setEnabled)
        self.undo.setEnabled(False)
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(self.undo)
        row.addStretch(1)
        row.addWidget(button(self.tr("Load a recipe …"), "folder", clicked=self._ask_load))
        row.addWidget(button(self.tr("Save …"), "save", clicked=self._ask_save))
        for part in (self.text, self.said):
            self.body.addWidget(part)
        self.body.addLayout(row)
        draft.planned.connect(self.show_plan)

    @property
    def pending(self) -> bool:
        """Whether what was typed was not looked at yet."""
        return self._late.isActive()

    def show_plan(self) -> None:
        """The plan's recipe, or what the engine says against the text."""
        plan, error = self._draft.plan, self._draft.plan_error
        if error is not None:
            self._say(self._placed(error.message))
        elif plan is not None and not self.pending:
            self._base = dict(self._draft.options)
            if self._read() != plan.recipe:
                self._write(json.dumps(plan.recipe, indent=2, ensure_ascii=False))
            self._say("")

    def _write(self, text: str) -> None:
        """Anew, as one step that can be undone; the cursor stays about where it was."""
        self._showing = True
        place = self.text.textCursor().position()
        cursor = QTextCursor(self.text.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        cursor.setPosition(min(place, len(text)))
        self.text.setTextCursor(cursor)
        self._showing = False

    def _read(self) -> object:
        """What the text holds; None for no JSON."""
        try:
            return parse_json(self.text.toPlainText())
        except ValueError:
            return None

    def _on_text(self) -> None:
        if not self._showing:
            self._late.start()
            self.changed.emit()

    def _take(self) -> None:
        """Ask for what the text says, where it says something."""
        try:
            said = parse_json(self.text.toPlainText())
        except json.JSONDecodeError as error:
            self._say(self.tr("Line {0}: {1}.").format(str(error.lineno), error.msg))
            return
        except ValueError as error:
            self._say(str(error))
            return
        if not isinstance(said, dict):
            self._say(self.tr("A recipe is a JSON object: { … }."))
            return
        self.take({str(key): value for key, value in said.items()})

    def take(self, said: Options) -> None:
        """A recipe as options: what differs from the plan's is chosen, and what it lacks is at its default again."""
        plan = self._draft.plan
        known = plan.recipe if plan else {}
        wanted = {key: value for key, value in self._base.items() if key in said}
        wanted |= {key: value for key, value in said.items() if key != "source" and known.get(key) != value}
        if wanted == self._draft.options:
            self.show_plan()
        else:
            self._draft.set_options(wanted)

    def _placed(self, message: str) -> str:
        """An error with the line of the setting that it names, where it names one."""
        lines = self.text.toPlainText().splitlines()
        for word in reversed(re.findall(r"\w+", message.split(" is wrong")[0])):
            for number, text in enumerate(lines, 1):
                if text.strip().startswith(f'"{word}":'):
                    return self.tr("Line {0}: {1}").format(str(number), message)
        return message

    def _say(self, problem: str) -> None:
        self.problem = problem
        self.said.setText(problem or self.tr("It can be changed here; what is wrong is said below it."))
        set_role(self.said, "error" if problem else "muted")
        self.changed.emit()

    def _ask_load(self) -> None:
        kinds = self.tr("Recipes (*.json);;All files (*)")
        file, _kind = QFileDialog.getOpenFileName(self, self.tr("Load a recipe"), "", kinds)
        if file:
            self.load(Path(file))

    def load(self, file: Path) -> None:
        """A recipe file in place of the text; it serves any checkpoint of its family."""
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else self.tr("it is no text")
            self._say(self.tr("{0} cannot be read: {1}.").format(str(file), str(why)))
            return
        self._write(text)
        self._late.stop()
        self._take()

    def _ask_save(self) -> None:
        kinds = self.tr("Recipes (*.json)")
        file, _kind = QFileDialog.getSaveFileName(self, self.tr("Save the recipe"), "recipe.json", kinds)
        if file:
            self.save(Path(file))

    def save(self, file: Path) -> None:
        """The text to a file."""
        try:
            write_atomically(file, (self.text.toPlainText().rstrip() + "\n").encode())
        except OSError as error:
            why = error.strerror or type(error).__name__
            self._say(self.tr("{0} cannot be written: {1}.").format(str(file), why))
