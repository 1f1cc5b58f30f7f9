"""Where Joinery keeps its own files, which no other user of the machine may read: folders 0700, files 0600.

    make_folder  of Joinery's own folders: private; of any other: as the user's umask has it
    make_private a file of Joinery's own: there, and private

A folder of an earlier Joinery is made private when it is opened first. Files that a bundle shares with the cache of
stages keep their permissions, which are the bundle's; the folder around them is private.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_USER_FOLDERS = {"stages", "bundles"}  # below a folder of ours, with files of the user's


def home() -> Path:
    """The user's Joinery folder; the variable JOINERY_HOME moves it."""
    moved = os.environ.get("JOINERY_HOME")
    return Path(moved) if moved else user_data_path("joinery", appauthor=False)


def cache_home() -> Path:
    """The folder of what can be made anew; below the user's Joinery folder where that was moved."""
    moved = os.environ.get("JOINERY_HOME")
    return Path(moved) / "cache" if moved else user_cache_path("joinery", appauthor=False)


def is_private(path: Path) -> bool:
    """Whether a file or folder is Joinery's own, and not one that it shares with the user's bundles."""
    for root in (home(), cache_home()):
        if path.is_relative_to(root):
            return _USER_FOLDERS.isdisjoint(path.relative_to(root).parts)
    return False


def make_folder(folder: Path) -> None:
    """Makes a folder and those that it lies in. Raises OSError."""
    root = next((one for one in (home(), cache_home()) if folder.is_relative_to(one)), None)
    if root is None:
        folder.mkdir(parents=True, exist_ok=True)
        return
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    _restrict_tree(root)
    below = folder.relative_to(root).parts
    for depth, name in enumerate(below):  # mkdir gives its mode to the last one alone
        is_shared = not _USER_FOLDERS.isdisjoint(below[:depth])
        root.joinpath(*below[:depth], name).mkdir(mode=0o777 if is_shared else 0o700, exist_ok=True)


def make_private(path: Path) -> None:
    """Makes an empty file where none is; what is there is for its owner alone from now on. Raises OSError.

    A file that is there is never opened, nor a new one under its own name: when a process closes a file, it loses every
    POSIX lock that it has on it, SQLite's too, and the database is damaged.
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
    """Takes a file of Joinery's own from every user but its owner; Windows has no such bits. Raises OSError."""
    if os.name != "nt" and stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        path.chmod(0o600)


def _restrict_tree(root: Path) -> None:
    """Makes a folder of ours private with all that is in it, where it is not."""
    if os.name == "nt" or not stat.S_IMODE(root.stat().st_mode) & _OTHERS:
        return
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _USER_FOLDERS]
        for path in (Path(folder), *(Path(folder) / name for name in files)):
            with suppress(FileNotFoundError):  # another process has just removed it
                mode = path.lstat().st_mode
                if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                    path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
