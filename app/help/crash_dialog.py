"""The report of a window that a fault ended, and the note at the next start that offers it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from app.startup.crash_reports import crash_time, take_new_report
from app.state.context import AppContext
from app.text.formatting import format_local_time
from app.text.translatable import tr
from app.widgets.basics import button, label
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G, mono_font
from workflows.common.files import try_remove


def note_crash(context: AppContext, window: QWidget) -> None:
    """Notes that a window before this one ended by a fault, if one did, with its report behind "Show"."""
    report = take_new_report(context.home)
    if report is not None:
        when = format_local_time(crash_time(report))
        text = tr("Joinery's window ended by a fault on {0}.").format(when)
        context.show_note(text, tr("Show"), lambda: CrashDialog(report, window).show(), owner={})


class CrashDialog(QDialog):
    """One report, to read, to copy, to open and to delete."""

    def __init__(self, report: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Crash report"))
        self._report = report
        self.text = QPlainTextEdit(report.read_text("utf-8", "replace") if report.is_file() else "")
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setProperty("role", "code")
        self.text.setAccessibleName(self.tr("Crash report"))
        about = self.tr(
            "What the program did when it ended: versions and lines of code, without prompts or texts of yours. "
            "The report is on this machine alone; nothing was sent."
        )
        copy = partial(QGuiApplication.clipboard().setText, self.text.toPlainText())
        self.copy_button = button(self.tr("Copy"), "copy", clicked=copy)
        self.open_button = button(self.tr("Open the folder"), "folder", clicked=self._open_folder)
        self.delete_button = button(self.tr("Delete"), "trash", "danger", self.delete)
        close = button(self.tr("Close"), clicked=self.close)
        row = hbox(self.copy_button, self.open_button, self.delete_button, STRETCH, close)
        vbox(label(about, wrap=True), (self.text, 1), row, parent=self, margins=2 * G)

    def sizeHint(self) -> QSize:
        """Room for the lines of a stack (Qt's name)."""
        return QSize(100 * G, 60 * G)

    def delete(self) -> None:
        """Delete the report and close."""
        try_remove(self._report)
        self.close()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._report.parent)))
