"""The settings of the next reply that are not at their default, as chips.

panel, controller, DecodingController ──changed──▶ ActiveSettings ──settings──▶ SettingChipRow ──remove──▶ panel
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from app.chat.controller import ChatController
from app.chat.decoding.decoding_options import DecodingOptions
from app.chat.panel_controller import PanelController
from app.chat.preset_picker import apply_preset
from app.chat.sampling import SamplingSettings
from app.chat.setting_chips import ActiveSetting, SettingChipRow
from app.chat.settings_panel import SettingsPanel
from app.text.formatting import pluralize


class ActiveSettings(QObject):
    """Fills `row`. show: scrolls to a widget of the side panel."""

    def __init__(
        self,
        panel: SettingsPanel,
        controller: ChatController,
        choices: PanelController,
        row: SettingChipRow,
        show: Callable[[QWidget], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._panel, self._controller, self._choices, self._row = panel, controller, choices, row
        self._key = controller.chat.key
        row.opened.connect(lambda setting: show(setting.place))
        for changed in (panel.system_changed, panel.opening.changed, choices.sampling_shown, choices.decoding.applied):
            changed.connect(self.refresh)
        controller.reset.connect(self._on_reset)
        controller.appended.connect(lambda _id: row.clear_undo())
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Updates the chips."""
        self._row.show_settings([*self._texts(), *self._sampling(), *self._decoding()])

    def _on_reset(self) -> None:
        key = self._controller.chat.key
        if key != self._key:
            self._key = key
            self._row.clear_undo()
        self.refresh()

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
        if drawn != default and chain is None:  # a chain stands in place of these
            shown = self._panel.presets.box.currentText()
            settings.append(
                ActiveSetting(
                    self.tr("Sampling"),
                    shown,
                    self._panel.presets.box,
                    partial(self._change_sampling, partial(apply_preset, default)),
                    partial(self._change_sampling, partial(apply_preset, now)),
                )
            )
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
