"""A picture that nothing may open: the kernel says who did (inotify, on Linux alone), also where Qt reads it itself."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

_IN_OPEN, _EVENT = 0x20, struct.Struct("iIII")


class Canary:
    """The picture at `path`. Close it."""

    def __init__(self, path: Path) -> None:
        if sys.platform != "linux":
            pytest.skip("inotify is Linux's own")
        image = QImage(8, 8, QImage.Format.Format_RGB32)
        image.fill(0xFF0000)
        assert image.save(str(path))
        self.path = path
        libc = ctypes.CDLL(None, use_errno=True)
        self._watch = libc.inotify_init1(os.O_NONBLOCK)
        assert libc.inotify_add_watch(self._watch, os.fsencode(path), _IN_OPEN) >= 0, os.strerror(ctypes.get_errno())

    def opened(self) -> int:
        """How often it was opened since the last look."""
        try:
            return len(os.read(self._watch, 65_536)) // _EVENT.size
        except BlockingIOError:
            return 0

    def close(self) -> None:
        """Looks no longer."""
        os.close(self._watch)
