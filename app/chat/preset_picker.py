"""Sampling presets: built-in ones, the checkpoint's, and the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.chat.sampling import SamplingSettings
from app.state.json_file import parse_json
from app.text.translatable import tr
from app.widgets import button
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.generation_options import CHAIN_OPTIONS

GENERATION_CONFIG = Path("tokenizer") / "generation_config.json"


def built_in_presets() -> dict[str, SamplingSettings]:
    """The built-in presets by their translated names."""
    return {
        tr("Greedy"): SamplingSettings(),
        tr("Balanced"): SamplingSettings(temperature=0.7, top_k=40, top_p=0.95),
        tr("Creative"): SamplingSettings(temperature=1.0, min_p=0.05),
    }


def bundle_preset(folder: str) -> SamplingSettings | None:
    """The sampling in the checkpoint's generation_config.json; None if there is none, or it cannot be read."""
    try:
        config = parse_json((Path(folder) / GENERATION_CONFIG).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(config, dict) or not any(name in config for name in ("do_sample", *CHAIN_OPTIONS)):
        return None
    temperature = config.get("temperature", 1.0) if config.get("do_sample") else 0.0
    sampling = {name: config[name] for name in CHAIN_OPTIONS if config.get(name) is not None}
    return SamplingSettings.from_dict(sampling | {"temperature": temperature})


def apply_preset(preset: SamplingSettings, now: SamplingSettings) -> SamplingSettings:
    """`now` with the preset's sampling; reply length, seed and stop strings stay."""
    return replace(now, **{name: getattr(preset, name) for name in CHAIN_OPTIONS})


class PresetPicker(QWidget):
    """`chosen` gives a preset's SamplingSettings, `saved` a name for the current ones, `removed` a preset to delete."""

    chosen = Signal(object)
    saved = Signal(str)
    removed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presets: dict[str, SamplingSettings] = {}
        self._own: set[str] = set()
        self.box = ignore_wheel(QComboBox())
        self.box.setAccessibleName(self.tr("Preset"))
        self.box.activated.connect(lambda _index: self._choose())
        self.save = button(
            self.tr("Save as …"), role="link", clicked=lambda: self._show_name_field(self.name.isHidden())
        )
        self.remove = button(self.tr("Delete"), role="link", clicked=self._remove)
        self.name = QLineEdit()
        self.name.setPlaceholderText(self.tr("Name of the preset"))
        self.name.setAccessibleName(self.tr("Name of the preset"))
        self.name.returnPressed.connect(self._save)
        self.name.hide()
        tools = hbox(self.save, STRETCH, self.remove, spacing=None)
        vbox(self.box, self.name, tools, spacing=G // 2, parent=self)
        self.offer(None, {})

    def offer(self, bundle: SamplingSettings | None, own: Mapping[str, SamplingSettings]) -> None:
        """Lists the presets. bundle: the checkpoint's."""
        of_checkpoint = {} if bundle is None else {self.tr("The checkpoint's settings"): bundle}
        self._presets = built_in_presets() | of_checkpoint | dict(own)
        self._own = set(own)
        self.box.clear()
        self.box.addItem(self.tr("Custom"))
        self.box.addItems(list(self._presets))

    def select_matching(self, now: SamplingSettings) -> None:
        """Selects the preset that equals the current settings."""
        names = [name for name, preset in self._presets.items() if apply_preset(preset, now) == now]
        shown = self.box.currentText()
        self.box.setCurrentText(shown if shown in names else names[0] if names else self.box.itemText(0))
        self.remove.setVisible(self.box.currentText() in self._own)

    def _choose(self) -> None:
        if (preset := self._presets.get(self.box.currentText())) is not None:
            self.chosen.emit(preset)

    def _show_name_field(self, on: bool) -> None:
        self.name.setVisible(on)
        if on:
            self.name.setFocus()

    def _save(self) -> None:
        name = self.name.text().strip()
        if name and (name in self._own or name not in self._presets):
            self.name.clear()
            self._show_name_field(False)
            self.saved.emit(name)
            self.box.setCurrentText(name)
            self.remove.setVisible(True)

    def _remove(self) -> None:
        self.removed.emit(self.box.currentText())
