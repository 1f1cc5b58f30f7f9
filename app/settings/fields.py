"""The building blocks of the Settings page: a title, its control and a help text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from app.state.settings import Settings, expand_home
from app.text.formatting import format_bytes
from app.widgets.basics import label
from app.widgets.layouts import vbox
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
        settings.changed.connect(self._follow)
        self._follow(key)

    def _follow(self, key: str) -> None:
        if key != self._key:
            return
        saved = self._settings.preference(key)
        if self.findData(saved) < 0:
            self.addItem(saved, saved)
        self.setCurrentIndex(self.findData(saved))


class StageCacheChoice(QComboBox):
    """A combo box for the disk limit of cached build stages, which the command line sets as well.

    options: bytes as text; empty for the default.
    """

    refused = Signal(str)  # why the limit cannot be read or written

    def __init__(self, options: Options) -> None:
        super().__init__()
        ignore_wheel(self)
        for value, text in options:
            self.addItem(text, value)
        self.activated.connect(lambda _index: self.choose(str(self.currentData())))
        self._follow()

    def showEvent(self, event: QShowEvent) -> None:
        """Read the limit again: another program may have changed it (Qt's name)."""
        super().showEvent(event)
        self._follow()

    def choose(self, value: str) -> None:
        """Set the limit from the next build on."""
        try:
            write_limit(int(value) if value else None)
        except OSError as error:
            self.refused.emit(describe_os_error(error))
        self._follow()

    def _follow(self) -> None:
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
        settings.changed.connect(self._follow)
        self._follow(key)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's name
        """Name the field, which has the focus (Qt's name)."""
        super().setAccessibleName(name)
        self.field.setAccessibleName(name)

    def _save(self, text: str) -> None:
        path = expand_home(text)
        if text and (not path.is_absolute() or (path.exists() and not path.is_dir())):
            self._follow(self._key)
            self.refused.emit(text)
            return
        self._settings.set(self._key, str(path) if text else "")

    def start(self) -> str:
        """The current folder."""
        return self.field.text() or self.field.placeholderText()

    def _follow(self, key: str) -> None:
        if key == self._key:
            self.field.setText(self._settings.preference(key))
