"""A field for a path, and the button beside it that asks for one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLineEdit, QWidget

from app.widgets.basics import button
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G


class PathField(QWidget):
    """`field` has the focus; `picked` is told of what a person named to the button. Subclasses say what that asks."""

    picked = Signal(str)

    def __init__(self, field: QLineEdit | QComboBox, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edit = field
        self.browse = button("", "folder", clicked=self._pick)
        self.browse.setAccessibleName(self.words())
        set_tool_tip(self.browse, self.words())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(G // 2)
        row.addWidget(field, 1)
        row.addWidget(self.browse)
        self.setFocusProxy(field)

    def words(self) -> str:
        """What the button does."""
        raise NotImplementedError

    def ask(self, title: str) -> str:
        """A path of a dialog of that title; "" where a person names none."""
        raise NotImplementedError

    def _pick(self) -> None:
        path = self.ask(self._edit.accessibleName())
        if path:
            self.picked.emit(path)


class FolderField(PathField):
    """One for a folder."""

    def words(self) -> str:
        """What the button does."""
        return self.tr("Choose a folder")

    def ask(self, title: str) -> str:
        """A folder."""
        return QFileDialog.getExistingDirectory(self, title, self.start())

    def start(self) -> str:
        """Where the question begins; "": where the system has it."""
        raise NotImplementedError
