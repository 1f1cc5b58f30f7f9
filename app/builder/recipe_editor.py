"""Review page: the recipe as editable JSON; the engine validates it and names the line of an error.

text ──JSON──▶ difference from the plan ──UnsavedRecipe.set_options──▶ the plan accepts it, or the engine's message
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit

from app.state.json_file import parse_json
from app.state.unsaved_recipe import UnsavedRecipe
from app.text.translatable import tr
from app.widgets.basics import button, label, set_role
from app.widgets.collapsible import CollapsibleSection
from app.widgets.file_suffix import suggested_file
from app.widgets.layouts import STRETCH, hbox
from app.widgets.theme import G, mono_font
from workflows.common.files import write_atomically
from workflows.wire.requests import Options


class RecipeEditor(CollapsibleSection):
    """Follows the plan unless the user is typing. problem: the error in the text, empty if there is none.

    Undo reverts what was typed or loaded here; a change made on another page is the start of a new history.
    """

    changed = Signal()

    def __init__(self, draft: UnsavedRecipe) -> None:
        super().__init__(tr("Recipe as JSON"), tr("Every setting of the build; it can be edited, loaded and saved"))
        self._draft = draft
        self._own: Options | None = None
        """The options that the text has set; the plan of any others comes from another page."""
        self._base: Options = {}
        """The options of the displayed plan."""
        self.problem = ""
        self.text = QPlainTextEdit()
        self.text.setFont(mono_font())
        self.text.setProperty("role", "code")
        self.text.setAccessibleName(tr("Recipe as JSON"))
        self.text.setMinimumHeight(30 * G)
        self.text.setTabChangesFocus(True)
        self.status = label("", "muted", wrap=True)
        self._delay = QTimer(self, interval=400, singleShot=True)
        self._delay.timeout.connect(self._apply_text)
        self._showing = False
        self.text.textChanged.connect(self._on_text)
        self.undo = button(self.tr("Undo"), "undo", clicked=self.text.undo)
        self.text.undoAvailable.connect(self.undo.setEnabled)
        self.undo.setEnabled(False)
        row = hbox(
            self.undo,
            STRETCH,
            button(self.tr("Load a recipe …"), "folder", clicked=self._ask_load),
            button(self.tr("Save …"), "save", clicked=self._ask_save),
        )
        for part in (self.text, self.status):
            self.body.addWidget(part)
        self.body.addLayout(row)
        draft.planned.connect(self.show_plan)

    @property
    def is_unchecked(self) -> bool:
        """Whether the typed text is not checked yet."""
        return self._delay.isActive()

    def show_plan(self) -> None:
        """Show the plan's recipe, or the engine's message about the text."""
        plan, error = self._draft.plan, self._draft.plan_error
        if error is not None:
            self._show_problem(self._with_line(error.message))
        elif plan is not None and not self.is_unchecked:
            self._base = dict(self._draft.options)
            text = json.dumps(plan.recipe, indent=2, ensure_ascii=False)
            if self._read() != plan.recipe:
                self._write(text, own=self._draft.options == self._own)
            self._show_problem("")

    def _write(self, text: str, own: bool) -> None:
        """Replace the text; the cursor stays about where it was. own: as one step that can be undone."""
        self._showing = True
        cursor = self.text.textCursor()
        place = cursor.position()
        if own:
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(text)
        else:
            self.text.setPlainText(text)  # which empties the history of undo
        cursor.setPosition(min(place, len(text)))
        self.text.setTextCursor(cursor)
        self._showing = False

    def _read(self) -> object:
        """The parsed text; None if it is not JSON."""
        try:
            return parse_json(self.text.toPlainText())
        except ValueError:
            return None

    def _on_text(self) -> None:
        if not self._showing:
            self._delay.start()
            self.changed.emit()

    def _apply_text(self) -> None:
        """Plan the text if it is valid JSON."""
        try:
            values = parse_json(self.text.toPlainText())
        except json.JSONDecodeError as error:
            self._show_problem(self.tr("Line {0}: {1}.").format(str(error.lineno), error.msg))
            return
        except ValueError as error:
            self._show_problem(str(error))
            return
        if not isinstance(values, dict):
            self._show_problem(self.tr("A recipe is a JSON object: { … }."))
            return
        self.apply({str(key): value for key, value in values.items()})

    def apply(self, values: Options) -> None:
        """Set a recipe's options: those that differ from the plan are chosen, missing ones return to their default."""
        plan = self._draft.plan
        known = plan.recipe if plan else {}
        options = {key: value for key, value in self._base.items() if key in values}
        options |= {key: value for key, value in values.items() if key != "source" and known.get(key) != value}
        self._own = dict(options)
        if options == self._draft.options:
            self.show_plan()
        else:
            self._draft.set_options(options)

    def _with_line(self, message: str) -> str:
        """An error with the line of the setting that it names, if it names one."""
        lines = self.text.toPlainText().splitlines()
        for word in reversed(re.findall(r"\w+", message.split(" is wrong")[0])):
            for number, text in enumerate(lines, 1):
                if text.strip().startswith(f'"{word}":'):
                    return self.tr("Line {0}: {1}").format(str(number), message)
        return message

    def _show_problem(self, problem: str) -> None:
        self.problem = problem
        if problem:
            self.unfold(True)
        self.status.setText(problem or self.tr("You can edit the recipe here; errors are shown below it."))
        set_role(self.status, "error" if problem else "muted")
        self.changed.emit()

    def _ask_load(self) -> None:
        kinds = self.tr("Recipes (*.json);;All files (*)")
        file, _kind = QFileDialog.getOpenFileName(self, self.tr("Load a recipe"), "", kinds)
        if file:
            self.load(Path(file))

    def load(self, file: Path) -> None:
        """Load a recipe file into the text; it fits any checkpoint of its family."""
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else self.tr("it is not a text file")
            self._show_problem(self.tr("{0} cannot be read: {1}.").format(str(file), str(why)))
            return
        self._write(text, own=True)
        self._delay.stop()
        self._apply_text()

    def _ask_save(self) -> None:
        kinds = self.tr("Recipes (*.json)")
        file, _kind = QFileDialog.getSaveFileName(
            self, self.tr("Save the recipe"), suggested_file("recipe.json"), kinds
        )
        if file:
            self.save(Path(file))

    def save(self, file: Path) -> None:
        try:
            write_atomically(file, (self.text.toPlainText().rstrip() + "\n").encode())
        except OSError as error:
            why = error.strerror or type(error).__name__
            self._show_problem(self.tr("{0} cannot be written: {1}.").format(str(file), why))
