"""Side panel: which adapter of the bundle makes the next reply; hidden for a bundle without adapters."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.text.translatable import tr
from app.widgets import Section, label
from app.widgets.wheel_guard import ignore_wheel


class AdapterSection(Section):
    """`changed` follows each change of the choice."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Adapter"), parent=parent)
        self.combo = ignore_wheel(QComboBox())
        self.combo.setAccessibleName(tr("Adapter"))
        self.body.addWidget(self.combo)
        text = self.tr("After a switch the model reads the chat anew: the cache is of the weights before.")
        self.body.addWidget(label(text, "muted", wrap=True))
        self.combo.currentIndexChanged.connect(lambda _index: self.changed.emit())
        self.offer([])

    @property
    def chosen(self) -> str:
        """The name of the adapter; empty for the model alone."""
        return str(self.combo.currentData() or "")

    def offer(self, adapters: Sequence[str]) -> None:
        """Lists the adapters of the bundle; keeps the choice if it is among them."""
        chosen = self.chosen
        self.combo.blockSignals(True)
        self.combo.clear()
        self.combo.addItem(self.tr("None: the model alone"), "")
        for adapter in adapters:
            self.combo.addItem(adapter, adapter)
        self.combo.blockSignals(False)
        self.setVisible(bool(adapters))
        self.choose(chosen)
        self.changed.emit()

    def choose(self, adapter: str) -> None:
        """Chooses an adapter; the model alone if it is not offered."""
        self.combo.setCurrentIndex(max(0, self.combo.findData(adapter)))
