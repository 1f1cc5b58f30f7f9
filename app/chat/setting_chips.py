"""The chips above the composer: one for each setting of the next reply that is not at its default.

    SettingChipRow:  [ Form: JSON schema  × ] [ Begins with: Sure  × ]  Undo

A chip shows its field in the side panel, its cross resets the setting, and Undo restores the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QToolButton, QWidget

from app.widgets import button
from app.widgets.flow_layout import FlowLayout
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import set_icon

LONGEST = 32
"""Characters of a chip's value that are shown; its tool tip shows more."""


@dataclass(frozen=True, slots=True)
class ActiveSetting:
    """A setting that is not at its default.

    remove: resets it. restore: sets its current value again. place: its field in the side panel.
    """

    name: str
    value: str
    place: QWidget = field(compare=False)
    remove: Callable[[], object] = field(compare=False)
    restore: Callable[[], object] = field(compare=False)

    @property
    def title(self) -> str:
        """The text of the chip."""
        line = " ".join(self.value.split())
        return f"{self.name}: {line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'}"


class SettingChip(QFrame):
    """A setting, and the button that resets it."""

    opened = Signal()
    removed = Signal()

    def __init__(self, setting: ActiveSetting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self.setProperty("role", "chip")
        self.words = QPushButton(setting.title.replace("&", "&&"))
        self.words.setAccessibleName(setting.title)
        self.words.setProperty("role", "chip")
        set_tool_tip(self.words, f"{setting.name}: {setting.value[:500]}")
        self.cross = QToolButton()
        self.cross.setProperty("role", "chip")
        set_icon(self.cross, "close", "muted", 12)
        remove = self.tr("Remove {0}").format(setting.title)
        self.cross.setAccessibleName(remove)
        set_tool_tip(self.cross, remove)
        self.words.clicked.connect(lambda _checked=False: self.opened.emit())
        self.cross.clicked.connect(lambda _checked=False: self.removed.emit())
        hbox(self.words, self.cross, spacing=0, margins=(2, 0, 2, 0), parent=self)


class SettingChipRow(QWidget):
    """Hidden if there are no chips. `opened` gives the ActiveSetting of a clicked chip.

    after: the widget before the chips in the tab order.
    """

    opened = Signal(object)

    def __init__(self, after: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._after = after
        self.setAccessibleName(self.tr("Settings of the next reply"))
        self.chips: list[SettingChip] = []
        self._removed: ActiveSetting | None = None
        self._flow = FlowLayout(self)
        self.undo = button(self.tr("Undo"), role="link", clicked=self._restore)
        self.undo.hide()
        self._flow.addWidget(self.undo)
        self.hide()

    def show_settings(self, settings: Sequence[ActiveSetting]) -> None:
        """Shows other chips; chips with the same text keep their widgets."""
        old = {chip.setting: chip for chip in self.chips}
        self.chips = [self._reusable_chip(old, setting) or self._make(setting) for setting in settings]
        for gone in old.values():
            gone.hide()
            gone.deleteLater()
        for part in (*self.chips, self.undo):
            self._flow.removeWidget(part)
            self._flow.addWidget(part)
        order = [self._after, *(part for chip in self.chips for part in (chip.words, chip.cross)), self.undo]
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)  # a new chip would come after all that the window has
        self._fit()

    def clear_undo(self) -> None:
        """Removes the Undo button."""
        self._removed = None
        self._fit()

    def _reusable_chip(self, old: dict[ActiveSetting, SettingChip], setting: ActiveSetting) -> SettingChip | None:
        if setting not in old:
            return None
        chip = old.pop(setting)
        chip.setting = setting  # what it restores may be another value
        return chip

    def _make(self, setting: ActiveSetting) -> SettingChip:
        chip = SettingChip(setting, self)
        chip.opened.connect(lambda: self.opened.emit(chip.setting))
        chip.removed.connect(lambda: self._remove(chip))
        chip.show()
        return chip

    def _remove(self, chip: SettingChip) -> None:
        had_focus = chip.cross.hasFocus()
        self._removed = chip.setting
        chip.setting.remove()
        self._fit()
        if had_focus:
            self.undo.setFocus()

    def _restore(self) -> None:
        removed, self._removed = self._removed, None
        had_focus = self.undo.hasFocus()
        if removed is not None:
            removed.restore()
        self._fit()
        if had_focus:
            back = next((chip for chip in self.chips if chip.setting == removed), None)
            (back.words if back is not None else self).setFocus()

    def _fit(self) -> None:
        removed = self._removed
        self.undo.setVisible(removed is not None)
        if removed is not None:
            words = self.tr("Undo: bring back {0}").format(removed.title)
            self.undo.setAccessibleName(words)
            set_tool_tip(self.undo, words)
        self.setVisible(bool(self.chips) or removed is not None)
