"""The side panel, in three tabs: Prompt (with prefill and tools), Sampling, Decoding (with cache and provider)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QWidget,
)

from app.chat.adapter_section import AdapterSection
from app.chat.decoding.decoding_section import DecodingSection
from app.chat.preset_picker import PresetPicker
from app.chat.sampling import SamplingSettings, parse_stops, show_stops
from app.text.translatable import tr
from app.widgets import Section, button, label, scroll_area
from app.widgets.collapsible import CollapsibleSection
from app.widgets.fields import indent_number
from app.widgets.layouts import STRETCH, grid_layout, vbox
from app.widgets.placement_editor import PlacementEditor
from app.widgets.plain_text import plain_tool_tip, set_tool_tip
from app.widgets.session_choice import SessionChoice
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.generation_options import CHAIN_OPTIONS
from workflows.wire.reports.devices import Device


class LanguageSection(Section):
    """Two combo boxes; `changed` follows a choice of the user only."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Languages"), parent=parent)
        self.source = self._combo(self.tr("From"))
        self.target = self._combo(self.tr("Into"))
        self.offer([])

    def _combo(self, title: str) -> QComboBox:
        combo = ignore_wheel(QComboBox())
        combo.setAccessibleName(title)
        combo.activated.connect(lambda _index: self.changed.emit())
        self.body.addWidget(label(title, "small", selectable=False))
        self.body.addWidget(combo)
        return combo

    def offer(self, languages: Sequence[str]) -> None:
        """Lists the languages of the opened bundle; keeps the choice if it is among them."""
        for combo in (self.source, self.target):
            chosen = combo.currentData()
            combo.clear()
            combo.addItem(self.tr("Default of the checkpoint"), None)
            for language in languages:
                combo.addItem(language, language)
            combo.setCurrentIndex(max(0, combo.findData(chosen)) if chosen else 0)
        self.setVisible(bool(languages))

    def to_options(self) -> dict[str, str]:
        """The options of a generate request, without languages that are not chosen or not offered."""
        if self.isHidden():
            return {}
        chosen = {"source_language": self.source.currentData(), "target_language": self.target.currentData()}
        return {name: str(language) for name, language in chosen.items() if language}


def _text_box(name: str, height: int, hint: str = "") -> QPlainTextEdit:
    box = QPlainTextEdit()
    box.setAccessibleName(name)
    box.setPlaceholderText(hint)
    box.setTabChangesFocus(True)
    box.setFixedHeight(height)
    box.document().setDocumentMargin(G - 2)
    return box


class PrefillSection(Section):
    """`changed` gives the prefill and the tools' JSON text; `unreadable` a file and the reason."""

    changed = Signal(str, str)
    unreadable = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Reply"), parent=parent)
        self.prefill = QLineEdit()
        self.prefill.setPlaceholderText(self.tr("Nothing"))
        self.prefill.setAccessibleName(self.tr("The reply begins with"))
        set_tool_tip(self.prefill, self.tr("The model continues this text as if it had written it."))
        self.tools = _text_box(self.tr("Tools"), 7 * G, self.tr("None"))
        set_tool_tip(self.tools, self.tr("A JSON list of functions, for chat templates that support tools."))
        self.file_button = button(self.tr("Open a file …"), role="link", clicked=self._choose_file)
        self.begins = CollapsibleSection(self.tr("Begins with"), self.prefill.toolTip())
        self.begins.body.addWidget(self.prefill)
        self.functions = CollapsibleSection(self.tr("Tools"), self.tools.toolTip())
        self.functions.body.addWidget(self.tools)
        self.functions.body.addWidget(self.file_button)
        self.body.addWidget(self.begins)
        self.body.addWidget(self.functions)
        self._summarize()
        self.prefill.textChanged.connect(self._emit_changed)
        self.tools.textChanged.connect(self._emit_changed)

    def show_prefill(self, prefill: str, tools: str) -> None:
        """Shows the chat's values without emitting `changed`."""
        with QSignalBlocker(self):
            if prefill != self.prefill.text():
                self.prefill.setText(prefill)
            if tools != self.tools.toPlainText().strip():
                self.tools.setPlainText(tools)
        self._summarize()

    def _summarize(self) -> None:
        nothing = self.tr("nothing")
        self.begins.set_summary(self.prefill.text() or nothing)
        self.functions.set_summary(" ".join(self.tools.toPlainText().split()) or nothing)

    def load(self, path: Path) -> None:
        """Reads the tools from a file."""
        try:
            self.tools.setPlainText(path.read_text("utf-8"))
        except OSError as error:
            self.unreadable.emit(str(path), error.strerror or type(error).__name__)
        except UnicodeDecodeError:
            self.unreadable.emit(str(path), self.tr("it is not UTF-8 text"))

    def _choose_file(self) -> None:
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("Tools"), "", self.tr("JSON (*.json);;All files (*)"))
        if name:
            self.load(Path(name))

    def _emit_changed(self, *_: object) -> None:
        self._summarize()
        self.changed.emit(self.prefill.text(), self.tools.toPlainText())


WIDTH = 296
_REAL = {
    "temperature": (0.0, 2.0, 0.05),
    "top_p": (0.01, 1.0, 0.01),
    "min_p": (0.0, 1.0, 0.01),
    "repetition_penalty": (1.0, 2.0, 0.01),
}
_WHOLE = {"top_k": (0, 1_000_000), "max_new_tokens": (1, 1_000_000), "seed": (-1, 2_147_483_647)}
_IDLE_WHEN_GREEDY = ("top_k", "top_p", "min_p", "seed")
_FIRST = ("temperature", "max_new_tokens")
"""What a person changes who only chats; the others are folded."""


def _titles() -> dict[str, tuple[str, str]]:
    """Sampling setting → what it is called, and what it does."""
    return {
        "temperature": (tr("Temperature"), tr("0 always takes the most probable token.")),
        "max_new_tokens": (tr("Max new tokens"), tr("The maximum number of tokens of a reply.")),
        "top_k": (tr("Top-k"), tr("Only the k most probable tokens; 0 is off.")),
        "top_p": (tr("Top-p"), tr("Only the most probable tokens that together reach p; 1 is off.")),
        "min_p": (tr("Min-p"), tr("Only tokens at least this probable relative to the best; 0 is off.")),
        "repetition_penalty": (tr("Repetition penalty"), tr("Makes earlier tokens less likely; 1 is off.")),
        "seed": (tr("Seed"), tr("The same seed samples the same tokens.")),
    }


class SettingsPanel(QWidget):
    """The settings of the next reply. `session_changed` means that the bundle must be opened again."""

    system_changed = Signal(str)
    sampling_changed = Signal(object)  # SamplingSettings
    session_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(WIDTH)
        self._spins: dict[str, QSpinBox | QDoubleSpinBox] = {}
        self.opening, self.languages, self.decoding = PrefillSection(), LanguageSection(), DecodingSection()
        self.adapter = AdapterSection()
        self.decoding.shown.connect(self._update_enabled)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.tr("Settings of the next reply"))
        self._pages: list[tuple[str, QScrollArea, QWidget]] = []  # title, and the content within its area
        self._add_tab(self.tr("Prompt"), self._system_part(), self.adapter, self.opening, self.languages)
        self._add_tab(self.tr("Sampling"), self._sampling_part())
        self._add_tab(self.tr("Decoding"), self._session_part(), self.decoding)
        vbox(self.tabs, parent=self)
        self.set_sampling(SamplingSettings())

    def _add_tab(self, title: str, *sections: Section) -> None:
        content = QWidget()
        vbox(*sections, STRETCH, spacing=3 * G, margins=2 * G, parent=content)
        area = scroll_area(content)
        content.installEventFilter(self)
        self._pages.append((title, area, content))
        self.tabs.addTab(area, title)

    def offer_prompt(self, offered: bool) -> None:
        """Shows the tab of the prompt, or hides it for a bundle that takes none."""
        self.tabs.setTabVisible(0, offered)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: a section may have been unfolded."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Widens the panel if another language or a larger font needs more than WIDTH."""
        needed = max(
            content.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width()
            for _, area, content in self._pages
        )
        self.setFixedWidth(max(WIDTH, needed, self.tabs.tabBar().sizeHint().width()))

    def mark_changed(self, places: Collection[QWidget]) -> None:
        """Shows a dot on each tab that has one of these fields: settings that are not at their defaults."""
        for index, (title, area, _) in enumerate(self._pages):
            changed = any(area.isAncestorOf(place) for place in places)
            self.tabs.setTabText(index, f"{title} •" if changed else title)
            tip = self.tr("Not everything here is at its default.") if changed else ""
            self.tabs.setTabToolTip(index, plain_tool_tip(tip))

    def _system_part(self) -> Section:
        part = Section(self.tr("System prompt"))
        self.system = _text_box(self.tr("System prompt"), 9 * G, self.tr("None"))
        self.system.textChanged.connect(lambda: self.system_changed.emit(self.system.toPlainText()))
        part.body.addWidget(self.system)
        return part

    def _sampling_part(self) -> Section:
        part = Section(self.tr("Sampling"))
        self.reset_button = button(self.tr("Reset"), role="link", clicked=self._reset)
        set_tool_tip(self.reset_button, self.tr("Reset to greedy, with everything else off"))
        part.header.addWidget(self.reset_button)
        self.presets = PresetPicker()
        part.body.addWidget(self.presets)
        part.body.addLayout(self._grid(_FIRST))
        part.body.addWidget(self._more_part())
        return part

    def _grid(self, names: Sequence[str]) -> QGridLayout:
        grid = grid_layout(stretch=(0,))
        for row, name in enumerate(names):
            title, tip = _titles()[name]
            caption = label(title, "small", wrap=True, selectable=False)
            spin = self._spin(name)
            spin.setAccessibleName(title)
            set_tool_tip(spin, tip)
            set_tool_tip(caption, tip)
            caption.setBuddy(spin)
            grid.addWidget(caption, row, 0)
            grid.addWidget(spin, row, 1)
        return grid

    def _more_part(self) -> CollapsibleSection:
        """The settings that few change, with those that are on beside the title."""
        self.more = CollapsibleSection(self.tr("More"), self.tr("Limits of the choice, repetition, seed, stop strings"))
        self.more.body.addLayout(self._grid([name for name in _titles() if name not in _FIRST]))
        self.more.body.addWidget(label(self.tr("Stop strings, one a line"), "small", selectable=False))
        self.stops = _text_box(self.tr("Stop strings"), 7 * G)
        set_tool_tip(self.stops, self.tr("The reply ends before any of these; \\n stands for a line end."))
        self.stops.textChanged.connect(self._emit_sampling)
        self.more.body.addWidget(self.stops)
        return self.more

    def _spin(self, name: str) -> QSpinBox | QDoubleSpinBox:
        spin: QSpinBox | QDoubleSpinBox
        if name in _REAL:
            low, high, step = _REAL[name]
            real = spin = QDoubleSpinBox()
            real.setDecimals(2)
            real.setRange(low, high)
            real.setSingleStep(step)
        else:
            whole = spin = QSpinBox()
            whole.setRange(*_WHOLE[name])
            whole.setGroupSeparatorShown(name == "max_new_tokens")
        special = {"top_k": self.tr("off"), "min_p": self.tr("off")}
        special |= {"repetition_penalty": self.tr("off"), "seed": self.tr("random")}
        spin.setSpecialValueText(special.get(name, ""))
        spin.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.UpDownArrows)
        spin.setFixedWidth(14 * G)
        spin.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        spin.valueChanged.connect(self._emit_sampling)
        self._spins[name] = ignore_wheel(indent_number(spin))
        return spin

    def _session_part(self) -> Section:
        part = Section(self.tr("Session"), self.tr("A change opens the bundle again; the conversation stays."))
        self.session_section = part
        self.choice = SessionChoice(self)
        self.cache, self.provider = self.choice.cache, self.choice.provider
        self.choice.changed.connect(self.session_changed)
        for title, combo in ((self.tr("Cache layout"), self.cache), (self.tr("Provider"), self.provider)):
            part.body.addWidget(label(title, "small", selectable=False))
            part.body.addWidget(combo)
        self.placement = PlacementEditor()
        self.placement.changed.connect(self.session_changed)
        part.body.addWidget(self.placement)
        return part

    def set_devices(self, devices: list[Device]) -> None:
        """Lists the devices for the whole bundle and each component."""
        self.choice.set_devices(devices)
        self.placement.set_devices(devices)

    def sampling(self) -> SamplingSettings:
        """The current sampling settings."""
        real: dict[str, Any] = {name: round(self._spins[name].value(), 2) for name in _REAL}
        whole: dict[str, Any] = {name: int(self._spins[name].value()) for name in _WHOLE}
        seed = None if whole["seed"] < 0 else whole["seed"]
        return SamplingSettings(**real | whole | {"seed": seed, "stop": parse_stops(self.stops.toPlainText())})

    def set_sampling(self, s: SamplingSettings) -> None:
        """Shows settings without emitting `sampling_changed`."""
        for name, spin in self._spins.items():
            with QSignalBlocker(spin):
                value: Any = getattr(s, name)
                spin.setValue(-1 if value is None else value)
        with QSignalBlocker(self.stops):
            self.stops.setPlainText(show_stops(s.stop))
        self._show_effects()

    def set_system(self, text: str) -> None:
        """Shows a system prompt without emitting `system_changed`."""
        if text != self.system.toPlainText():
            with QSignalBlocker(self.system):
                self.system.setPlainText(text)

    def set_running(self, running: bool) -> None:
        """Disables the session's settings while a reply runs."""
        for field in (self.cache, self.provider, self.placement):
            field.setEnabled(not running)

    def reveal(self, place: QWidget) -> None:
        """Shows a field's tab, scrolls to it, unfolds its section, and gives it the focus."""
        area = next(area for _, area, _ in self._pages if area.isAncestorOf(place))
        self.tabs.setCurrentWidget(area)
        parent = place.parentWidget()
        while parent is not None and parent is not self:
            if isinstance(parent, CollapsibleSection):
                parent.unfold(True)
            parent = parent.parentWidget()
        QTimer.singleShot(0, place, lambda: area.ensureWidgetVisible(place, 0, 4 * G))  # once it has its place
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    def _reset(self) -> None:
        self.set_sampling(SamplingSettings())
        self._emit_sampling()

    def _show_effects(self) -> None:
        """Updates what depends on the sampling settings."""
        now, usual = self.sampling(), SamplingSettings()
        self.decoding.set_sampling(now)
        self.presets.select_matching(now)
        on = [one for one in _titles() if one not in _FIRST and getattr(now, one) != getattr(usual, one)]
        texts = [f"{_titles()[one][0]} {self._spins[one].text()}" for one in on]
        texts += [self.tr("Stop strings")] * bool(now.stop)
        self.more.set_summary(", ".join(texts) or self.tr("off"))

    def _emit_sampling(self) -> None:
        self._show_effects()
        self.sampling_changed.emit(self.sampling())

    def _update_enabled(self) -> None:
        own = self.decoding.chain.own
        self.presets.setEnabled(not own)
        for name in {*CHAIN_OPTIONS, *_IDLE_WHEN_GREEDY}:
            idle = name in _IDLE_WHEN_GREEDY and not self.decoding.drawn
            self._spins[name].setEnabled(not idle and not (own and name in CHAIN_OPTIONS))

    def spin(self, name: str) -> QSpinBox | QDoubleSpinBox:
        """The spin box of a setting."""
        return self._spins[name]
