"""Memory of a process with all its descendants and size of a folder, read again and again from /proc (Linux)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

INTERVAL = 0.05
_FOLDER_EVERY = 10  # samples
_LINES = {"RssAnon": "own", "RssShmem": "own", "RssFile": "file"}


@dataclass
class Peak:
    """The largest sums over the processes, in bytes; each is of its own moment.

    own: anonymous and shared memory; file: pages of mapped files; both: own and file at one moment. stages: own, by
    the stage that ran. folder: what the watched folder took on disk.
    """

    own: int = 0
    file: int = 0
    both: int = 0
    folder: int = 0
    stages: dict[str, int] = field(default_factory=dict)

    def add(self, own: int, file: int, stage: str) -> None:
        """Takes one sample."""
        self.own, self.file, self.both = max(self.own, own), max(self.file, file), max(self.both, own + file)
        if stage:
            self.stages[stage] = max(self.stages.get(stage, 0), own)


class Sampler:
    """Samples while it is entered. `stage` may be set to the stage that runs now."""

    def __init__(self, pid: int, folder: Path | None = None) -> None:
        self.peak, self.stage = Peak(), ""
        self._root, self._folder = psutil.Process(pid), folder
        self._seen: set[psutil.Process] = set()  # a child whose parent died goes on being counted
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def processes(self) -> list[psutil.Process]:
        """The process and its descendants that were seen and still run."""
        with suppress(psutil.Error):
            self._seen |= {self._root, *self._root.children(recursive=True)}
        self._seen = {one for one in self._seen if one.is_running()}
        return list(self._seen)

    def _run(self) -> None:
        number = 0
        while not self._ended.is_set():
            sums = {"own": 0, "file": 0}
            for process in self.processes():
                for kind, size in _memory(process.pid):
                    sums[kind] += size
            self.peak.add(sums["own"], sums["file"], self.stage)
            if self._folder is not None and number % _FOLDER_EVERY == 0:
                self.peak.folder = max(self.peak.folder, disk_bytes(self._folder))
            number += 1
            self._ended.wait(INTERVAL)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()


def _memory(pid: int) -> Iterator[tuple[str, int]]:
    with suppress(OSError):  # it ended
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in _LINES:
                yield _LINES[name], int(value.split()[0]) * 1024


def disk_bytes(folder: Path) -> int:
    """What the files below a folder take on disk; a file with several names counts once. 0 where it is missing."""
    sizes: dict[int, int] = {}
    for at, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                stat = Path(at, name).lstat()
                sizes[stat.st_ino] = stat.st_blocks * 512
    return sum(sizes.values())


def written_bytes() -> int:
    """What this process and the children that it has waited for sent to disks, without what was removed unwritten."""
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["write_bytes"]) - int(lines["cancelled_write_bytes"])
