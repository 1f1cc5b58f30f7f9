"""The files that were copied to this machine, by their SHA-256, and folders that are made of them.

    files/<sha256>        a whole file         files/<sha256>.part   what has arrived of one, continued the next time
    folders/<digest>/NAME a bundle: hard links to files/, named as where it came from
    sessions/<id>/        files of one connection, removed at its end

A file gets its name once its digest was checked, a folder once it is complete: a crash leaves both whole or absent.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

import psutil

from workflows.common.errors import DiskFullError, RequestError, printable
from workflows.common.files import free_disk_bytes, link_or_copy, raise_disk_full, sync, try_remove
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import cache_home, make_folder

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SESSION = re.compile(r"(\d+)-[0-9a-f]{8}")


class FileStore:
    """The store in `root`, by default in the Joinery cache folder. session: the folder of this connection's files."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or cache_home() / "remote"
        self._files, self._folders = self.root / "files", self.root / "folders"
        self._temporary: set[Path] = set()
        self.session = self.root / "sessions" / f"{os.getpid()}-{secrets.token_hex(4)}"

    def open_session(self) -> None:
        """Makes the session's folder and removes those of processes that have ended. Raises OSError, DiskFullError."""
        with raise_disk_full(self.session):
            for folder in (self._files, self._folders, self.session):
                make_folder(folder)
        for other in self.session.parent.iterdir():
            match = _SESSION.fullmatch(other.name)
            if match and other != self.session and not psutil.pid_exists(int(match[1])):
                try_remove(other)

    def close_session(self) -> None:
        """Removes what was copied for this session alone."""
        for path in (*self._temporary, self.session):
            try_remove(path)

    def arrived(self, files: Mapping[str, int]) -> dict[str, int]:
        """The bytes of each file that are here already. files: digest → its bytes."""
        return {digest: self._arrived(digest, size) for digest, size in files.items()}

    def _arrived(self, digest: str, size: int) -> int:
        whole = self._file(digest)
        if whole.is_file():
            if whole.stat().st_size == size:
                return size
            try_remove(whole)
        part = whole.with_name(f"{digest}.part")
        return min(part.stat().st_size, size) if part.is_file() else 0

    def receive(self, digest: str, size: int) -> PartialFile:
        """Opens a file to append what is missing. Raises RequestError while another connection copies the same."""
        missing, free = size - self._arrived(digest, size), free_disk_bytes(self._file(digest))
        if missing > free:
            raise DiskFullError(
                f"The disk of {self._files} is full: a file needs {missing / 2**20:,.1f} MiB and {free / 2**20:,.1f} "
                "MiB are free; make room there."
            )
        return PartialFile(self._file(digest), digest, size)

    def make_folder_of(self, name: str, files: Mapping[str, str], temporary: bool) -> Path:
        """A folder of files that have arrived. files: path in the folder → digest. temporary: for this session alone.

        Raises RequestError for a path that leads outside, OSError and DiskFullError.
        """
        if not _is_plain(name) or not all(all(map(_is_plain, PurePosixPath(one).parts)) and one for one in files):
            raise RequestError("A file's path leads out of its folder.")
        listing = json.dumps([name, sorted(files.items())]).encode()
        base = self.session if temporary else self._folders
        folder = base / hashlib.sha256(listing).hexdigest()[:24]
        if temporary:
            self._temporary |= {self._file(digest) for digest in files.values()}
        if not self._is_complete(folder / name, files):
            draft = base / f".{folder.name}.{secrets.token_hex(4)}"
            try:
                self._link(draft / name, files)
                try_remove(folder)
                draft.replace(folder)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        return folder / name

    def _link(self, folder: Path, files: Mapping[str, str]) -> None:
        for name, digest in files.items():
            target = folder / name
            with raise_disk_full(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                link_or_copy(self._file(digest), target)

    def _is_complete(self, folder: Path, files: Mapping[str, str]) -> bool:
        """Whether every file of a folder is there, as long as the one that arrived."""
        try:
            return all(
                (folder / name).stat().st_size == self._file(digest).stat().st_size for name, digest in files.items()
            )
        except OSError:
            return False

    def clear(self) -> int:
        """Removes all files and folders that no session uses now; returns the bytes that this freed."""
        before = free_disk_bytes(self._files)
        for path in (*self._entries(self._folders), *self._entries(self._files)):
            try_remove(path)
        return max(0, free_disk_bytes(self._files) - before)

    def _entries(self, folder: Path) -> Iterable[Path]:
        return list(folder.iterdir()) if folder.is_dir() else ()

    def _file(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise RequestError(f"{printable(digest, 80)!r} is no SHA-256.")
        return self._files / digest


class PartialFile:
    """A file that arrives. Its lock is held until `finish`, which checks the digest."""

    def __init__(self, target: Path, digest: str, size: int) -> None:
        self._target, self._digest, self._size = target, digest, size
        self._part = target.with_name(f"{digest}.part")
        self._lock = Lock(target.with_name(f"{digest}.lock"))
        try:
            self._lock.acquire(wait_s=0.5)
        except LockHeldError as error:
            raise RequestError(f"Another connection copies the same file ({error.holder}): try again later.") from None
        self._hash = hashlib.sha256()
        self.bytes = 0
        self._file = self._part.open("r+b" if self._part.is_file() else "w+b")
        while block := self._file.read(1 << 22):
            self._hash.update(block)
            self.bytes += len(block)

    def append(self, data: bytes) -> None:
        """Adds bytes at the end. Raises OSError."""
        with raise_disk_full(self._target, self._size):
            self._file.write(data)
        self._hash.update(data)
        self.bytes += len(data)

    def finish(self) -> bool:
        """Closes the file; whether it is whole now. What is there stays for the next time, unless it is wrong.

        Raises RequestError if its digest is another, OSError and DiskFullError.
        """
        try:
            with raise_disk_full(self._target, self._size):
                self._file.close()
            if self.bytes < self._size:
                return False
            if self.bytes > self._size or self._hash.hexdigest() != self._digest:
                self._part.unlink()
                raise RequestError("A file arrived with other content than its digest says.")
            with raise_disk_full(self._target, self._size):
                sync(self._part)
                self._part.replace(self._target)
            return True
        finally:
            self._lock.release()


def _is_plain(name: str) -> bool:
    """Whether a part of a path is the name of a file or folder and nothing else."""
    return name not in ("", ".", "..") and not {"/", "\\", "\0"} & {*name}


def disk_problem(error: OSError) -> str:
    """A sentence for a file that cannot be written; also for a limit of the user's own on the size of files."""
    if error.errno == errno.EFBIG:
        return "A file is larger than the system lets this user write: raise the limit (ulimit -f) there."
    return ""
