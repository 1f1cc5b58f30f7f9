"""The Settings page: appearance, bundles, history, privacy. Changes are saved at once and can be undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from app.settings.settings_file import STAGES, SettingsFiles
from app.state.context import AppContext
from app.state.settings import PREFERENCES, PROVIDERS, ZOOMS, Settings, expand_home
from app.text.catalog import available_languages
from app.text.engine_text import translate_engine_text
from app.text.formatting import format_bytes, format_number
from app.widgets.actions import FocusForwarder, add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.basics import Banner, CardFrame, button, label, scroll_area
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.path_field import FolderField
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.common.errors import RequestError, describe_os_error
from workflows.common.stage_cache import read_limit, write_limit

Options = Sequence[tuple[str, str]]
"""Saved value → its text."""


class SettingRow(QWidget):
    """A preference: `control` beside its title, and the help text below both."""

    def __init__(self, title: str, text: str, control: QWidget) -> None:
        super().__init__()
        control.setAccessibleName(title)
        control.setAccessibleDescription(text)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, G // 2, 0, G // 2)
        grid.setHorizontalSpacing(2 * G)
        grid.setVerticalSpacing(0)
        grid.addLayout(vbox(label(title, selectable=False), label(text, "muted", wrap=True), spacing=2), 0, 0)
        grid.addWidget(control, 0, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)


class SettingChoice(QComboBox):
    """A combo box for one preference. A saved value that is no longer offered stays selectable."""

    def __init__(self, settings: Settings, key: str, options: Options) -> None:
        super().__init__()
        self._settings, self._key = settings, key
        ignore_wheel(self)
        for value, text in options:
            self.addItem(text, value)
        self.activated.connect(lambda _index: settings.set(key, str(self.currentData())))
        settings.changed.connect(self._show_saved)
        self._show_saved(key)

    def _show_saved(self, key: str) -> None:
        if key != self._key:
            return
        saved = self._settings.preference(key)
        if self.findData(saved) < 0:
            self.addItem(saved, saved)
        self.setCurrentIndex(self.findData(saved))


class StageCacheChoice(QComboBox):
    """A combo box for the disk limit of cached build stages. options: bytes as text; empty for the default."""

    refused = Signal(str)  # why the limit cannot be read or written

    def __init__(self, options: Options) -> None:
        super().__init__()
        ignore_wheel(self)
        for value, text in options:
            self.addItem(text, value)
        self.activated.connect(lambda _index: self.choose(str(self.currentData())))
        self._show_saved()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the limit again: another program may have changed it (Qt's name)."""
        super().showEvent(event)
        self._show_saved()

    def choose(self, value: str) -> None:
        """Set the limit from the next build on."""
        try:
            write_limit(int(value) if value else None)
        except OSError as error:
            self.refused.emit(translate_engine_text(describe_os_error(error)))
        self._show_saved()

    def _show_saved(self) -> None:
        try:
            limit = read_limit()
        except RequestError as error:
            self.refused.emit(str(error))
            return
        saved = "" if limit is None else str(limit)
        if self.findData(saved) < 0:
            self.addItem(format_bytes(int(saved)), saved)
        self.setCurrentIndex(self.findData(saved))


class SettingFolder(FolderField):
    """A folder field; typed text is saved when the field loses the focus, if it can be a folder."""

    refused = Signal(str)  # a path of a file, or an invalid path

    def __init__(self, settings: Settings, key: str, usual: Path) -> None:
        self.field = QLineEdit()
        super().__init__(self.field)
        self._settings, self._key = settings, key
        self.field.setPlaceholderText(str(usual))
        self.field.editingFinished.connect(lambda: self._save(self.field.text()))
        self.picked.connect(self._save)
        settings.changed.connect(self._show_saved)
        self._show_saved(key)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's name
        """Name the field, which has the focus (Qt's name)."""
        super().setAccessibleName(name)
        self.field.setAccessibleName(name)

    def _save(self, text: str) -> None:
        path = expand_home(text)
        if text and (not path.is_absolute() or (path.exists() and not path.is_dir())):
            self._show_saved(self._key)
            self.refused.emit(text)
            return
        self._settings.set(self._key, str(path) if text else "")

    def start(self) -> str:
        """The current folder."""
        return self.field.text() or self.field.placeholderText()

    def _show_saved(self, key: str) -> None:
        if key == self._key:
            self.field.setText(self._settings.preference(key))


HISTORY_LIMITS = (100, 1_000, 10_000)
STAGE_LIMITS = (5 << 30, 20 << 30, 100 << 30)


class SettingsPage(QWidget):
    """Follows window.ini."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        content = QWidget()
        content.setMaximumWidth(120 * G)  # the whole column: the size hint of a card ignores its own limit
        self.reset_button = button(self.tr("Reset to defaults"), "undo", clicked=self.reset)
        self.banner = Banner()
        self.files = SettingsFiles(self.banner, self.values, self._replace)
        head = hbox(label(self.tr("Settings"), "title"), STRETCH, self.files, self.reset_button)
        cards = (self._appearance(), self._bundles(), self._history(), self._privacy())
        vbox(head, *cards, STRETCH, spacing=2 * G, margins=3 * G, parent=content)
        vbox(scroll_area(content), parent=self)
        self.overlay = BannerOverlay(self, self.banner)
        FocusForwarder(self, self.theme)
        add_action(self, self.tr("Reset the settings to defaults"), self.reset, icon="undo")
        add_action(self, self.tr("Export the settings …"), self.files.choose_export, icon="save")
        add_action(self, self.tr("Import settings …"), self.files.choose_import, icon="folder")
        add_action(self, self.tr("Open Joinery's folder"), self._open_folder, icon="folder")

    def _choice(self, key: str, options: Options) -> SettingChoice:
        return SettingChoice(self._context.settings, key, options)

    def _appearance(self) -> CardFrame:
        card = CardFrame(self.tr("Appearance"))
        self.theme = self._choice(
            "theme", (("system", self.tr("System")), ("light", self.tr("Light")), ("dark", self.tr("Dark")))
        )
        card.body.addWidget(SettingRow(self.tr("Theme"), self.tr("Light, dark, or the system's choice."), self.theme))
        spoken = [(code, QLocale(code).nativeLanguageName() or code) for code in ("en", *available_languages())]
        self.language = self._choice("language", (("", self.tr("System")), *spoken))
        text = self.tr("Language of the window, from the next start on.")
        card.body.addWidget(SettingRow(self.tr("Language"), text, self.language))
        self.zoom = self._choice("zoom", [(str(zoom), f"{format_number(zoom)} %") for zoom in ZOOMS])
        text = self.tr("Scale of the window, from the next start on.")
        card.body.addWidget(SettingRow(self.tr("Size"), text, self.zoom))
        return card

    def _bundles(self) -> CardFrame:
        card = CardFrame(self.tr("Bundles"))
        context = self._context
        self.bundles = SettingFolder(context.settings, "bundles", context.home / "bundles")
        problem = self.tr("{0} is not a folder. Enter the full path of a folder.")
        self.bundles.refused.connect(lambda path: context.show_error(problem.format(path)))
        text = self.tr("Default folder of new bundles. Existing bundles stay where they are.")
        card.body.addWidget(SettingRow(self.tr("Bundle folder"), text, self.bundles))
        self.provider = self._choice("provider", [(name, "CPU" if name == "cpu" else name) for name in PROVIDERS])
        text = self.tr("Default provider of the chat, from the next start on. If it is not available, the CPU is used.")
        card.body.addWidget(SettingRow(self.tr("Provider"), text, self.provider))
        limits = [(str(limit), self.tr("at most {0}").format(format_bytes(limit))) for limit in STAGE_LIMITS]
        self.stages = StageCacheChoice((("", self.tr("default")), ("0", self.tr("nothing")), *limits))
        self.stages.refused.connect(lambda why: context.show_error(why))
        text = self.tr(
            "Disk space for finished build stages, which later builds of the same model reuse. The default is 20 GiB, "
            "but at most a quarter of the free space."
        )
        card.body.addWidget(SettingRow(self.tr("Build stage cache"), text, self.stages))
        return card

    def _history(self) -> CardFrame:
        card = CardFrame(self.tr("History"))
        limits = [(str(limit), self.tr("the newest {0}").format(format_number(limit))) for limit in HISTORY_LIMITS]
        self.history_limit = self._choice("history.keep", (("", self.tr("all")), *limits))
        text = self.tr(
            "Number of builds, generations and measurements in the history. Older ones are removed at each start."
        )
        card.body.addWidget(SettingRow(self.tr("Runs in the history"), text, self.history_limit))
        return card

    def _privacy(self) -> CardFrame:
        card = CardFrame(self.tr("Privacy"))
        text = self.tr(
            "Joinery sends no telemetry and disables onnxruntime's. It connects to the network only on request: for a "
            "model from the hub or a provider's plugin."
        )
        card.body.addWidget(label(text, wrap=True))
        folder = button(self.tr("Open Joinery's folder"), "folder", clicked=self._open_folder)
        card.body.addLayout(hbox((label(str(self._context.home), "muted", wrap=True), 1), folder))
        return card

    def values(self) -> dict[str, str]:
        """All preferences and the limit of cached build stages."""
        return {**self._context.settings.preferences(), STAGES: str(self.stages.currentData())}

    def reset(self) -> None:
        """Reset every preference to its default; a note offers to undo it."""
        self._replace({**PREFERENCES, STAGES: ""}, self.tr("All settings were reset to their defaults."))

    def _replace(self, values: Mapping[str, str], done: str) -> None:
        before = self.values()
        self._apply(values)
        undo = partial(self._apply, before)
        self._context.show_note(done, self.tr("Undo"), undo, owner={"page": "settings"})

    def _apply(self, values: Mapping[str, str]) -> None:
        for key, value in values.items():
            if key == STAGES:
                self.stages.choose(value)
            else:
                self._context.settings.set(key, value)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._context.home)))
