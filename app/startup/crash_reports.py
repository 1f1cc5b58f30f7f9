"""Reports of windows that a fault ended: time, versions and Python stacks, in the folder `crashes` of Joinery's own.

    start ──▶ crashes/<name>.running: versions; faulthandler appends signal and stacks ──proper end──▶ removed
    next start: one whose process is gone ──▶ crashes/<name>.txt if it has stacks, else (it was killed) removed

Imports no Qt, so that a window that dies while Qt is loaded leaves a report, too. A report has no text of a person: of
the files in a stack, it names the path within the package.
"""

from __future__ import annotations

import faulthandler
import os
import platform
import re
import secrets
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import metadata
from io import FileIO
from pathlib import Path

from workflows import __version__
from workflows.common.files import try_remove, write_atomically
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import make_folder, make_private

FOLDER, RUNNING, REPORT = "crashes", ".running", ".txt"
MOST_REPORTS = 5
_HEADER_END = b"\n\n"
_PATH = re.compile(r'File "([^"]+)"')
_ROOTS = re.compile(r"(?:.*/)?(?:site-packages|dist-packages|python3\.\d+|Lib)/")
_CODE = str(Path(__file__).parents[2]).replace("\\", "/") + "/"


@contextmanager
def recorded_crashes(home: Path) -> Iterator[None]:
    """Has this process leave a report if a signal or an exception ends it."""
    folder = home / FOLDER
    name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    path, lock = folder / f"{name}{RUNNING}", _lock(folder, name)
    try:
        make_folder(folder)
        lock.acquire()
        make_private(path)
        file = FileIO(path, "w")
    except (OSError, LockHeldError):  # the window says itself that its folder cannot be written
        yield
        return
    with lock.held():
        try:
            with file, _stacks_in(file):
                yield
        finally:
            if not _stacks(path):
                try_remove(path)


@contextmanager
def _stacks_in(file: FileIO) -> Iterator[None]:
    """Appends the stacks of all threads when a signal ends the process, and of this one when an exception does."""
    file.write(_header().encode())
    faulthandler.enable(file)
    try:
        yield
    except Exception as error:
        frames = reversed(traceback.extract_tb(error.__traceback__))
        stack = "".join(f'  File "{one.filename}", line {one.lineno} in {one.name}\n' for one in frames)
        file.write(f"Python exception {type(error).__name__}\n\n{stack}".encode())  # its message may have a path
        raise
    finally:
        faulthandler.disable()


def take_new_report(home: Path) -> Path | None:
    """Turns what windows that are gone left into reports; the newest of these, once. Keeps MOST_REPORTS."""
    folder = home / FOLDER
    new = list[Path]()
    for path in sorted(folder.glob(f"*{RUNNING}")):
        lock = _lock(folder, path.stem)
        with suppress(LockHeldError, OSError):  # its window is open, or its folder read-only
            lock.acquire()
            with lock.held():
                new += _finish(path)
    for old in sorted(folder.glob(f"*{REPORT}"))[:-MOST_REPORTS]:
        try_remove(old)
    return new[-1] if new else None


def crash_time(report: Path) -> str:
    """When the window ended, in UTC as ISO 8601; empty where the report does not say. Raises OSError."""
    ended = re.search(r"^Ended (\S+)$", report.read_text("utf-8", "replace"), re.MULTILINE)
    return ended[1] if ended else ""


def _lock(folder: Path, name: str) -> Lock:
    return Lock(folder / f".{name}.lock")


def _finish(path: Path) -> Iterator[Path]:
    """Yields the report of a window that is gone; nothing if it was killed, which leaves no stacks. Raises OSError."""
    if not path.exists():  # another window was first
        return
    if stacks := _stacks(path):
        header = path.read_bytes().partition(_HEADER_END)[0].decode("utf-8", "replace")
        ended = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
        text = _PATH.sub(_short_path, stacks)
        report = path.with_suffix(REPORT)
        write_atomically(report, f"{header}\nEnded {ended}\n\n{text}".encode())
        yield report
    try_remove(path)


def _stacks(path: Path) -> str:
    """What follows the versions; empty while the process runs or ended properly, and where it was killed."""
    return path.read_bytes().partition(_HEADER_END)[2].decode("utf-8", "replace")


def _header() -> str:
    """Versions, and when the window started."""
    try:
        qt = metadata.version("PySide6")
    except metadata.PackageNotFoundError:  # of a frozen program
        qt = "of this program"
    started = datetime.now(UTC).isoformat(timespec="seconds")
    versions = f"Joinery {__version__}\nPython {platform.python_version()}, PySide6 {qt}\n{platform.platform()}\n"
    return f"{versions}Process {os.getpid()}\nStarted {started}\n\n"


def _short_path(match: re.Match[str]) -> str:
    """`File "/home/ada/…/site-packages/pyqtgraph/Qt.py"` as `File "pyqtgraph/Qt.py"`."""
    path = match[1].replace("\\", "/")
    inside = path.removeprefix(_CODE) if path.startswith(_CODE) and "site-packages" not in path else ""
    if not inside:
        inside = _ROOTS.sub("", path) if _ROOTS.match(path) else path.rpartition("/")[2]
    return f'File "{inside}"'
