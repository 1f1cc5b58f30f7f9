"""A dialog that shows the code of a checkpoint, file by file with line numbers, before the code may run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QListWidget, QPlainTextEdit, QWidget

from app.widgets.basics import label
from app.widgets.layouts import hbox, vbox
from app.widgets.theme import G, mono_font

MAX_FILE_BYTES = 4 << 20
"""The largest file in bytes that is shown. Nobody reads a longer one, so no consent to it is possible."""


class NumberedTextView(QWidget):
    """Read-only text with a column of line numbers that is not copied with the text."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.numbers = QPlainTextEdit(), QPlainTextEdit()
        self.numbers.setAccessibleName(self.tr("Line numbers"))
        for part in (self.text, self.numbers):
            part.setReadOnly(True)
            part.setFont(mono_font())
            part.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            part.setProperty("role", "code")
        self.numbers.setFixedWidth(8 * G)
        self.numbers.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.numbers.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.numbers.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # keeps the columns aligned
        self.numbers.setViewportMargins(0, 0, 0, self.text.horizontalScrollBar().sizeHint().height())
        self.text.verticalScrollBar().valueChanged.connect(self.numbers.verticalScrollBar().setValue)
        hbox(self.numbers, (self.text, 1), parent=self, spacing=0)

    def show_text(self, text: str) -> None:
        """Show a text from its beginning."""
        self.text.setPlainText(text)
        self.numbers.setPlainText("\n".join(str(n + 1) for n in range(self.text.blockCount())))


class CodeDialog(QDialog):
    """The code files of one checkpoint. seen: the names of the files shown with the hashes of the probe."""

    read = Signal()
    """Every file was shown."""

    def __init__(self, folder: Path, files: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Code of the checkpoint"))
        self._folder, self._files = folder, dict(files)
        self.seen: set[str] = set()
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Files"))
        self.list.setMaximumWidth(32 * G)
        self.list.addItems(sorted(files))
        self.code = NumberedTextView()
        self.code.text.setAccessibleName(self.tr("Text of the file"))
        self.status = label("", "muted", wrap=True)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        row = hbox(self.list, (self.code, 1))
        vbox((row, 1), self.status, close, parent=self, margins=None, spacing=None)
        self.list.currentTextChanged.connect(self._show)
        self.list.setCurrentRow(0)

    def sizeHint(self) -> QSize:
        return QSize(112 * G, 75 * G)

    def _show(self, name: str) -> None:
        try:
            with (self._folder / name).open("rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            self._show_text("", self.tr("{0} cannot be read: {1}.").format(name, str(error.strerror)))
            return
        if len(data) > MAX_FILE_BYTES or hashlib.sha256(data).hexdigest() != self._files[name]:
            self._show_text(
                "", self.tr("{0} has changed since the source was read: read the source again.").format(name)
            )
            return
        self.seen.add(name)
        left = sorted(set(self._files) - self.seen)
        rest = self.tr("Not opened yet: {0}").format(", ".join(left))
        self._show_text(data.decode("utf-8", "replace"), rest if left else self.tr("Every file was opened."))
        if not left:
            self.read.emit()

    def _show_text(self, text: str, status_text: str) -> None:
        self.code.show_text(text)
        self.status.setText(status_text)
