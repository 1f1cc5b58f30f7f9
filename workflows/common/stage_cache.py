"""Whole stages of builds, kept for the next build of the same content, whatever its folder or precision.

    keep(stage)  ──links──▶ draft ──renamed──▶ STAGE-KEY ──trim──▶ the least recently used go, down to the limit
    fetch(name)  ◀─links── STAGE-KEY, which the build holds against its manifest before it believes a byte

Each name has a lock, so that two builds never make the same stage at once, and none goes while it is being fetched.
What cannot be kept (a full disk, a folder that is not ours) costs the next build time, and this one nothing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from workflows.common.errors import RequestError
from workflows.common.files import link_or_copy, purge_removed, remove, try_remove, write_atomically
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import cache_home, home, make_folder

FILE = "stage-cache.json"
DEFAULT_LIMIT = 20 << 30
_SHARE = 4  # of what is free and what is kept together, the part that the default never goes beyond
_NAME = re.compile(r"([a-z]+)-[0-9a-f]{16}")
_LEFTOVER = re.compile(r"\.([a-z]+-[0-9a-f]{16})\.(draft|[0-9a-f]{8}\.removed)")
_POLL_S = 0.2


@dataclass(frozen=True)
class CachedStage:
    """A stage in the cache. bytes: of its files, some of which another stage may share. used: UTC, ISO."""

    name: str
    stage: str
    bytes: int
    used: str


class StageCache:
    """The cache in `folder`, else in the person's own."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_home() / "stages"

    @property
    def limit(self) -> int:
        """Bytes that it may hold; 0 where nothing is kept. Raises RequestError where the settings file is damaged."""
        chosen = read_limit()
        if chosen is not None:
            return chosen
        there = next(folder for folder in (self.folder, *self.folder.parents) if folder.is_dir())
        return min(DEFAULT_LIMIT, (shutil.disk_usage(there).free + self.bytes) // _SHARE)

    @property
    def bytes(self) -> int:
        """What all stages take on the disk: a file that several of them share counts once."""
        return sum(_sizes(*self._stages()).values())

    def kept(self) -> list[CachedStage]:
        """All stages, the one that was used last first."""
        return [_described(stage) for stage in reversed(self._stages())]

    @contextmanager
    def alone(self, name: str, waiting: Callable[[str], None], check: Callable[[], None]) -> Iterator[bool]:
        """Holds the stage `name`; gives False, without a lock, where nothing is kept or its folder cannot be used.

        waiting: told who has it, once. check: called while another has it; what it raises ends the waiting.
        """
        with ExitStack() as held:
            yield self.limit > 0 and self._take(name, held, waiting, check)

    def fetch(self, name: str, folder: Path) -> bool:
        """Links the files of a stage, held by `alone`, into the empty `folder`; whether it was there whole."""
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

    def held(self, files: Iterable[Path]) -> set[Path]:
        """Those of which the cache has another name."""
        kept = _sizes(*self._stages())
        stats = {file: file.stat() for file in files}
        return {file for file, stat in stats.items() if (stat.st_dev, stat.st_ino) in kept}

    def drop(self, name: str) -> None:
        """Forgets a stage, held by `alone`, that is not what its manifest says."""
        try_remove(self.folder / name)

    def keep(self, stage: Path) -> str:
        """Keeps a whole stage, held by `alone`, and makes room for it; why not, where it is not kept."""
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
            return f"The stage {stage.name} is not kept for other builds: {error.strerror}."
        self.trim(limit)
        return ""

    def trim(self, limit: int) -> int:
        """Removes what was used longest ago until at most `limit` bytes are kept, and what crashes left; how many."""
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
        """Removes all that no build holds; how many stages."""
        return self.trim(-1)

    def _take(self, name: str, held: ExitStack, waiting: Callable[[str], None], check: Callable[[], None]) -> bool:
        lock, told = Lock(_lock_of(self.folder, name)), False
        while True:
            check()
            try:
                lock.take(_POLL_S)
            except LockHeldError as error:
                if not told:
                    waiting(error.holder)
                told = True
            except OSError:  # NoLocksError among them
                return False
            else:
                held.enter_context(lock.held())
                return True

    def _stages(self) -> list[Path]:
        """The one that was used longest ago first."""
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        stages = [(path.stat().st_mtime_ns, path) for path in found if _NAME.fullmatch(path.name) and path.is_dir()]
        return [path for _, path in sorted(stages)]

    def _sweep(self) -> None:
        """Removes what a crash left half-way."""
        for path in list(self.folder.iterdir()) if self.folder.is_dir() else []:
            if left := _LEFTOVER.fullmatch(path.name):
                with _exclusive(self.folder, left[1]) as free:
                    if free:
                        try_remove(path) if left[2] == "draft" else purge_removed(self.folder / left[1])


def read_limit() -> int | None:
    """Bytes that a person chose; None where none did. Raises RequestError where what was written is no such number."""
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
    """Writes down how many bytes may be kept, from the next build on: 0 keeps nothing, None what is usual."""
    path = home() / FILE
    if limit is None:
        path.unlink(missing_ok=True)
    else:
        write_atomically(path, json.dumps({"limit": limit}).encode())


def _lock_of(folder: Path, name: str) -> Path:
    return folder / f".{name}.lock"


@contextmanager
def _exclusive(folder: Path, name: str) -> Iterator[bool]:
    """Whether nobody holds the stage; while this lasts, nobody else can."""
    lock = Lock(_lock_of(folder, name))
    with ExitStack() as held:
        free = True
        try:
            lock.take()
            held.enter_context(lock.held())
        except (LockHeldError, OSError):
            free = False
        yield free


def _link(source: Path, target: Path) -> None:
    """Every file of `source`, folders and all, into `target`, which is there."""
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        place.mkdir() if path.is_dir() else link_or_copy(path, place)


def _sizes(*stages: Path) -> dict[tuple[int, int], int]:
    """Bytes by file, each once however many names it has; what goes away meanwhile counts as gone."""
    found: dict[tuple[int, int], int] = {}
    for stage in stages:
        for path in stage.rglob("*"):
            with suppress(OSError):
                stat = path.lstat()
                found[stat.st_dev, stat.st_ino] = 0 if path.is_dir() else stat.st_size
    return found


def _described(stage: Path) -> CachedStage:
    used = datetime.fromtimestamp(stage.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return CachedStage(stage.name, stage.name.rpartition("-")[0], sum(_sizes(stage).values()), used)
