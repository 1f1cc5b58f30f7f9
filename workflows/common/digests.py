"""SHA-256 digests of files, computed while a file is written or read and cached until the file changes.

hashing_file(path) ──blocks──▶ the file
                       └─────▶ a thread ──SHA-256──▶ remember_digest ──▶ known_digest (manifests, cache keys)
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
    """A file open for appending, hashed in a thread while it is written; use `hashing_file`."""

    def __init__(self, path: Path, pool: ThreadPoolExecutor) -> None:
        self._file, self._pool = path.open("w+b"), pool
        self._digest, self._pending = hashlib.sha256(), deque[Future[None]]()

    def tell(self) -> int:
        """The offset of the next byte, in bytes."""
        return self._file.tell()

    def write(self, data: bytes | memoryview) -> None:
        """Appends `data` in blocks, each hashed while the next is written. Raises OSError.

        Keeps no reference to a memoryview after the call: its buffer may be a large tensor.
        """
        for block in _blocks(memoryview(data)):
            self._file.write(block)
            self._pending.append(self._pool.submit(self._digest.update, block))
            self._wait(_MAX_PENDING)
        if isinstance(data, memoryview):
            self._wait()

    def _wait(self, most: int = 0) -> None:
        """Blocks until at most `most` blocks are pending."""
        while len(self._pending) > most:
            self._pending.popleft().result()

    def holds(self, offset: int, data: memoryview) -> bool:
        """Whether the file has the bytes `data` at `offset`; keeps the write position."""
        end = self._file.tell()
        self._file.seek(offset)
        # bytes: a memoryview compares its elements one by one
        same = all(self._file.read(len(block)) == bytes(block) for block in _blocks(data))
        self._file.seek(end)
        return same

    def close(self) -> str:
        """Closes the file and returns the SHA-256 of its content."""
        self._file.close()
        self._wait()
        return self._digest.hexdigest()


def _blocks(data: memoryview) -> Iterator[memoryview]:
    return (data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK))


@contextmanager
def hashing_file(path: Path) -> Iterator[HashingFile]:
    """Opens a new file and remembers its SHA-256 when it is closed without an error. Raises OSError."""
    with ThreadPoolExecutor(1, "hashing") as pool:
        file = HashingFile(path, pool)
        try:
            yield file
        except BaseException:
            file.close()
            raise
        remember_digest(path, file.close())


def remember_digest(path: Path, digest: str, info: os.stat_result | None = None) -> None:
    """Caches the SHA-256 of a file in its present state. info: the stat result from before it was read."""
    _digests[_identity(path, info or path.stat())] = digest


def known_digest(path: Path, info: os.stat_result | None = None) -> str | None:
    """The cached SHA-256, unless the file was written, linked or replaced since. info: of the open file."""
    return _digests.get(_identity(path, info or path.stat()))


def _identity(path: Path, info: os.stat_result) -> tuple[str, int, int, int, int, int]:
    return (str(path), info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
