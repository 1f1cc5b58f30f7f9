"""The filters of the table of runs: a text, and one choice per column."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from app.state.run_rows import COLUMNS, RunRow
from app.widgets.theme import G

CHOICES = ("kind", "bundle", "precision", "provider")


class RunFilters(QWidget):
    """`changed` is emitted when `text` or `choices` changed."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Filter"))
        self.field.setAccessibleName(self.tr("Filter the runs"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(lambda _: self.changed.emit())
        everything = {
            "kind": self.tr("All kinds"),
            "bundle": self.tr("All bundles"),
            "precision": self.tr("All precisions"),
            "provider": self.tr("All providers"),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(G)
        row.addWidget(self.field, 1)
        self.boxes = {key: QComboBox() for key in CHOICES}
        for key, box in self.boxes.items():
            box.setAccessibleName(everything[key])
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(9)
            box.addItem(everything[key], "")
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
            row.addWidget(box)
        self.setFocusProxy(self.field)

    @property
    def text(self) -> str:
        """The typed text."""
        return self.field.text()

    @property
    def choices(self) -> dict[str, str]:
        """Column → the text that its cells must have; columns without a choice are absent."""
        return {key: str(box.currentData()) for key, box in self.boxes.items() if box.currentData()}

    def offer(self, lines: Sequence[RunRow]) -> None:
        """List the texts of each column; the chosen one stays, even if no line has it any more."""
        for key, box in self.boxes.items():
            at, chosen = COLUMNS.index(key), str(box.currentData())
            texts = sorted(({line.texts[at] for line in lines} | {chosen}) - {""})
            if texts == [box.itemData(index) for index in range(1, box.count())]:
                continue
            box.blockSignals(True)
            while box.count() > 1:
                box.removeItem(1)
            for text in texts:
                box.addItem(text, text)
            box.setCurrentIndex(max(box.findData(chosen), 0))
            box.blockSignals(False)

    def clear(self) -> None:
        """Show all lines."""
        self.field.clear()
        for box in self.boxes.values():
            box.setCurrentIndex(0)
