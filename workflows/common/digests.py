"""The SHA-256 of files, each read once: what was computed while a file was written, or read, is known as long as it
stays as it is.

    hashed(path) ──blocks──▶ the file
                     └─────▶ a thread of its own ──SHA-256──▶ remember ──known_digest──▶ a manifest, a cache's key
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

_BLOCK = 1 << 22
_MAX_PENDING = 4  # blocks that are written and not yet hashed

_digests: dict[tuple[str, int, int, int, int, int], str] = {}


class HashingFile:
    """An open file at whose end is written; use `hashed`."""

    def __init__(self, path: Path, pool: ThreadPoolExecutor) -> None:
        self._file, self._pool = path.open("w+b"), pool
        self._digest, self._ahead = hashlib.sha256(), deque[Future[None]]()

    def tell(self) -> int:
        """Where the next byte is written."""
        return self._file.tell()

    def write(self, data: bytes | memoryview) -> None:
        """Writes at the end, a block at a time, each hashed while the next is written. Raises OSError.

        Nothing is held of what a view is of once it is written, for that may be a large tensor.
        """
        for block in _blocks(memoryview(data)):
            self._file.write(block)
            self._ahead.append(self._pool.submit(self._digest.update, block))
            self._wait(_MAX_PENDING)
        if isinstance(data, memoryview):
            self._wait()

    def _wait(self, most: int = 0) -> None:
        """Until at most so many blocks are not yet hashed."""
        while len(self._ahead) > most:
            self._ahead.popleft().result()

    def holds(self, offset: int, data: memoryview) -> bool:
        """Whether these very bytes lie there; the place to write at is kept."""
        end = self._file.tell()
        self._file.seek(offset)
        # bytes, for a memoryview compares its elements one by one
        same = all(self._file.read(len(block)) == bytes(block) for block in _blocks(data))
        self._file.seek(end)
        return same

    def close(self) -> str:
        """The SHA-256 of all that was written."""
        self._file.close()
        self._wait()
        return self._digest.hexdigest()


def _blocks(data: memoryview) -> Iterator[memoryview]:
    return (data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK))


@contextmanager
def hashing_file(path: Path) -> Iterator[HashingFile]:
    """A new file, whose SHA-256 is known once it is written whole. Raises OSError."""
    with ThreadPoolExecutor(1, "hashing") as pool:
        file = HashingFile(path, pool)
        try:
            yield file
        except BaseException:
            file.close()
            raise
        remember_digest(path, file.close())


def remember_digest(path: Path, digest: str, info: os.stat_result | None = None) -> None:
    """The SHA-256 of a file as it is now, or was. info: of the open file, before it was read."""
    _digests[_identity(path, info or path.stat())] = digest


def known_digest(path: Path, info: os.stat_result | None = None) -> str | None:
    """What was remembered of the file, unless it was written to, linked or replaced since. info: of the open file."""
    return _digests.get(_identity(path, info or path.stat()))


def _identity(path: Path, info: os.stat_result) -> tuple[str, int, int, int, int, int]:
    return (str(path), info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
