"""How files and folders are written and taken away, the same everywhere: a crash leaves what was, or what is to be.

write_atomically   temporary name ─▶ bytes ─▶ fsync ─▶ rename ─▶ fsync of the folder
replace_folder  the draft and the folder that it replaces change names in one step
link_or_copy  another name for a file, or its twin on another disk
remove        a hidden name of its own, so that no half of it is ever taken for the whole ─▶ deleted
special_file_kind    a pipe, a device: what must not be opened as if it were one
has_symlink  a link in a folder, which may lead anywhere; but for those of the hub's cache
naming        an error of the system, said with the file that was to be written; on a full disk with what is free
raise_disk_full      a disk that is full, told as Joinery's own error
sweep         what removals that were killed, or refused, left under such names
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
_DRAFT = re.compile(r"(\d+)-[0-9a-f]{8}\.tmp")  # after whose it is and on which machine
_REMOVED = re.compile(r"[0-9a-f]{8}\.removed")
_RENAME_EXCHANGE = 2  # RENAME_EXCHANGE of linux/fs.h
_AT_FDCWD = -100  # AT_FDCWD of fcntl.h: relative paths mean the current folder


def has_symlink(folder: Path, name: PurePath | str) -> bool:
    """Whether a file, or a folder on the way to it, is a symbolic link.

    `<model>/snapshots/<commit>` may link to `<model>/blobs`, as the hub's client makes its cache.
    """
    steps = [folder.joinpath(*PurePath(name).parts[:depth]) for depth in range(1, len(PurePath(name).parts) + 1)]
    if not any(step.is_symlink() for step in steps):
        return False
    root = next((parent.parent for parent in (folder, *folder.parents) if parent.name == "snapshots"), None)
    return root is None or steps[-1].resolve().parent != (root / "blobs").resolve()


def special_file_kind(path: Path) -> str:
    """What `path` is where it is there and no regular file, as `a pipe`: opening such may wait or never end."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    return "" if stat.S_ISREG(mode) else next((text for test, text in _SPECIAL_FILES if test(mode)), "a device")


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces a file so that a crash leaves the old one or the new one. Raises OSError, and then the old one stays."""
    with name_os_errors(path):
        make_folder(path.parent)
    with atomic_target(path, len(data)) as draft:
        draft.write_bytes(data)


@contextmanager
def atomic_target(path: Path, needed: int | None = None) -> Iterator[Path]:
    """A name beside `path` to write to; what was written there takes its place whole, or, after an error, is gone.

    What a process that was killed meanwhile left of such a name goes with the next one. Raises OSError, which names it.
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
    """Removes the drafts of `path` by processes of this machine that live no more."""
    for entry, found in _matching_siblings(path, f".{path.name}.{_machine_id()}-", _DRAFT):
        if not _is_running(int(found[1])):
            _delete(entry)


def _matching_siblings(path: Path, head: str, rest: re.Pattern[str]) -> Iterator[tuple[Path, re.Match[str]]]:
    """What lies beside `path` under a name that begins so, and the rest of that; `re` would keep a pattern a name."""
    for entry in path.parent.iterdir():
        found = rest.fullmatch(entry.name, len(head)) if entry.name.startswith(head) else None
        if found is not None:
            yield entry, found


def _is_running(pid: int) -> bool:
    import psutil  # rarely: a process was killed

    return bool(psutil.pid_exists(pid))


def _machine_id() -> str:
    """Whose process ids they are: a folder may be several machines'."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


@contextmanager
def name_os_errors(path: Path, needed: int | None = None) -> Iterator[None]:
    """Around the writing of `path`, which takes `needed` bytes where that is known: an OSError names it.

    On a full disk its reason says what is needed and what is free.
    """
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
    """Around the writing of `path`, a file or a folder, which takes `needed` bytes where that is known.

    Raises DiskFullError where the disk, or the person's share of it, turns out to be full.
    """
    try:
        yield
    except OSError as error:
        target = Path(os.fsdecode(error.filename2 or error.filename or path))  # of two names the new one
        if error.errno is None or type(error).__module__ != "builtins":
            raise  # its class says more than the system's word does
        if error.errno not in _DISK_FULL:
            raise OSError(error.errno, error.strerror, os.fspath(target)) from error
        raise DiskFullError(_disk_full_message(target, needed)) from error


def _disk_full_message(path: Path, needed: int | None) -> str:
    needs = f"{path.name} needs {needed / 2**20:,.1f} MiB and" if needed is not None else f"{path.name} does not fit,"
    return (
        f"The disk of {_folder_of(path)} is full: {needs} {free_space_text(path)}; make room there, or choose a folder on "
        "another disk."
    )


def free_space_text(path: Path) -> str:
    """What was written of the file counts as free: it is removed, or written anew the next time."""
    return f"{(shutil.disk_usage(_folder_of(path)).free + (_size(path) or 0)) / 2**20:,.1f} MiB are free"


def _folder_of(path: Path) -> Path:
    """The one that is there: what was to hold the file may be gone."""
    return next(one for one in path.parents if one.is_dir())


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def sync(path: Path) -> None:
    """Asks the system to put the file's bytes, or the folder's entries, on the disk; Windows has no folder sync."""
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
    """Makes the folder `draft` the folder `out` and removes the one that was there.

    Where the system cannot exchange two names the old folder steps aside first; `recover` undoes a crash between.
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
    """Puts back the folder that had stepped aside for `out` when the process was killed; sweeps what else was left."""
    old = _replaced_path(out)
    if old.exists() and not out.exists():
        old.rename(out)
    try_remove(old)
    purge_removed(old)


def link_or_copy(source: Path, target: Path) -> None:
    """A hard link where the disk has them, for weights are large; else a copy."""
    try:
        os.link(source, target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(source, target)


def remove(path: Path) -> None:
    """Takes a file, a link or a folder with all that is in it away; nothing where nothing is.

    Raises OSError where it cannot be renamed; what cannot be deleted afterwards waits for `sweep`.
    """
    if not os.path.lexists(path):
        return
    litter = path.with_name(f".{path.name.lstrip('.')}.{secrets.token_hex(4)}.removed")
    path.rename(litter)
    _delete(litter)


def try_remove(path: Path) -> None:
    """Removes what nobody needs any more; where the system refuses it stays, and the next run tries again."""
    with suppress(OSError):
        remove(path)


def purge_removed(path: Path) -> None:
    """Deletes what earlier removals of `path` left beside it."""
    if not path.parent.is_dir():
        return
    for entry, _found in _matching_siblings(path, f".{path.name.lstrip('.')}.", _REMOVED):
        _delete(entry)


def _delete(litter: Path) -> None:
    if litter.is_dir() and not litter.is_symlink():
        shutil.rmtree(litter, ignore_errors=True)
    else:
        with suppress(OSError):
            litter.unlink()


def _replaced_path(out: Path) -> Path:
    return out.with_name(f".{out.name}.replaced")


def _exchange_names(first: Path, second: Path) -> bool:
    """Whether the two names were exchanged in one step: on Linux, where the file system can."""
    if sys.platform != "linux":
        return False
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    names = os.fsencode(first), os.fsencode(second)
    return renameat2 is not None and renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0
