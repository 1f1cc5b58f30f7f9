"""The chips above the composer: what makes the next reply, and each of its settings that is not at its default.

    panel, controller, DecodingController ──changed──▶ ActiveSettings ──▶ SettingChipRow ──remove──▶ panel
    SettingChipRow:  [ qwen3-demo: loaded on cpu ] [ Sampling: Greedy ] [ Form: JSON schema  × ]  Undo

A chip shows its field in the side panel, its cross resets the setting, and Undo restores the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from app.chat.bundle_opener import BundleOpener
from app.chat.controller import ChatController
from app.chat.decoding.decoding_options import DecodingOptions
from app.chat.panel_controller import PanelController
from app.chat.preset_picker import apply_preset
from app.chat.sampling import SamplingSettings
from app.chat.settings_panel import SettingsPanel
from app.text.formatting import pluralize
from app.widgets import button
from app.widgets.actions import tool_button
from app.widgets.layouts import FlowLayout, hbox
from app.widgets.plain_text import set_tool_tip

LONGEST = 32
"""Characters of a chip's value that are shown; its tool tip shows more."""


@dataclass(frozen=True, slots=True)
class ActiveSetting:
    """The bundle, its adapter, the sampling, or a setting that is not at its default.

    place: its field in the side panel. remove: resets it; None at its default. restore: sets its current value again.
    """

    name: str
    value: str
    place: QWidget = field(compare=False)
    remove: Callable[[], object] | None = field(default=None, compare=False)
    restore: Callable[[], object] = field(default=lambda: None, compare=False)

    @property
    def changed(self) -> bool:
        """Whether it is not at its default."""
        return self.remove is not None

    @property
    def key(self) -> tuple[str, str, bool]:
        """Settings with the same key have the same chip."""
        return self.name, self.value, self.changed

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
        self.name_button = QPushButton(setting.title.replace("&", "&&"))
        self.name_button.setAccessibleName(setting.title)
        self.name_button.setProperty("role", "chip")
        set_tool_tip(self.name_button, f"{setting.name}: {setting.value[:500]}")
        self.remove_button = tool_button("close", self.tr("Remove {0}").format(setting.title), "muted")
        self.remove_button.setProperty("role", "chip")
        self.name_button.clicked.connect(lambda _checked=False: self.opened.emit())
        self.remove_button.clicked.connect(lambda _checked=False: self.removed.emit())
        hbox(self.name_button, self.remove_button, spacing=0, margins=(2, 0, 2, 0), parent=self)
        self.remove_button.setVisible(setting.changed)  # in its parent: else it is a window of its own for a moment
        self.setFixedHeight(self.remove_button.sizeHint().height() + 2)


class SettingChipRow(QWidget):
    """Hidden without chips. `opened` gives a clicked chip's ActiveSetting. after: the widget before it in tab order."""

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
        old = {chip.setting.key: chip for chip in self.chips}
        self.chips = [self._reusable_chip(old, setting) or self._make(setting) for setting in settings]
        for gone in old.values():
            gone.hide()
            gone.deleteLater()
        for part in (*self.chips, self.undo):
            self._flow.removeWidget(part)
            self._flow.addWidget(part)
        order = [
            self._after,
            *(part for chip in self.chips for part in (chip.name_button, chip.remove_button)),
            self.undo,
        ]
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)  # Qt puts a new widget at the end of the tab order
        self._fit()

    def clear_undo(self) -> None:
        """Removes the Undo button."""
        self._removed = None
        self._fit()

    def _reusable_chip(
        self, old: dict[tuple[str, str, bool], SettingChip], setting: ActiveSetting
    ) -> SettingChip | None:
        if setting.key not in old:
            return None
        chip = old.pop(setting.key)
        chip.setting = setting  # its `restore` may set another value
        return chip

    def _make(self, setting: ActiveSetting) -> SettingChip:
        chip = SettingChip(setting, self)
        chip.opened.connect(lambda: self.opened.emit(chip.setting))
        chip.removed.connect(lambda: self._remove(chip))
        chip.show()
        return chip

    def _remove(self, chip: SettingChip) -> None:
        had_focus = chip.remove_button.hasFocus()
        self._removed = chip.setting
        if chip.setting.remove is not None:
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
            (back.name_button if back is not None else self).setFocus()

    def _fit(self) -> None:
        removed = self._removed
        self.undo.setVisible(removed is not None)
        if removed is not None:
            words = self.tr("Undo: restore {0}").format(removed.title)
            self.undo.setAccessibleName(words)
            set_tool_tip(self.undo, words)
        self.setVisible(bool(self.chips) or removed is not None)


class ActiveSettings(QObject):
    """Fills `row`. show: scrolls to a widget of the side panel."""

    def __init__(
        self,
        panel: SettingsPanel,
        controller: ChatController,
        choices: PanelController,
        opener: BundleOpener,
        row: SettingChipRow,
        show: Callable[[QWidget], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._panel, self._controller, self._choices, self._row = panel, controller, choices, row
        self._opener = opener
        self._key = controller.chat.key
        row.opened.connect(lambda setting: show(setting.place))
        applied = choices.decoding.applied, choices.sampling_shown, panel.adapter.changed
        for changed in (panel.system_changed, panel.opening.changed, *applied):
            changed.connect(self.refresh)
        controller.reset.connect(self._on_reset)
        controller.appended.connect(lambda _id: row.clear_undo())
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Updates the chips."""
        settings = [*self._bundle(), *self._adapter(), *self._sampling(), *self._texts(), *self._decoding()]
        self._row.show_settings(settings)
        self._panel.mark_changed([one.place for one in settings if one.changed])

    def _on_reset(self) -> None:
        key = self._controller.chat.key
        if key != self._key:
            self._key = key
            self._row.clear_undo()
        self.refresh()

    def _bundle(self) -> list[ActiveSetting]:
        opener = self._opener
        return [ActiveSetting(opener.title, opener.status, self._panel.provider)] if opener.path else []

    def _adapter(self) -> list[ActiveSetting]:
        """Of a bundle with adapters, always: one is chosen, or the model alone."""
        part = self._panel.adapter
        if part.isHidden():
            return []
        remove = partial(part.choose, "") if part.chosen else None
        restore = partial(part.choose, part.chosen)
        return [ActiveSetting(self.tr("Adapter"), part.chosen or self.tr("none"), part.combo, remove, restore)]

    def _texts(self) -> list[ActiveSetting]:
        panel = self._panel
        fields: list[tuple[str, QLineEdit | QPlainTextEdit]] = [
            (self.tr("System prompt"), panel.system),
            (self.tr("Begins with"), panel.opening.prefill),
            (self.tr("Tools"), panel.opening.tools),
        ]
        settings = []
        for name, edit in fields:
            text = edit.text() if isinstance(edit, QLineEdit) else edit.toPlainText()
            write = edit.setText if isinstance(edit, QLineEdit) else edit.setPlainText
            if text.strip() or (text and isinstance(edit, QLineEdit)):
                settings.append(ActiveSetting(name, text, edit, edit.clear, partial(write, text)))
        return settings

    def _sampling(self) -> list[ActiveSetting]:
        now, default = self._controller.sampling, self._choices.default_sampling
        chain, set_sampling = self._controller.decoding.chain, self._choices.set_sampling
        settings = []
        drawn, rest = apply_preset(now, default), apply_preset(default, now)
        if chain is None:  # a chain replaces these
            box = self._panel.presets.box
            remove = partial(self._change_sampling, partial(apply_preset, default)) if drawn != default else None
            restore = partial(self._change_sampling, partial(apply_preset, now))
            settings.append(ActiveSetting(self.tr("Sampling"), box.currentText(), box, remove, restore))
        if rest != default:
            remove = partial(set_sampling, apply_preset(now, default))
            place = self._panel.spin("max_new_tokens")
            settings.append(
                ActiveSetting(self.tr("Limits"), self._limits(now, default), place, remove, partial(set_sampling, now))
            )
        return settings

    def _change_sampling(self, change: Callable[[SamplingSettings], SamplingSettings]) -> None:
        self._choices.set_sampling(change(self._controller.sampling))

    def _limits(self, now: SamplingSettings, default: SamplingSettings) -> str:
        parts = []
        if now.max_new_tokens != default.max_new_tokens:
            parts.append(pluralize(now.max_new_tokens, self.tr("1 token"), self.tr("{0} tokens")))
        if now.seed != default.seed:
            parts.append(self.tr("seed {0}").format("–" if now.seed is None else now.seed))
        if now.stop != default.stop:
            parts.append(pluralize(len(now.stop), self.tr("1 stop string"), self.tr("{0} stop strings")))
        return ", ".join(parts)

    def _decoding(self) -> list[ActiveSetting]:
        options, default, part = self._controller.decoding, DecodingOptions(), self._panel.decoding
        settings = []
        if options.forms.kind is not None:
            kind = part.form.kind
            title = kind.itemText(kind.findData(options.forms.kind))
            settings.append(self._choice(self.tr("Form"), title, kind, forms=replace(options.forms, kind=None)))
        if options.chain is not None:
            ops = pluralize(len(options.chain), self.tr("1 op"), self.tr("{0} ops"))
            settings.append(self._choice(self.tr("Chain"), ops, part.chain.list, chain=None))
        if options.drafts != default.drafts:
            source = part.drafts.source
            named = (
                Path(options.draft).name
                if options.drafts == "bundle"
                else source.itemText(source.findData(options.drafts))
            )
            settings.append(self._choice(self.tr("Drafts"), named, source, drafts=default.drafts, draft=default.draft))
        if options.num_beams != default.num_beams:
            settings.append(self._choice(self.tr("Beams"), str(options.num_beams), part.beams.count, num_beams=1))
        return settings

    def _choice(self, name: str, value: str, place: QWidget, **default: Any) -> ActiveSetting:
        """default: the default values of fields of DecodingOptions; Undo restores their current values."""
        now = {field: getattr(self._controller.decoding, field) for field in default}
        return ActiveSetting(name, value, place, partial(self._change, default), partial(self._change, now))

    def _change(self, fields: dict[str, Any]) -> None:
        self._choices.decoding.choose(replace(self._controller.decoding, **fields))
