"""The section for the form of a reply: any, a JSON schema, a regular expression or a Lark grammar.

text ──0.4 s──▶ JSON? ──▶ `checkRequested` ──a worker──▶ `answer` ──▶ `checked`: "", or one sentence
"""

from __future__ import annotations

import json
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.chat.decoding.decoding_options import Form, ReplyForms
from app.chat.decoding.form_editor import FormEditor, FormFinding
from app.state.json_file import parse_json
from app.text.formatting import pluralize
from app.text.translatable import tr
from app.widgets import button, label
from app.widgets.collapsible import CollapsibleSection
from app.widgets.layouts import hbox
from app.widgets.wheel_guard import ignore_wheel

SOON_MS = 400


class FormCheck(QObject):
    """Validates one text at a time. `checkRequested` (kind, text) requests a worker's result for `answer`."""

    checkRequested = Signal(str, str)  # noqa: N815
    checked = Signal(object)  # FormFinding

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kind: Form | None = None
        self._text = ""
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._request_check)

    def validate(self, kind: Form | None, text: str) -> None:
        """Validates another text; a problem of its JSON is reported at once."""
        self._kind, self._text = kind, text
        finding = self.json_finding()
        self.checked.emit(finding)
        if kind is None or finding.problem:
            self._soon.stop()
        else:
            self._soon.start()

    def answer(self, kind: str, text: str, problem: str) -> None:
        """Takes a worker's result; one about another text is ignored."""
        if (kind, text) == (self._kind, self._text):
            self.checked.emit(FormFinding(problem))

    def json_finding(self) -> FormFinding:
        """The problem that is known without a worker."""
        if self._kind is None:
            return FormFinding()
        if not self._text.strip():
            return FormFinding(self.tr("The form is empty: write one, or begin with an example."))
        if self._kind != "json_schema":
            return FormFinding(sure=False)
        try:
            schema = parse_json(self._text)
        except json.JSONDecodeError as error:
            words = self.tr("Line {0}, column {1}: {2}.").format(error.lineno, error.colno, error.msg)
            return FormFinding(words, error.pos)
        except ValueError as error:
            return FormFinding(str(error))
        if not isinstance(schema, (dict, bool)):
            return FormFinding(self.tr("A JSON schema is an object: { … }."))
        return FormFinding(sure=False)

    def _request_check(self) -> None:
        if self._kind is not None:
            self.checkRequested.emit(self._kind, self._text)


class FormSection(CollapsibleSection):
    """`changed` gives the ReplyForms that the user chose and wrote; `check` validates the chosen one."""

    changed = Signal(object)
    problemChanged = Signal()  # noqa: N815 - as Qt names signals

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Form of the reply"), tr("Only tokens that match this form are generated."), parent)
        self._forms = ReplyForms()
        self.problem = ""
        self.editor: FormEditor | None = None
        self.check = FormCheck(self)
        self.check.checked.connect(self._on_checked)
        self.kind = ignore_wheel(QComboBox())
        self.kind.setAccessibleName(self.head.text())
        for title, value in (
            (self.tr("Free"), None),
            (self.tr("JSON schema"), "json_schema"),
            (self.tr("Regular expression"), "regex"),
            (self.tr("Lark grammar"), "grammar"),
        ):
            self.kind.addItem(title, value)
        self.kind.activated.connect(lambda _index: self._choose())
        self.lines = label("", "muted")
        self.edit = button(self.tr("Edit …"), "edit", clicked=self.open_editor)
        self.problem_label = label("", "error", wrap=True)
        self.body.addWidget(self.kind)
        self.body.addLayout(hbox((self.lines, 1), self.edit))
        self.body.addWidget(self.problem_label)
        self.show_forms(ReplyForms())

    def show_forms(self, forms: ReplyForms) -> None:
        """Shows the forms without emitting `changed`."""
        self._forms = forms
        self.kind.setCurrentIndex(self.kind.findData(forms.kind))
        self._update_parts()

    def open_editor(self) -> None:
        """Opens the editor of the chosen form."""
        if self.editor is None:
            self.editor = FormEditor(self.window())
            self.editor.changed.connect(self._write)
        self._update_parts()
        self.editor.show()
        self.editor.activateWindow()
        self.editor.text.setFocus()

    def _choose(self) -> None:
        kind: Form | None = self.kind.currentData()
        self._forms = replace(self._forms, kind=kind)
        self._update_parts()
        self.changed.emit(self._forms)
        if kind is not None and not self._forms.text(kind).strip():
            self.open_editor()
        elif kind is None and self.editor is not None:
            self.editor.hide()

    def _write(self, text: str) -> None:
        kind = self._forms.kind
        if kind is not None:
            self._forms = self._forms.with_text(kind, text)
            self._update_parts()
            self.changed.emit(self._forms)

    def _update_parts(self) -> None:
        """Updates editor, check and texts to the chosen form."""
        kind = self._forms.kind
        text = "" if kind is None else self._forms.text(kind)
        for one in (self.edit, self.lines):
            one.setVisible(kind is not None)
        self.lines.setText(pluralize(len(text.splitlines()), self.tr("1 line"), self.tr("{0} lines")))
        self.set_summary(self.tr("free") if kind is None else self.kind.currentText())
        if self.editor is not None and kind is not None:
            self.editor.show_form(kind, self.kind.currentText(), text)
        self.check.validate(kind, text)

    def _on_checked(self, finding: FormFinding) -> None:
        if self.editor is not None:
            self.editor.show_finding(finding)
        self.problem_label.setText(finding.problem)
        self.problem_label.setVisible(bool(finding.problem))
        if finding.problem != self.problem:
            self.problem = finding.problem
            self.problemChanged.emit()
