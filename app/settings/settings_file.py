"""The preferences as a file: exported, read again and checked, so that a damaged one changes nothing.

preferences ──write_settings──▶ {"joinery_settings": 1, "settings": {key: text}} ──read_settings──▶ preferences
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.state.json_file import parse_json
from app.state.settings import PROVIDERS, THEMES, ZOOMS
from app.text.catalog import available_languages
from app.text.engine_text import translate_engine_text
from app.text.translatable import tr
from app.widgets.basics import Banner, button
from app.widgets.layouts import hbox
from workflows.common.errors import describe_os_error
from workflows.common.files import write_atomically

VERSION = 1
STAGES = "stages"
"""The key of the limit of cached build stages, which is no preference of the window alone."""
_LARGEST_FILE = 1 << 20


class SettingsFileError(Exception):
    """A file of settings cannot be used; the message is a sentence for the person."""


def _is_number_or_empty(text: str) -> bool:
    return not text or (text.isdecimal() and len(text) < 19)


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "theme": lambda text: text in THEMES,
    "language": lambda text: text in ("", "en", *available_languages()),
    "zoom": lambda text: text in map(str, ZOOMS),
    "bundles": lambda text: not text or Path(text).is_absolute(),
    "provider": lambda text: text in PROVIDERS,
    "history.keep": _is_number_or_empty,
    STAGES: _is_number_or_empty,
}


def write_settings(path: Path, values: Mapping[str, str]) -> None:
    """Writes the values whole. Raises SettingsFileError."""
    try:
        write_atomically(path, json.dumps({"joinery_settings": VERSION, "settings": dict(values)}, indent=1).encode())
    except OSError as error:
        raise SettingsFileError(translate_engine_text(describe_os_error(error))) from None


def read_settings(path: Path) -> dict[str, str]:
    """The values of a file, each of which is possible here. Raises SettingsFileError."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE)
    except OSError as error:
        raise SettingsFileError(translate_engine_text(describe_os_error(error))) from None
    try:
        content = parse_json(data.decode())
        version, values = content["joinery_settings"], content["settings"]
        if type(version) is not int:
            raise TypeError("a version is a whole number")
        wrong = next((key for key, value in values.items() if not _is_possible(key, value)), None)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise SettingsFileError(
            tr("{0} holds no settings of Joinery: choose a file that was exported here.").format(path)
        ) from None
    if version > VERSION:
        raise SettingsFileError(tr("{0} was written by a newer Joinery: update this one to read it.").format(path))
    if wrong is not None:
        raise SettingsFileError(
            tr("{0} has an impossible value of {1}: correct or remove it.").format(path, repr(wrong))
        )
    return dict(values)


def _is_possible(key: object, value: object) -> bool:
    return isinstance(value, str) and isinstance(key, str) and key in _CHECKS and _CHECKS[key](value)


class SettingsFiles(QWidget):
    """Buttons that export and import the settings; `banner` says how it went.

    values: returns what is exported. replace: takes imported values and a sentence, and offers to undo it.
    """

    def __init__(
        self, banner: Banner, values: Callable[[], dict[str, str]], replace: Callable[[Mapping[str, str], str], object]
    ) -> None:
        super().__init__()
        self._banner, self._values, self._replace = banner, values, replace
        self.import_button = button(self.tr("Import …"), "folder", clicked=self.choose_import)
        self.export_button = button(self.tr("Export …"), "save", clicked=self.choose_export)
        self._filter = self.tr("Settings (*.json)")
        hbox(self.import_button, self.export_button, parent=self)

    def choose_export(self) -> None:
        """Choose the file to write."""
        start = str(Path.home() / "joinery-settings.json")
        file, _ = QFileDialog.getSaveFileName(self, self.tr("Export the settings"), start, self._filter)
        if file:
            self.export_to(Path(file))

    def choose_import(self) -> None:
        """Choose the file to read."""
        file, _ = QFileDialog.getOpenFileName(self, self.tr("Import settings"), str(Path.home()), self._filter)
        if file:
            self.import_from(Path(file))

    def export_to(self, path: Path) -> None:
        """Write the settings to a file."""
        try:
            write_settings(path, self._values())
        except SettingsFileError as error:
            self._banner.error(str(error))
        else:
            self._banner.show_message("ok", self.tr("The settings are saved in {0}.").format(path))

    def import_from(self, path: Path) -> None:
        """Replace the settings by those of a file; a damaged one changes nothing."""
        try:
            values = read_settings(path)
        except SettingsFileError as error:
            self._banner.error(str(error))
            return
        self._banner.clear()
        self._replace(values, self.tr("The settings of {0} are in effect.").format(path.name))
