"""File locks between processes. The system frees the lock of a process that ends, also after a crash."""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from workflows.common.errors import printable
from workflows.common.files import name_os_errors
from workflows.common.paths import is_private, make_folder

_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class LockHeldError(Exception):
    """Another process holds the lock; `holder` names it: `process 123 on host`."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"held by {holder}")
        self.holder = holder


class LocksUnsupportedError(OSError):
    """The file system has no file locks, such as some network folders."""


class Lock:
    """An exclusive lock on the file `path`, which exists while the lock is held and names the holder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # no fallback to a plain file: it would outlive a crash
        self._lock = FileLock(path, mode=0o600 if is_private(path) else 0o644, fallback_to_soft=False)

    def acquire(self, wait_s: float = 0.0) -> None:
        """Acquires the lock within `wait_s` seconds.

        Raises LockHeldError where another process holds it, LocksUnsupportedError, and OSError where the folder cannot
        be written.
        """
        try:
            with name_os_errors(self.path):
                make_folder(self.path.parent)
                self._lock.acquire(timeout=wait_s, poll_interval=0.02)
        except Timeout:
            raise LockHeldError(self._holder()) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            self.path.unlink(missing_ok=True)  # no process can hold it
            raise LocksUnsupportedError(error.errno, error.strerror, str(self.path)) from None
        try:
            with name_os_errors(self.path):
                self.path.write_text(f"process {os.getpid()} on {platform.node()}", "utf-8")
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Releases the lock, if it is held."""
        if self._lock.is_locked:
            with suppress(OSError):  # Windows does not remove an open file
                self.path.unlink()  # while it is held: a waiting process sees that the file is gone and makes a new one
            with name_os_errors(self.path):
                self._lock.release(force=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Releases the lock, which was acquired before, at the end."""
        try:
            yield
        finally:
            self.release()

    def held_by(self) -> str:
        """The process that holds it, another Lock of this one included; empty if it is free. Raises OSError."""
        if not self.path.exists():
            return ""
        try:
            self.acquire()
        except LockHeldError as error:
            return error.holder
        self.release()
        return ""

    def _holder(self) -> str:
        try:
            return printable(self.path.read_text("utf-8")) or "another process"
        except (OSError, UnicodeDecodeError):
            return "another process"
