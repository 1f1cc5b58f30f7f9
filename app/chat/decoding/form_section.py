"""The section for the form of a reply: any, a JSON schema, a regular expression or a Lark grammar."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.chat.decoding.collapsible import CollapsibleSection
from app.chat.decoding.decoding_options import Form, ReplyForms
from app.chat.decoding.form_check import FormCheck, FormFinding
from app.chat.decoding.form_editor import FormEditor
from app.text.formatting import pluralize
from app.widgets import button, label
from app.widgets.layouts import hbox
from app.widgets.wheel_guard import ignore_wheel


class FormSection(CollapsibleSection):
    """`changed` gives the ReplyForms that the user chose and wrote; `check` validates the chosen one."""

    changed = Signal(object)
    problemChanged = Signal()  # noqa: N815 - as Qt names signals

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(
            self.tr("Form of the reply"), self.tr("Only tokens that keep the reply within this form are generated.")
        )
        self._forms = ReplyForms()
        self.problem = ""
        self.editor: FormEditor | None = None
        self.check = FormCheck(self)
        self.check.found.connect(self._on_found)
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
        self.said = label("", "error", wrap=True)
        self.body.addWidget(self.kind)
        self.body.addLayout(hbox((self.lines, 1), self.edit))
        self.body.addWidget(self.said)
        self.show_forms(ReplyForms())

    def show_forms(self, forms: ReplyForms) -> None:
        """Shows the forms without emitting `changed`."""
        self._forms = forms
        self.kind.setCurrentIndex(self.kind.findData(forms.kind))
        self._follow()

    def open_editor(self) -> None:
        """Opens the editor of the chosen form."""
        if self.editor is None:
            self.editor = FormEditor(self.window())
            self.editor.changed.connect(self._write)
        self._follow()
        self.editor.show()
        self.editor.activateWindow()
        self.editor.text.setFocus()

    def _choose(self) -> None:
        kind: Form | None = self.kind.currentData()
        self._forms = replace(self._forms, kind=kind)
        self._follow()
        self.changed.emit(self._forms)
        if kind is not None and not self._forms.text(kind).strip():
            self.open_editor()
        elif kind is None and self.editor is not None:
            self.editor.hide()

    def _write(self, text: str) -> None:
        kind = self._forms.kind
        if kind is not None:
            self._forms = self._forms.written(kind, text)
            self._follow()
            self.changed.emit(self._forms)

    def _follow(self) -> None:
        """Updates editor, check and texts to the chosen form."""
        kind = self._forms.kind
        text = "" if kind is None else self._forms.text(kind)
        for one in (self.edit, self.lines):
            one.setVisible(kind is not None)
        self.lines.setText(pluralize(len(text.splitlines()), self.tr("1 line"), self.tr("{0} lines")))
        self.set_summary(self.tr("free") if kind is None else self.kind.currentText())
        if self.editor is not None and kind is not None:
            self.editor.show_form(kind, self.kind.currentText(), text)
        self.check.look(kind, text)

    def _on_found(self, finding: FormFinding) -> None:
        if self.editor is not None:
            self.editor.show_finding(finding)
        self.said.setText(finding.words)
        self.said.setVisible(bool(finding.words))
        if finding.words != self.problem:
            self.problem = finding.words
            self.problemChanged.emit()
