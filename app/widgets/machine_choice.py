"""Choices of a machine: this one, or one that was added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from app.widgets.wheel_guard import ignore_wheel

if TYPE_CHECKING:
    from app.state.machines import MachinesModel


class MachineBox(QComboBox):
    """Lists this machine and those that were added. A subclass says which one is chosen, and `refresh`es with it."""

    def __init__(self, model: MachinesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setAccessibleName(self.tr("Machine"))
        ignore_wheel(self)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda _index: self.choose(str(self.currentData())))
        model.changed.connect(self.refresh)

    @property
    def chosen(self) -> str:
        """The name of the machine; "" for this one."""
        raise NotImplementedError

    def choose(self, name: str) -> None:
        """Takes another one."""
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.read()

    def refresh(self, *_: object) -> None:
        """Show the machines and the chosen one, also where it was removed."""
        names = [one.name for one in self._model.machines]
        with QSignalBlocker(self):
            self.clear()
            self.addItem(self.tr("This machine"), "")
            for name in dict.fromkeys([*names, *([self.chosen] if self.chosen else [])]):
                self.addItem(name, name)
            self.setCurrentIndex(max(0, self.findData(self.chosen)))


class MachineChoice(MachineBox):
    """The machine that Chat, Measure and Devices use, whose state all of these share."""

    def __init__(self, model: MachinesModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        model.chosen.connect(self.refresh)
        self.refresh()

    @property
    def chosen(self) -> str:
        return self._model.current

    def choose(self, name: str) -> None:
        self._model.choose(name)
