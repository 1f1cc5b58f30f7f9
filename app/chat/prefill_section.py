"""The section of the side panel for the reply's prefill and the model's tools."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPlainTextEdit, QWidget

from app.widgets import Section, button, label
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G


class PrefillSection(Section):
    """`changed` gives the prefill and the tools' JSON text; `unreadable` a file and the reason."""

    changed = Signal(str, str)
    unreadable = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.heading.setText(self.tr("Reply"))
        self.prefill = QLineEdit()
        self.prefill.setPlaceholderText(self.tr("Nothing"))
        self.prefill.setAccessibleName(self.tr("The reply begins with"))
        set_tool_tip(self.prefill, self.tr("The model continues this text as if it had written it."))
        self.tools = QPlainTextEdit()
        self.tools.setPlaceholderText(self.tr("None"))
        self.tools.setAccessibleName(self.tr("Tools"))
        set_tool_tip(self.tools, self.tr("A JSON list of functions, for a chat template that takes them."))
        self.tools.setTabChangesFocus(True)
        self.tools.setFixedHeight(7 * G)
        self.tools.document().setDocumentMargin(G - 2)
        self.file_button = button(self.tr("Open a file …"), role="link", clicked=self._choose_file)
        self.body.addWidget(label(self.tr("Begins with"), "small", selectable=False))
        self.body.addWidget(self.prefill)
        self.body.addWidget(label(self.tr("Tools, as JSON"), "small", selectable=False))
        self.body.addWidget(self.tools)
        self.body.addWidget(self.file_button)
        self.prefill.textChanged.connect(self._emit_changed)
        self.tools.textChanged.connect(self._emit_changed)

    def show_prefill(self, prefill: str, tools: str) -> None:
        """Shows the chat's values without emitting `changed`."""
        with QSignalBlocker(self):
            if prefill != self.prefill.text():
                self.prefill.setText(prefill)
            if tools != self.tools.toPlainText().strip():
                self.tools.setPlainText(tools)

    def load(self, path: Path) -> None:
        """Reads the tools from a file."""
        try:
            self.tools.setPlainText(path.read_text("utf-8"))
        except OSError as error:
            self.unreadable.emit(str(path), error.strerror or type(error).__name__)
        except UnicodeDecodeError:
            self.unreadable.emit(str(path), self.tr("it is not UTF-8 text"))

    def _choose_file(self) -> None:
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("Tools"), "", self.tr("JSON (*.json);;All files (*)"))
        if name:
            self.load(Path(name))

    def _emit_changed(self, *_: object) -> None:
        self.changed.emit(self.prefill.text(), self.tools.toPlainText())
