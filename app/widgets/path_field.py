"""A field for a path with a button that opens a file dialog."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QWidget

from app.widgets.basics import button
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G


class PathField(QWidget):
    """`picked` has the path chosen in the dialog. Subclasses implement the dialog and the button's text."""

    picked = Signal(str)

    def __init__(self, field: QLineEdit | QComboBox, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edit = field
        self.browse = button("", "folder", clicked=self._pick)
        self.browse.setAccessibleName(self.button_text())
        set_tool_tip(self.browse, self.button_text())
        hbox((field, 1), self.browse, parent=self, spacing=G // 2)
        self.setFocusProxy(field)

    def button_text(self) -> str:
        raise NotImplementedError

    def choose_path(self, title: str) -> str:
        """Open a dialog with a title; returns the chosen path, or "" if cancelled."""
        raise NotImplementedError

    def _pick(self) -> None:
        path = self.choose_path(self._edit.accessibleName())
        if path:
            self.picked.emit(path)


class FolderField(PathField):
    """A field for a folder."""

    def button_text(self) -> str:
        return self.tr("Choose a folder")

    def choose_path(self, title: str) -> str:
        return QFileDialog.getExistingDirectory(self, title, self.start())

    def start(self) -> str:
        """The folder that the dialog starts in; "" for the system's default."""
        raise NotImplementedError
