"""The choice of the machine that Chat, Measure and Devices use: a combo box that all pages share the state of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from app.widgets.wheel_guard import ignore_wheel

if TYPE_CHECKING:
    from app.state.machines import MachinesModel


class MachineChoice(QComboBox):
    """Lists this machine and those that were added; follows the model, and sets its machine."""

    def __init__(self, model: MachinesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setAccessibleName(self.tr("Machine"))
        ignore_wheel(self)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda _index: model.choose(str(self.currentData())))
        model.changed.connect(self.refresh)
        model.chosen.connect(self.refresh)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.read()

    def refresh(self, *_: object) -> None:
        """Show the machines and the chosen one."""
        with QSignalBlocker(self):
            self.clear()
            self.addItem(self.tr("This machine"), "")
            for one in self._model.machines:
                self.addItem(one.name, one.name)
            self.setCurrentIndex(max(0, self.findData(self._model.current)))
