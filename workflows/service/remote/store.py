"""The files that were copied to this machine, by their SHA-256, and folders that are made of them.

    files/<sha256>        a whole file         files/<sha256>.part   what has arrived of one, continued the next time
    folders/<digest>/NAME a bundle: hard links to files/, named as where it came from
    sessions/<id>/        files of one connection, removed at its end     locks/<id>   held while the connection lasts

A file gets its name once its digest was checked, a folder once it is complete: a crash leaves both whole or absent.
A folder's time is that of its last use; what nobody used for KEPT_DAYS is removed when the next session opens.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from workflows.common.errors import DiskFullError, RequestError, printable
from workflows.common.files import free_disk_bytes, link_or_copy, raise_disk_full, sync, try_remove
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import cache_home, make_folder

KEPT_DAYS = 30
_DIGEST = re.compile(r"[0-9a-f]{64}")


class FileStore:
    """The store in `root`, by default in the Joinery cache folder. session: the folder of this connection's files."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or cache_home() / "remote"
        self._files, self._folders, self._locks = self.root / "files", self.root / "folders", self.root / "locks"
        self.session = self.root / "sessions" / secrets.token_hex(8)
        self._lock = Lock(self._locks / self.session.name)

    def open_session(self) -> None:
        """Makes the session's folder and removes those of processes that have ended. Raises OSError, DiskFullError."""
        with raise_disk_full(self.session):
            self._lock.acquire(wait_s=5.0)  # before the folder is there: others remove folders without a lock
            for folder in (self._files, self._folders, self.session):
                make_folder(folder)
        for other in self._other_sessions():
            if not self._user_of(other):
                try_remove(self.session.with_name(other))
        self._remove_unused()

    def _remove_unused(self) -> None:
        """Removes folders not used for KEPT_DAYS, then old files of no folder; none while another session is open."""
        if any(map(self._user_of, self._other_sessions())):
            return
        oldest = time.time() - KEPT_DAYS * 86_400
        for path in (*self._entries(self._folders), *self._entries(self._files)):
            stat = path.stat()
            if stat.st_mtime < oldest and (path.is_dir() or stat.st_nlink == 1):
                try_remove(path)

    @property
    def copied_bytes(self) -> int:
        """The bytes of all copies, also of those that have not arrived as a whole."""
        total = 0
        for path in self._entries(self._files):
            with suppress(FileNotFoundError):  # another session may rename or remove it
                total += path.stat().st_size
        return total

    def close_session(self) -> None:
        """Removes what was copied for this session alone."""
        try_remove(self.session)
        with suppress(OSError):
            self._lock.path.unlink()  # its thread may be another one; the system frees the lock with the process

    def _other_sessions(self) -> set[str]:
        names = {path.name for folder in (self.session.parent, self._locks) for path in self._entries(folder)}
        return names - {self.session.name}

    def _user_of(self, session: str) -> str:
        """The process of another session; empty if it has ended."""
        return Lock(self._locks / session).held_by()

    def arrived(self, files: Mapping[str, int], temporary: bool) -> dict[str, int]:
        """The bytes of each file that are here already. files: digest → its bytes. temporary: for this session."""
        return {digest: self._arrived(digest, size, temporary) for digest, size in files.items()}

    def _arrived(self, digest: str, size: int, temporary: bool) -> int:
        whole = self._file(digest, temporary)
        if whole.is_file():
            if whole.stat().st_size == size:
                return size
            try_remove(whole)
        part = whole.with_name(f"{digest}.part")
        return min(part.stat().st_size, size) if part.is_file() else 0

    def receive(self, digest: str, size: int, temporary: bool) -> PartialFile:
        """Opens a file to append what is missing. Raises RequestError while another connection copies the same."""
        target = self._file(digest, temporary)
        missing, free = size - self._arrived(digest, size, temporary), free_disk_bytes(target)
        if missing > free:
            raise DiskFullError(
                f"The disk of {target.parent} is full: a file needs {missing / 2**20:,.1f} MiB and {free / 2**20:,.1f} "
                "MiB are free; make room there."
            )
        make_folder(target.parent)
        return PartialFile(target, digest, size)

    def make_folder_of(self, name: str, files: Mapping[str, str], temporary: bool) -> Path:
        """A folder of files that have arrived. files: path in the folder → digest. temporary: for this session alone.

        Raises RequestError for a path that leads outside, OSError and DiskFullError.
        """
        if not _is_plain(name) or not all(all(map(_is_plain, PurePosixPath(one).parts)) and one for one in files):
            raise RequestError("A file's path leads out of its folder.")
        listing = json.dumps([name, sorted(files.items())]).encode()
        base = self.session if temporary else self._folders
        folder = base / hashlib.sha256(listing).hexdigest()[:24]
        sources = {one: self._file(digest, temporary) for one, digest in files.items()}
        if not _is_complete(folder / name, sources):
            draft = base / f".{folder.name}.{secrets.token_hex(4)}"
            try:
                _link(draft / name, sources)
                try_remove(folder)
                draft.replace(folder)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        os.utime(folder)
        return folder / name

    def make_output_file(self, name: str) -> Path:
        """A path of this session for a file that is written here; the same name twice gives two paths.

        Raises RequestError for a name that leads outside, and OSError.
        """
        if not _is_plain(name):
            raise RequestError("A file's path leads out of its folder.")
        folder = self.session / "out" / secrets.token_hex(4)
        make_folder(folder)
        return folder / name

    def clear(self) -> int:
        """Removes all files and folders; returns the bytes that this freed. Raises RequestError while one is in use."""
        if user := next(filter(None, map(self._user_of, self._other_sessions())), ""):
            raise RequestError(f"Another connection uses the copies ({user}): end it, and clear again.")
        before = free_disk_bytes(self._files)
        for path in (*self._entries(self._folders), *self._entries(self._files)):
            try_remove(path)
        return max(0, free_disk_bytes(self._files) - before)

    def _entries(self, folder: Path) -> Iterable[Path]:
        return list(folder.iterdir()) if folder.is_dir() else ()

    def _file(self, digest: str, temporary: bool) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise RequestError(f"{printable(digest, 80)!r} is no SHA-256.")
        return (self.session / "files" if temporary else self._files) / digest


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


def _link(folder: Path, sources: Mapping[str, Path]) -> None:
    """Makes a folder of files that have arrived. sources: path in the folder → the file."""
    for name, source in sources.items():
        target = folder / name
        with raise_disk_full(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            link_or_copy(source, target)


def _is_complete(folder: Path, sources: Mapping[str, Path]) -> bool:
    """Whether every file of a folder is there, as long as the one that arrived."""
    try:
        return all((folder / name).stat().st_size == source.stat().st_size for name, source in sources.items())
    except OSError:
        return False


def _is_plain(name: str) -> bool:
    """Whether a part of a path is the name of a file or folder and nothing else."""
    return name not in ("", ".", "..") and not {"/", "\\", "\0"} & {*name}


def disk_problem(error: OSError) -> str:
    """A sentence for a file that cannot be written; also for a limit of the user's own on the size of files."""
    if error.errno == errno.EFBIG:
        return "A file is larger than the system lets this user write: raise the limit (ulimit -f) there."
    return ""
