"""Joinery's own folders and files, which no other user may read: folders have mode 0700, files 0600.

    make_folder   makes a folder: private among Joinery's own, by the user's umask elsewhere
    make_private  makes a private file of Joinery's own

A folder of an earlier version is made private when it is first used. Files that the stage cache shares with bundles
keep the bundles' permissions; the folder around them is private.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_USER_FOLDERS = {"stages", "bundles"}  # folders below Joinery's own that hold the user's files


def home() -> Path:
    """The user's Joinery folder; the environment variable JOINERY_HOME replaces it."""
    moved = os.environ.get("JOINERY_HOME")
    return Path(moved) if moved else user_data_path("joinery", appauthor=False)


def cache_home() -> Path:
    """The folder of files that can be made again; below JOINERY_HOME if it is set."""
    moved = os.environ.get("JOINERY_HOME")
    return Path(moved) / "cache" if moved else user_cache_path("joinery", appauthor=False)


def is_private(path: Path) -> bool:
    """Whether a path is Joinery's own and not shared with the user's bundles."""
    for root in (home(), cache_home()):
        if path.is_relative_to(root):
            return _USER_FOLDERS.isdisjoint(path.relative_to(root).parts)
    return False


def make_folder(folder: Path) -> None:
    """Makes a folder and its parents. Raises OSError."""
    root = next((one for one in (home(), cache_home()) if folder.is_relative_to(one)), None)
    if root is None:
        folder.mkdir(parents=True, exist_ok=True)
        return
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    _restrict_tree(root)
    below = folder.relative_to(root).parts
    for depth, name in enumerate(below):  # mkdir applies its mode to the last folder only
        is_shared = not _USER_FOLDERS.isdisjoint(below[:depth])
        root.joinpath(*below[:depth], name).mkdir(mode=0o777 if is_shared else 0o700, exist_ok=True)


def make_private(path: Path) -> None:
    """Makes an empty file if there is none, and restricts the file to its owner. Raises OSError.

    Never opens an existing file, nor a new one under its final name: closing a file releases all POSIX locks that the
    process holds on it, SQLite's too, which damages the database.
    """
    if not path.exists():
        draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            os.link(draft, path)
        except FileExistsError:  # another process or thread was first
            pass
        except OSError:  # a file system without hard links
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        finally:
            draft.unlink()
    restrict_permissions(path)


def restrict_permissions(path: Path) -> None:
    """Removes the permissions of all users but the owner; Windows has no such bits. Raises OSError."""
    if os.name != "nt" and stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        path.chmod(0o600)


def _restrict_tree(root: Path) -> None:
    """Makes a folder and its content private, unless the folder already is."""
    if os.name == "nt" or not stat.S_IMODE(root.stat().st_mode) & _OTHERS:
        return
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _USER_FOLDERS]
        for path in (Path(folder), *(Path(folder) / name for name in files)):
            with suppress(FileNotFoundError):  # another process has just removed it
                mode = path.lstat().st_mode
                if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                    path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
