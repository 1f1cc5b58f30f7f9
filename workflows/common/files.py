"""Writes, replaces and removes files and folders so that a crash leaves the old state or the new one.

write_atomically    temporary file ─▶ fsync ─▶ rename ─▶ fsync of the folder
replace_folder      exchange of two folders' names in one step
remove              rename to a hidden name ─▶ delete
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
import secrets
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath

from workflows.common.errors import DiskFullError
from workflows.common.paths import is_private, make_folder, restrict_permissions

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_SPECIAL_FILES = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISDIR, "a folder"))
_DRAFT = re.compile(r"(\d+)-[0-9a-f]{8}\.tmp")  # after the machine's id
_REMOVED = re.compile(r"[0-9a-f]{8}\.removed")
_RENAME_EXCHANGE = 2  # RENAME_EXCHANGE of linux/fs.h
_AT_FDCWD = -100  # AT_FDCWD of fcntl.h: relative paths mean the current folder


def has_symlink(folder: Path, name: PurePath | str) -> bool:
    """Whether a file below `folder`, or a folder on the path to it, is a symbolic link.

    Links from `<model>/snapshots/<commit>` to `<model>/blobs` do not count: the hub client's cache has them.
    """
    steps = [folder.joinpath(*PurePath(name).parts[:depth]) for depth in range(1, len(PurePath(name).parts) + 1)]
    if not any(step.is_symlink() for step in steps):
        return False
    root = next((parent.parent for parent in (folder, *folder.parents) if parent.name == "snapshots"), None)
    return root is None or steps[-1].resolve().parent != (root / "blobs").resolve()


def special_file_kind(path: Path) -> str:
    """The kind of a path that exists and is no regular file, such as `a pipe`: reading one may block; else empty."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    return "" if stat.S_ISREG(mode) else next((text for test, text in _SPECIAL_FILES if test(mode)), "a device")


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces a file in one step. Raises OSError, and then the old file stays."""
    with name_os_errors(path):
        make_folder(path.parent)
    with atomic_target(path, len(data)) as draft:
        draft.write_bytes(data)


@contextmanager
def atomic_target(path: Path, needed: int | None = None) -> Iterator[Path]:
    """A temporary path beside `path`; the file written there replaces `path` at the end, or is removed after an error.

    Removes temporary files of processes that were killed. Raises OSError, which names `path`.
    """
    draft = path.with_name(f".{path.name}.{_machine_id()}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    with name_os_errors(path, needed):
        _remove_stale_drafts(path)
        try:
            yield draft
            if is_private(path):
                restrict_permissions(draft)
            sync(draft)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        sync(path.parent)


def _remove_stale_drafts(path: Path) -> None:
    """Removes temporary files of `path` whose processes, on this machine, have ended."""
    for entry, match in _matching_siblings(path, f".{path.name}.{_machine_id()}-", _DRAFT):
        import psutil  # rarely: a process was killed

        if not psutil.pid_exists(int(match[1])):
            _delete(entry)


def _matching_siblings(path: Path, head: str, rest: re.Pattern[str]) -> Iterator[tuple[Path, re.Match[str]]]:
    """Siblings of `path` whose name is `head` and a match of `rest`; `re` would cache one pattern per name."""
    for entry in path.parent.iterdir():
        match = rest.fullmatch(entry.name, len(head)) if entry.name.startswith(head) else None
        if match is not None:
            yield entry, match


def _machine_id() -> str:
    """An id of this machine: several machines may share a folder, and process ids are a machine's own."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


@contextmanager
def name_os_errors(path: Path, needed: int | None = None) -> Iterator[None]:
    """Makes an OSError name `path`, and on a full disk the free space and the `needed` bytes, if known."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        why = error.strerror or os.strerror(error.errno)
        if error.errno in _DISK_FULL:
            needs = f"it needs {needed / 2**20:,.1f} MiB and " if needed is not None else ""
            why = f"{why}, {needs}{free_space_text(path)}"
        raise OSError(error.errno, why, os.fspath(path)) from error


@contextmanager
def raise_disk_full(path: Path, needed: int | None = None) -> Iterator[None]:
    """Raises DiskFullError if disk or quota is full while `path` is written. needed: bytes, if known."""
    try:
        yield
    except OSError as error:
        target = Path(os.fsdecode(error.filename2 or error.filename or path))  # of two names the new one
        if error.errno is None or type(error).__module__ != "builtins":
            raise  # its class is more specific than the system's message
        if error.errno not in _DISK_FULL:
            raise OSError(error.errno, error.strerror, os.fspath(target)) from error
        needs = "does not fit," if needed is None else f"needs {needed / 2**20:,.1f} MiB and"
        raise DiskFullError(
            f"The disk of {_folder_of(target)} is full: {target.name} {needs} {free_space_text(target)}; make room "
            "there, or choose a folder on another disk."
        ) from error


def free_space_text(path: Path) -> str:
    """The free space for `path`, as a clause. A partial file there counts as free: it will be removed."""
    partial = path.stat().st_size if path.is_file() else 0
    return f"{(free_disk_bytes(path) + partial) / 2**20:,.1f} MiB are free"


def free_disk_bytes(path: Path) -> int:
    """The free bytes of the disk on which `path` is, or would be."""
    return shutil.disk_usage(_folder_of(path)).free


def _folder_of(path: Path) -> Path:
    """The nearest parent that exists."""
    return next(one for one in path.parents if one.is_dir())


def sync(path: Path) -> None:
    """Flushes a file's bytes or a folder's entries to the disk; Windows cannot flush folders."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        os.close(handle)


def replace_folder(draft: Path, out: Path) -> None:
    """Renames the folder `draft` to `out` and removes the folder that was there.

    If the system cannot exchange two names, the old folder is renamed first; `recover_folder` undoes a crash between.
    """
    old = _replaced_path(out)
    if out.exists() and _exchange_names(draft, out):
        old = draft
    else:
        if out.exists():
            out.rename(old)
        try:
            draft.rename(out)
        except OSError:
            if old.exists():
                old.rename(out)
            raise
    sync(out.parent)
    try_remove(old)


def recover_folder(out: Path) -> None:
    """Restores the old folder if the process was killed while it replaced `out`; removes other remains."""
    old = _replaced_path(out)
    if old.exists() and not out.exists():
        old.rename(out)
    try_remove(old)
    purge_removed(old)


def link_or_copy(source: Path, target: Path) -> None:
    """Makes a hard link, or a copy where the file system has no links."""
    try:
        os.link(source, target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(source, target)


def remove(path: Path) -> None:
    """Removes a file, a link or a folder with its content, if it exists.

    It is renamed first, so that no part of it is taken for the whole. Raises OSError if the rename fails; what cannot
    be deleted then remains for `purge_removed`.
    """
    if not os.path.lexists(path):
        return
    removed = path.with_name(f".{path.name.lstrip('.')}.{secrets.token_hex(4)}.removed")
    path.rename(removed)
    _delete(removed)


def try_remove(path: Path) -> None:
    """Removes a path; if the system refuses, the path stays."""
    with suppress(OSError):
        remove(path)


def purge_removed(path: Path) -> None:
    """Deletes what earlier removals of `path` could not delete."""
    if not path.parent.is_dir():
        return
    for entry, _ in _matching_siblings(path, f".{path.name.lstrip('.')}.", _REMOVED):
        _delete(entry)


def _delete(removed: Path) -> None:
    if removed.is_dir() and not removed.is_symlink():
        shutil.rmtree(removed, ignore_errors=True)
    else:
        with suppress(OSError):
            removed.unlink()


def _replaced_path(out: Path) -> Path:
    return out.with_name(f".{out.name}.replaced")


def _exchange_names(first: Path, second: Path) -> bool:
    """Exchanges two names in one step, if the system and the file system can; whether it did."""
    if sys.platform != "linux":
        return False
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    names = os.fsencode(first), os.fsencode(second)
    return renameat2 is not None and renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0
