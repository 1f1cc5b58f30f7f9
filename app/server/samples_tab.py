"""The tab "Samples": programs that ask the chosen bundle, to copy."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.server.samples import TOKEN_VARIABLE, SampleTarget, curl_sample, javascript_sample, python_sample, request_kind
from app.state.context import AppContext
from app.widgets.basics import CardFrame, button, label, scroll_area
from app.widgets.fields import combo_box
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G, mono_font
from app.widgets.wheel_guard import ignore_wheel


class SampleCard(CardFrame):
    """One sample with its copy button. note: what it needs."""

    def __init__(self, name: str, note: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.text = ""
        self.code = QPlainTextEdit()
        self.code.setReadOnly(True)
        self.code.setFont(mono_font())
        self.code.setProperty("role", "code")
        self.code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.code.setAccessibleName(self.tr("Sample in {0}").format(name))
        self.copy = button(self.tr("Copy"), "copy", clicked=self._copy)
        self.copy.setAccessibleName(self.tr("Copy the sample in {0}").format(name))
        self.body.setContentsMargins(2 * G, G, 2 * G, G)
        self.body.addLayout(hbox(label(name, "heading"), (label(note, "muted", wrap=True), 1), self.copy))
        self.body.addWidget(self.code)

    def show_text(self, text: str) -> None:
        """Shows another sample, in as many lines as it has."""
        if text != self.text:
            self.text = text
            self.code.setPlainText(text.rstrip("\n"))
            bar = self.code.horizontalScrollBar().sizeHint().height()
            self.code.setFixedHeight(text.count("\n") * self.code.fontMetrics().lineSpacing() + bar + 2 * G)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)


class SamplesTab(QWidget):
    """The samples for one of the served bundles, at the server's address, or at the one that it will have."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._server = context, context.server
        self.bundle = ignore_wheel(combo_box(self.tr("Bundle that the samples ask"), width=24))
        self.bundle.activated.connect(lambda _: self._show())
        self.note = label("", "muted", wrap=True)
        self.cards = {
            "curl": SampleCard("curl", self.tr("In a shell of Linux or macOS.")),
            "python": SampleCard("Python", self.tr("With OpenAI's package: pip install openai")),
            "javascript": SampleCard("JavaScript", self.tr("A module (.mjs) for Node 20 or newer, without a package.")),
        }
        content = QWidget()
        row = hbox(label(self.tr("Ask the bundle")), self.bundle, STRETCH)
        vbox(row, self.note, *self.cards.values(), STRETCH, parent=content, margins=2 * G, spacing=G)
        vbox(scroll_area(content), parent=self)
        self._server.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Lists the bundles, and writes the samples for the chosen one."""
        names = list(self._server.options.bundles)
        if names != [self.bundle.itemText(row) for row in range(self.bundle.count())]:
            chosen = self.bundle.currentText()
            self.bundle.clear()
            self.bundle.addItems(names)
            self.bundle.setCurrentIndex(max(self.bundle.findText(chosen), 0))
        self._show()

    def _show(self) -> None:
        options, name = self._server.options, self.bundle.currentText()
        for card in self.cards.values():
            card.setVisible(bool(name))
        self.note.setText(self._needs() if name else self.tr("Add a bundle under Setup; its samples appear here."))
        self.note.setVisible(bool(self.note.text()))
        if not name:
            return
        kind = request_kind(self._context.describe(options.bundles[name]))
        target = SampleTarget(self._server.client_address, name, kind, bool(options.token))
        self.cards["curl"].show_text(curl_sample(target))
        self.cards["python"].show_text(python_sample(target))
        self.cards["javascript"].show_text(javascript_sample(target))

    def _needs(self) -> str:
        options = self._server.options
        parts = []
        if options.token:
            parts.append(self.tr("The samples read the token from the variable {0}.").format(TOKEN_VARIABLE))
        if options.certificate:
            file = Path(options.certificate).name
            text = self.tr(
                "A certificate of one's own is trusted with SSL_CERT_FILE={0} (Python), NODE_EXTRA_CA_CERTS={0} "
                "(JavaScript) and --cacert {0} (curl)."
            )
            parts.append(text.format(file))
        return " ".join(parts)
