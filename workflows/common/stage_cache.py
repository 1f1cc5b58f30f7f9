"""Caches complete stages for later builds of the same content, whatever their folder or precision.

    add(stage)   ──links──▶ draft ──renamed──▶ STAGE-KEY ──trim──▶ least recently used stages are removed
    fetch(name)  ◀─links── STAGE-KEY, which the build verifies against its manifest

Each name has a lock: two builds never make the same stage at once, and no stage is removed while it is fetched.
A stage that cannot be cached (full disk, foreign folder) costs the next build time; the current build is unaffected.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from workflows.common.errors import RequestError
from workflows.common.files import link_or_copy, purge_removed, remove, try_remove, write_atomically
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import cache_home, home, make_folder

FILE = "stage-cache.json"
DEFAULT_LIMIT = 20 << 30
_SHARE = 4  # the default limit's share of free and cached bytes together
_NAME = re.compile(r"([a-z]+)-[0-9a-f]{16}")
_LEFTOVER = re.compile(r"\.([a-z]+-[0-9a-f]{16})\.(draft|[0-9a-f]{8}\.removed)")
_POLL_S = 0.2


@dataclass(frozen=True)
class CachedStage:
    """A cached stage. bytes: of its files, some of which another stage may share. used: UTC, ISO."""

    name: str
    stage: str
    bytes: int
    used: str


class StageCache:
    """The cache in `folder`; the default is the user's cache folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_home() / "stages"

    @property
    def limit(self) -> int:
        """The most bytes it may hold; 0 turns it off. Raises RequestError for a damaged settings file."""
        chosen = read_limit()
        if chosen is not None:
            return chosen
        there = next(folder for folder in (self.folder, *self.folder.parents) if folder.is_dir())
        return min(DEFAULT_LIMIT, (shutil.disk_usage(there).free + self.bytes) // _SHARE)

    @property
    def bytes(self) -> int:
        """Bytes on the disk of all stages; a shared file counts once."""
        return sum(_sizes(*self._stages()).values())

    def stages(self) -> list[CachedStage]:
        """All stages, the most recently used first."""
        return [_described(stage) for stage in reversed(self._stages())]

    @contextmanager
    def locked(self, name: str, waiting: Callable[[str], None], check: Callable[[], None]) -> Iterator[bool]:
        """Locks the stage `name`; yields False, without a lock, where the cache is off or its folder unusable.

        waiting: called once with the holder's name. check: called while another process holds the lock; its errors end
        the wait.
        """
        lock = self._wait_for_lock(name, waiting, check) if self.limit > 0 else None
        with lock.held() if lock else nullcontext():
            yield lock is not None

    def fetch(self, name: str, folder: Path) -> bool:
        """Links the files of a stage, locked by `locked`, into the empty `folder`; whether it was complete."""
        stage = self.folder / name
        if stage.is_symlink() or not stage.is_dir():
            try_remove(stage)
            return False
        try:
            _link(stage, folder)
            os.utime(stage)
        except OSError:
            return False
        return True

    def shared_files(self, files: Iterable[Path]) -> set[Path]:
        """The files to which the cache has another hard link."""
        cached = _sizes(*self._stages())
        stats = {file: file.stat() for file in files}
        return {file for file, stat in stats.items() if (stat.st_dev, stat.st_ino) in cached}

    def remove(self, name: str) -> None:
        """Removes a stage, locked by `locked`, that does not match its manifest."""
        try_remove(self.folder / name)

    def add(self, stage: Path) -> str:
        """Caches a complete stage, locked by `locked`, and trims the cache; returns why it was not cached, else ""."""
        place, limit = self.folder / stage.name, self.limit
        if place.exists() or sum(_sizes(stage).values()) > limit:
            return ""
        draft = self.folder / f".{stage.name}.draft"
        try:
            remove(draft)
            make_folder(self.folder)
            draft.mkdir()
            _link(stage, draft)
            draft.rename(place)
        except OSError as error:
            try_remove(draft)
            return f"The stage {stage.name} is not cached for other builds: {error.strerror}."
        self.trim(limit)
        return ""

    def trim(self, limit: int) -> int:
        """Removes the least recently used stages beyond `limit` bytes, and leftovers; returns the number of stages."""
        self._sweep()
        stages, removed = self._stages(), 0
        for stage in list(stages):
            if sum(_sizes(*stages).values()) <= limit:
                break
            with _exclusive(self.folder, stage.name) as free:
                if free:
                    try_remove(stage)
                    removed += not stage.exists()
                    stages.remove(stage)
        return removed

    def clear(self) -> int:
        """Removes all stages that no build holds; the number removed."""
        return self.trim(-1)

    def _wait_for_lock(self, name: str, waiting: Callable[[str], None], check: Callable[[], None]) -> Lock | None:
        lock, notified = Lock(_lock_of(self.folder, name)), False
        while True:
            check()
            try:
                lock.acquire(_POLL_S)
                return lock
            except LockHeldError as error:
                if not notified:
                    waiting(error.holder)
                notified = True
            except OSError:  # LocksUnsupportedError is one
                return None

    def _stages(self) -> list[Path]:
        """All stages, the least recently used first."""
        paths = self.folder.iterdir() if self.folder.is_dir() else ()
        stages = [(path.stat().st_mtime_ns, path) for path in paths if _NAME.fullmatch(path.name) and path.is_dir()]
        return [path for _, path in sorted(stages)]

    def _sweep(self) -> None:
        """Removes leftovers of crashes."""
        for path in list(self.folder.iterdir()) if self.folder.is_dir() else []:
            if match := _LEFTOVER.fullmatch(path.name):
                with _exclusive(self.folder, match[1]) as free:
                    if free:
                        try_remove(path) if match[2] == "draft" else purge_removed(self.folder / match[1])


def read_limit() -> int | None:
    """The chosen limit in bytes; None where none was chosen. Raises RequestError for an invalid settings file."""
    path = home() / FILE
    if not path.is_file():
        return None
    try:
        limit = json.loads(path.read_text("utf-8"))["limit"]
    except (ValueError, KeyError, TypeError):
        limit = None
    if type(limit) is not int or limit < 0:
        raise RequestError(f"{path} is damaged: choose the limit anew with `joinery cache limit`.")
    return limit


def write_limit(limit: int | None) -> None:
    """Stores the limit in bytes for later builds: 0 turns the cache off, None restores the default."""
    path = home() / FILE
    if limit is None:
        path.unlink(missing_ok=True)
    else:
        write_atomically(path, json.dumps({"limit": limit}).encode())


def _lock_of(folder: Path, name: str) -> Path:
    return folder / f".{name}.lock"


@contextmanager
def _exclusive(folder: Path, name: str) -> Iterator[bool]:
    """Whether no build holds the stage; it stays locked in the context."""
    lock = Lock(_lock_of(folder, name))
    try:
        lock.acquire()
    except (LockHeldError, OSError):
        yield False
        return
    with lock.held():
        yield True


def _link(source: Path, target: Path) -> None:
    """Links every file below `source` into the existing folder `target`."""
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        place.mkdir() if path.is_dir() else link_or_copy(path, place)


def _sizes(*stages: Path) -> dict[tuple[int, int], int]:
    """Bytes by file, each once whatever its number of hard links; files removed meanwhile are skipped."""
    sizes: dict[tuple[int, int], int] = {}
    for stage in stages:
        for path in stage.rglob("*"):
            with suppress(OSError):
                stat = path.lstat()
                sizes[stat.st_dev, stat.st_ino] = 0 if path.is_dir() else stat.st_size
    return sizes


def _described(stage: Path) -> CachedStage:
    used = datetime.fromtimestamp(stage.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return CachedStage(stage.name, stage.name.rpartition("-")[0], sum(_sizes(stage).values()), used)
