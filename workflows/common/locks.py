"""A lock on a name: one process holds it, others are told which, and the system frees it however that process ends."""

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
    """The lock is another's; `holder` says whose, as `process 123 on host`."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"held by {holder}")
        self.holder = holder


class LocksUnsupportedError(OSError):
    """The disk has no file locks, as some network folders."""


class Lock:
    """The lock that the file `path` stands for; the file is there while the lock is held, and says by whom."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # no lock that is a mere file: that one would outlive a crash
        self._lock = FileLock(path, mode=0o600 if is_private(path) else 0o644, fallback_to_soft=False)

    def take(self, wait_s: float = 0.0) -> None:
        """Takes the lock, within `wait_s` seconds.

        Raises LockHeldError where another has it, LocksUnsupportedError, or OSError where the folder cannot be written to.
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
            self.path.unlink(missing_ok=True)  # nobody can hold it
            raise LocksUnsupportedError(error.errno, error.strerror, str(self.path)) from None
        try:
            with name_os_errors(self.path):
                self.path.write_text(f"process {os.getpid()} on {platform.node()}", "utf-8")
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Gives the lock up; nothing where it is not held."""
        if self._lock.is_locked:
            with suppress(OSError):  # Windows keeps a file that is open
                self.path.unlink()  # while it is held: who waits on this file sees that it has gone, and makes its own
            with name_os_errors(self.path):
                self._lock.release(force=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Gives the lock, which was taken, up at the end."""
        try:
            yield
        finally:
            self.release()

    def _holder(self) -> str:
        try:
            return printable(self.path.read_text("utf-8")) or "another process"
        except (OSError, UnicodeDecodeError):
            return "another process"
