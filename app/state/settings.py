"""The window's settings: an ini file in Joinery's folder, written whole or not at all.

QSettings replaces the file by rename, so a crash leaves the old or the new one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from workflows.common.files import free_space_text, try_remove
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import make_folder, make_private


def home_folder() -> Path:
    """Joinery's folder for user data: the variable JOINERY_HOME, else the system's place for it."""
    override = os.environ.get("JOINERY_HOME")
    if override:
        return Path(override)
    from platformdirs import user_data_path

    return user_data_path("joinery", appauthor=False)


def expand_home(text: str | Path) -> Path:
    """The path with ~ and ~NAME expanded; unchanged if there is no such user."""
    path = Path(text)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def existing_parent(path: Path) -> Path:
    """The folder itself, or the nearest one around it that exists."""
    return next(one for one in (path, *path.parents) if one.exists())


THEMES = ("system", "light", "dark")
ZOOMS = (80, 90, 100, 110, 125, 150, 175, 200)
PROVIDERS = ("cpu", "qnn", "webgpu", "dml", "openvino", "cuda")

PREFERENCES = {
    "theme": "system",
    "language": "",  # the system's
    "zoom": "100",  # per cent
    "bundles": "",  # the folder for new bundles; empty for the one below Joinery's own
    "provider": "cpu",
    "history.keep": "",  # the number of newest runs to keep; empty for all
}
"""The preferences of the settings page, with their defaults."""


class Settings(QObject):
    """Typed access to window.ini; `changed` carries the key."""

    changed = Signal(str)
    errorOccurred = Signal(str)  # noqa: N815
    """Emitted when a setting could not be saved; it stays in effect until the window is closed."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        path = folder / "window.ini"
        _sweep(path)
        self._store = QSettings(str(path), QSettings.Format.IniFormat, self)
        self._store.setAtomicSyncRequired(True)

    def text(self, key: str, default: str = "") -> str:
        """The text under `key`."""
        return str(self._store.value(key, default))

    def preference(self, key: str) -> str:
        """The value of a preference. Raises KeyError for an unknown one."""
        return self.text(key, PREFERENCES[key])

    def preferences(self) -> dict[str, str]:
        """All preferences with their values."""
        return {key: self.preference(key) for key in PREFERENCES}

    def data(self, key: str) -> QByteArray:
        """The bytes under `key`: geometry, splitter states; empty where there are none."""
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def set(self, key: str, value: str | QByteArray) -> None:
        """Saves `value`; it is on the disk on return."""
        if self._store.value(key) == value:
            return
        path = Path(self._store.fileName())
        self._store.setValue(key, value)
        with suppress(OSError):  # Qt fails as well and reports it
            make_folder(path.parent)
            make_private(path)
        self._store.sync()
        if self._store.status() != QSettings.Status.NoError:
            lasts = "this setting lasts until the window closes"
            self.errorOccurred.emit(f"{path} cannot be written, so {lasts}; {free_space_text(path)}.")
        self.changed.emit(key)


def _sweep(path: Path) -> None:
    """Removes files that killed writers left beside the settings.

    Qt waits half a minute for a lock that names no process yet; nobody writes while we hold it.
    """
    lock_path, drafts = path.with_name(f"{path.name}.lock"), list(path.parent.glob(f"{path.name}.??????"))
    if not drafts and not lock_path.exists():
        return
    lock = Lock(lock_path)
    try:
        lock.acquire()
    except (LockHeldError, OSError):
        return  # another window writes now
    with lock.held():
        for draft in drafts:
            try_remove(draft)
