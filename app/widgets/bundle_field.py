"""A field for a bundle: the ones that were used last by name, or a path that is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QWidget

from app.widgets.path_field import FolderField
from app.widgets.plain_text import set_tool_tip

if TYPE_CHECKING:
    from app.state.recent_bundles import RecentBundles


Unfit = Callable[[Mapping[str, Any]], str]
"""Why the bundle of a summary cannot be chosen; empty where it can."""


class BundleField(FolderField):
    """`field` and a button that asks for a folder; `path` is what was chosen or typed.

    What cannot be chosen is dimmed, and says why.
    """

    def __init__(
        self, recents: RecentBundles, name: str, hint: str, parent: QWidget | None = None, unfit: Unfit = lambda _: ""
    ) -> None:
        self.field, self._unfit = QComboBox(), unfit
        super().__init__(self.field, parent)
        self._recents = recents
        self.field.setEditable(True)
        self.field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.field.setAccessibleName(name)
        set_tool_tip(self.field, name)
        self.field.setMinimumContentsLength(12)
        self.field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        edit = self.field.lineEdit()
        assert edit is not None
        edit.setPlaceholderText(hint)
        self.picked.connect(self.choose)
        self.changed = self.field.editTextChanged
        recents.changed.connect(self.refill)
        self.refill()

    @property
    def path(self) -> str:
        """The path of the chosen bundle, or what was typed."""
        text = self.field.currentText().strip()
        index = self.field.findText(text)
        return str(self.field.itemData(index)) if text and index >= 0 else text

    def choose(self, path: str) -> None:
        """Shows the bundle at `path`, by its name where it is in the list."""
        index = self.field.findData(path)
        if index >= 0:
            self.field.setCurrentIndex(index)
        else:
            self.field.setEditText(path)

    def refill(self) -> None:
        """The bundles that were used last; what was chosen or typed stays."""
        kept = self.path
        self.field.blockSignals(True)
        self.field.clear()
        for entry in self._recents.entries:
            if not entry.problem:
                self.field.addItem(entry.title if self._unique(entry.title) else entry.path, entry.path)
                self._tell(self.field.count() - 1, entry.path, self._unfit(entry.summary))
        self.field.setCurrentIndex(-1)
        self.choose(kept)
        self.field.blockSignals(False)

    def _tell(self, row: int, path: str, why: str) -> None:
        model = self.field.model()
        assert isinstance(model, QStandardItemModel)  # a combo box has one of its own
        set_tool_tip(model.item(row), f"{path}\n{why}" if why else path)
        model.item(row).setEnabled(not why)

    def _unique(self, title: str) -> bool:
        return sum(entry.title == title for entry in self._recents.entries) == 1

    def start(self) -> str:
        """Beside the bundle as it is."""
        return str(Path(self.path).parent) if self.path else ""
