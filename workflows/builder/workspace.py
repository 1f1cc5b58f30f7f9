"""The folder beside the target where completed stages are kept, and the time and memory of each.

draft ──make──▶ files, evidence ──hashed──▶ manifest ──renamed──▶ STAGE-KEY ──verified──▶ reused, or made again
                                                                      ▲ │
                                                other folders' builds │ ▼ StageCache: links to the same files
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from workflows.bundle.evidence import Evidence, save_evidence
from workflows.bundle.manifest import read_manifest, write_manifest
from workflows.bundle.read import read_bundle, read_cost
from workflows.bundle.verify import find_problems
from workflows.bundle.write import check_target, locked_target
from workflows.common.errors import BundleError, Cancelled
from workflows.common.files import link_or_copy, purge_removed, raise_disk_full, remove, try_remove
from workflows.common.memory import peak_bytes
from workflows.common.stage_cache import StageCache
from workflows.wire.events import BuildDone, Event, LogEvent, Stage, StageEvent

_STAGE = re.compile(r"[a-z]+-[0-9a-f]{16}")
_WAITING_MESSAGE = "The stage {0} is being made by {1}: waiting for it."
Report = Callable[[Event], None]


class BuildWorkspace:
    """The folder beside the target with the completed stages; `cache` shares them with other targets."""

    def __init__(self, folder: Path, report: Report, cancelled: Callable[[], bool], cache: StageCache) -> None:
        self.folder, self._report, self._cancelled, self._cache = folder, report, cancelled, cache

    def report(self, event: Event) -> None:
        """Forwards the event; raises Cancelled after a cancellation."""
        self.check()
        self._report(event)

    def check(self) -> None:
        """Raises Cancelled after a cancellation."""
        if self._cancelled():
            raise Cancelled("The build was cancelled; its completed stages are kept for the next build.")

    def stage(self, name: Stage, key: str, make: Callable[[Path], Evidence]) -> Path:
        """Returns the folder of the stage; runs `make(folder) -> evidence` unless a complete one exists."""
        self.check()
        done = self.folder / stage_folder(name, key)
        with self._cache.locked(
            done.name, lambda holder: self._log(_WAITING_MESSAGE.format(name, holder)), self.check
        ) as cached:
            if not self._is_complete(name, done) and not (cached and self._fetched(name, done)):
                self._make(name, done, make)
            if cached and (why := self._cache.add(done)):
                self._log(why)
        return done

    def transfer_files(self, files: Mapping[Path, Path]) -> None:
        """Moves files of stages to the bundle; copies those that the cache links to."""
        linked = self._cache.shared_files(files)
        for source, target in files.items():
            (shutil.copyfile if source in linked else link_or_copy)(source, target)

    def _is_complete(self, name: Stage, done: Path) -> bool:
        """Whether the stage exists and is complete; removes an incomplete one."""
        if self._is_whole(done):
            self._report(StageEvent(stage=name, state="reused", note="completed by an earlier build"))
            return True
        if os.path.lexists(done):
            self._log(f"The stage {name} of an earlier build is damaged: it is made again.")
            remove(done)
        return False

    def _fetched(self, name: Stage, done: Path) -> bool:
        """Whether the cache had the complete stage."""
        draft = self.draft_folder(name)
        if not self._cache.fetch(done.name, draft):
            return False
        draft.rename(done)
        if self._is_complete(name, done):
            return True
        self._cache.remove(done.name)
        return False

    def _make(self, name: Stage, done: Path, make: Callable[[Path], Evidence]) -> None:
        draft = self.draft_folder(name)
        with timed_stage(self._report, name) as spent, raise_disk_full(self.folder / name):
            evidence = make(draft)
        with raise_disk_full(self.folder / name):
            for entry in evidence:
                entry |= spent
            save_evidence(draft, evidence)
            write_manifest(draft)
            draft.rename(done)

    def _log(self, message: str) -> None:
        self._report(LogEvent(message=message))

    def draft_folder(self, name: str) -> Path:
        """Creates an empty folder for files in progress; no build takes it for a stage."""
        draft = self.folder / f"{name}.draft"
        remove(draft)
        draft.mkdir(parents=True)
        return draft

    def remove_leftovers(self) -> None:
        """Removes everything except stages, and the folder itself where it has none; what cannot be removed stays."""
        is_ours = self.folder.is_dir() and not self.folder.is_symlink()
        entries = list(self.folder.iterdir()) if is_ours else []
        others = [entry for entry in entries if not _STAGE.fullmatch(entry.name)]
        for entry in others if len(others) < len(entries) else [self.folder]:
            try_remove(entry)

    def _is_whole(self, stage: Path) -> bool:
        """Whether every byte of the stage matches its manifest. Raises Cancelled after a cancellation."""
        try:
            return not stage.is_symlink() and not any(find_problems(stage, read_manifest(stage), self._cancelled))
        except (BundleError, OSError):
            return False


def work_folder(out: Path) -> Path:
    """The folder of the stages of the target `out`."""
    return out.with_name(f".{out.name}.build")


def stage_folder(name: Stage, key: str) -> str:
    """The name of the folder of a complete stage."""
    return f"{name}-{key[:16]}"


def has_stage(out: Path, name: Stage, key: str) -> bool:
    """Whether the work folder or the stage cache has the stage; it may turn out to be damaged."""
    return any((folder / stage_folder(name, key)).is_dir() for folder in (work_folder(out), StageCache().folder))


@contextmanager
def open_workspace(out: Path, force: bool, report: Report, cancelled: Callable[[], bool]) -> Iterator[BuildWorkspace]:
    """Locks `out` and yields its workspace, which stays after a failure. Raises RequestError as check_target does."""
    with raise_disk_full(out), locked_target(out):
        check_target(out, force)  # another build may have ended meanwhile
        work = BuildWorkspace(work_folder(out), report, cancelled, StageCache())
        purge_removed(work.folder)
        work.remove_leftovers()
        try:
            yield work
        except BaseException:
            work.remove_leftovers()
            raise
        try_remove(work.folder)


def build_summary(out: Path, began: float, streamed: bool = False) -> BuildDone:
    """The summary of the complete bundle `out`; began: its start by time.monotonic; streamed: see BuildDone."""
    bundle = read_bundle(out)
    return BuildDone(
        bundle=str(out),
        seconds=round(time.monotonic() - began, 3),
        bytes=bundle.bytes,
        components=list(bundle.pipeline.pipeline.sessions),
        streamed=streamed,
        cost=read_cost(bundle),
    )


@contextmanager
def timed_stage(report: Report, stage: Stage) -> Iterator[dict[str, float]]:
    """Reports the start and the end of a stage; fills the dict that it yields with `seconds` and `peak_mib`."""
    spent: dict[str, float] = {}
    began = time.monotonic()
    report(StageEvent(stage=stage, state="started"))
    try:
        yield spent
    except BaseException as error:
        spent |= _usage(began)
        note = str(error) or type(error).__name__
        report(StageEvent(stage=stage, state="failed", note=note, seconds=spent["seconds"], peak_mib=spent["peak_mib"]))
        raise
    spent |= _usage(began)
    report(StageEvent(stage=stage, state="done", seconds=spent["seconds"], peak_mib=spent["peak_mib"]))


def _usage(began: float) -> dict[str, float]:
    return {"seconds": round(time.monotonic() - began, 3), "peak_mib": round(peak_bytes() / 2**20, 1)}
