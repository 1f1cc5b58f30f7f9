"""What the settings page is put together from: a title, its control and a line of help."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from app.state.settings import Settings, expand_home
from app.text.formatting import format_bytes
from app.widgets.basics import label
from app.widgets.path_field import FolderField
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.common.errors import RequestError, describe_os_error
from workflows.common.stage_cache import read_limit, write_limit

Options = Sequence[tuple[str, str]]
"""What is kept, and what is shown for it."""


class SettingRow(QWidget):
    """A preference: `control` beside its title, and the help below both."""

    def __init__(self, title: str, text: str, control: QWidget) -> None:
        super().__init__()
        control.setAccessibleName(title)
        control.setAccessibleDescription(text)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, G // 2, 0, G // 2)
        grid.setHorizontalSpacing(2 * G)
        grid.setVerticalSpacing(0)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(title, selectable=False))
        words.addWidget(label(text, "muted", wrap=True))
        grid.addLayout(words, 0, 0)
        grid.addWidget(control, 0, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)


class SettingChoice(QComboBox):
    """A box over one preference. What is kept and no longer offered is offered as it is."""

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
        kept = self._settings.preference(key)
        if self.findData(kept) < 0:
            self.addItem(kept, kept)
        self.setCurrentIndex(self.findData(kept))


class StageCacheChoice(QComboBox):
    """A box over how much of the disk the stages of builds may take, which the command line chooses as well.

    options: bytes as a text, empty for what is usual.
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
        """Another program may have chosen since."""
        super().showEvent(event)
        self._follow()

    def choose(self, value: str) -> None:
        """Chooses a limit, from the next build on."""
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
        kept = "" if limit is None else str(limit)
        if self.findData(kept) < 0:
            self.addItem(format_bytes(int(kept)), kept)
        self.setCurrentIndex(self.findData(kept))


class SettingFolder(FolderField):
    """A folder: what is typed counts when the field is left, if it can be one."""

    refused = Signal(str)  # a path at which there is a file, or which is none

    def __init__(self, settings: Settings, key: str, usual: Path) -> None:
        self.field = QLineEdit()
        super().__init__(self.field)
        self._settings, self._key = settings, key
        self.field.setPlaceholderText(str(usual))
        self.field.editingFinished.connect(lambda: self._take(self.field.text()))
        self.picked.connect(self._take)
        settings.changed.connect(self._follow)
        self._follow(key)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's name
        """It is the field that has the focus."""
        super().setAccessibleName(name)
        self.field.setAccessibleName(name)

    def _take(self, text: str) -> None:
        path = expand_home(text)
        if text and (not path.is_absolute() or (path.exists() and not path.is_dir())):
            self._follow(self._key)
            self.refused.emit(text)
            return
        self._settings.set(self._key, str(path) if text else "")

    def start(self) -> str:
        """The folder as it is."""
        return self.field.text() or self.field.placeholderText()

    def _follow(self, key: str) -> None:
        if key == self._key:
            self.field.setText(self._settings.preference(key))
