"""JSON files that several windows share: each change is made under a lock to the current content, and written whole.

update ─▶ lock ─▶ read ─▶ change ─▶ write whole ─▶ release       a damaged file is renamed
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from workflows.common.files import write_atomically
from workflows.common.locks import Lock, LockHeldError

PATIENCE_S = 5.0
"""How long a change waits for another window's, which takes milliseconds."""
_DAMAGED = (ValueError, TypeError, KeyError, AttributeError)
T = TypeVar("T")


def parse_json(text: str) -> Any:
    """The parsed text. Raises ValueError for invalid JSON, and for JSON nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class SavedList(QObject):
    """A list in a JsonFile. errorOccurred: emitted from the event loop, because nothing may be connected yet."""

    changed = Signal()
    errorOccurred = Signal(str)  # noqa: N815

    def _report_error(self, message: str) -> None:
        QTimer.singleShot(0, self, lambda: self.errorOccurred.emit(message))


class JsonFile(Generic[T]):
    """One file.

    decode: JSON → value, raises one of _DAMAGED for other JSON. notify: called with a message on a damaged file, and
    by `load` and `change`. title: what such a message calls the content.
    """

    def __init__(
        self,
        path: Path,
        decode: Callable[[Any], T],
        encode: Callable[[T], Any],
        empty: Callable[[], T],
        notify: Callable[[str], None],
        title: str = "",
    ) -> None:
        self.path, self._title = path, title
        self._decode, self._encode, self._empty, self._notify = decode, encode, empty, notify
        self._lock = Lock(path.with_name(f".{path.name}.lock"))

    def read(self) -> T:
        """The file's value, or the empty value if there is no file. Raises OSError."""
        try:
            return self._read()
        except _DAMAGED:
            with self._locked():
                return self._read_or_rename_damaged()

    def update(self, change: Callable[[T], T]) -> T:
        """Replaces the file's value by `change(value)` and returns it. Raises OSError, and then nothing changed."""
        with self._locked():
            value = change(self._read_or_rename_damaged())
            write_atomically(self.path, json.dumps(self._encode(value), indent=1).encode())
            return value

    def load(self) -> T:
        """The file's value; on an OSError, which is reported, the empty value."""
        try:
            return self.read()
        except OSError as error:
            self._notify(f"{self._title} in {self.path} cannot be read: {error.strerror}.")
            return self._empty()

    def change(self, change: Callable[[T], T], current: T) -> T:
        """As `update`; on an OSError, which is reported, `change(current)`."""
        try:
            return self.update(change)
        except OSError as error:
            self._notify(f"{self._title} cannot be saved in {self.path}: {error.strerror}.")
            return change(current)

    def _read(self) -> T:
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return self._empty()
        return self._decode(parse_json(text))

    def _read_or_rename_damaged(self) -> T:
        try:
            return self._read()
        except _DAMAGED:
            renamed = self.path.with_name(f"{self.path.stem}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.json")
            self.path.rename(renamed)
            self._notify(f"{self.path.name} was damaged and was reset; its old content is saved as {renamed}.")
            return self._empty()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._lock.acquire(PATIENCE_S)
        except LockHeldError as error:
            raise TimeoutError(errno.ETIMEDOUT, f"it is {error}", str(self.path)) from None
        with self._lock.held():
            yield
