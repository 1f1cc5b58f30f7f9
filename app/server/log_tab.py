"""The tab "Log": the server's last lines."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.state.server import ServerModel
from app.widgets.basics import button, label
from app.widgets.layouts import hbox, vbox
from app.widgets.theme import G, mono_font


class LogTab(QWidget):
    """What `server` wrote."""

    def __init__(self, server: ServerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.text.setProperty("role", "log")
        self.text.setAccessibleName(self.tr("Log of the server"))
        self.text.setPlaceholderText(self.tr("The server's lines appear here once it was started."))
        self.text.setMaximumBlockCount(server.lines.maxlen or 0)
        self.text.setPlainText("\n".join(server.lines))
        self.copy = button(self.tr("Copy"), "copy", clicked=self._copy)
        self.copy.setAccessibleName(self.tr("Copy the log"))
        text = self.tr("Starts, stops and what went wrong; prompts and replies are not logged.")
        note = label(text, "muted", wrap=True)
        vbox(hbox((note, 1), self.copy), (self.text, 1), parent=self, margins=2 * G)
        server.logged.connect(self.text.appendPlainText)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
