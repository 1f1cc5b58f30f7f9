"""A field for a bundle: a recent one by name, or a typed path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QWidget

from app.widgets.fields import combo_box
from app.widgets.path_field import FolderField
from app.widgets.plain_text import set_tool_tip

if TYPE_CHECKING:
    from app.state.recent_bundles import RecentBundles


Unfit = Callable[[Mapping[str, Any]], str]
"""Why the bundle with a summary cannot be chosen; empty if it can."""


class BundleField(FolderField):
    """A combo box and a button that opens a folder dialog; `path` is the chosen or typed path.

    Bundles that cannot be chosen are disabled, with the reason as their tool tip.
    """

    def __init__(
        self, recents: RecentBundles, name: str, hint: str, parent: QWidget | None = None, unfit: Unfit = lambda _: ""
    ) -> None:
        self.field, self._unfit = combo_box(name, width=12), unfit
        super().__init__(self.field, parent)
        self._recents = recents
        self.field.setEditable(True)
        self.field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        set_tool_tip(self.field, name)
        edit = self.field.lineEdit()
        assert edit is not None
        edit.setPlaceholderText(hint)
        self.picked.connect(self.choose)
        self._offer: tuple[str, str] | None = None
        self.changed = self.field.editTextChanged
        recents.changed.connect(self.refill)
        self.refill()

    @property
    def path(self) -> str:
        """The path of the chosen bundle, or the typed text."""
        text = self.field.currentText().strip()
        index = self.field.findText(text)
        return str(self.field.itemData(index)) if text and index >= 0 else text

    def choose(self, path: str) -> None:
        """Show the bundle at `path`, by its name if it is in the list."""
        index = self.field.findData(path)
        if index >= 0:
            self.field.setCurrentIndex(index)
        else:
            self.field.setEditText(path)
        edit = self.field.lineEdit()
        assert edit is not None
        edit.setCursorPosition(0)  # the beginning is visible, not the end

    def offer(self, text: str, path: str) -> None:
        """List something that is no recent bundle before them; an empty path removes it."""
        wanted = (text, path) if path else None
        if wanted != self._offer:
            self._offer = wanted
            self.refill()

    def refill(self) -> None:
        """List the recent bundles; the current path stays."""
        path = self.path
        self.field.blockSignals(True)
        self.field.clear()
        if self._offer is not None:
            self.field.addItem(*self._offer)
        for entry in self._recents.entries:
            if not entry.problem:
                self.field.addItem(self._recents.label_of(entry), entry.path)
                self._describe(self.field.count() - 1, entry.path, self._unfit(entry.summary))
        self.field.setCurrentIndex(-1)
        self.choose(path)
        self.field.blockSignals(False)

    def _describe(self, row: int, path: str, reason: str) -> None:
        model = self.field.model()
        assert isinstance(model, QStandardItemModel)  # the model of every combo box
        set_tool_tip(model.item(row), f"{path}\n{reason}" if reason else path)
        model.item(row).setEnabled(not reason)

    def start(self) -> str:
        """The parent of the current bundle."""
        return str(Path(self.path).parent) if self.path else ""
