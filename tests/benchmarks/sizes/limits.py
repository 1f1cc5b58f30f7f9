"""Runs a command under a hard limit of memory: a control group's where one can be made, else prlimit's."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.peers.environments import PeerError

MOUNTED = Path("/sys/fs/cgroup")
_UNITS = {"MB": 10**6, "GB": 10**9, "MiB": 2**20, "GiB": 2**30}
_ENTER = 'echo $$ > "$0" && exec "$@"'


@dataclass(frozen=True)
class Limited:
    """How commands are started under the limit. name: what enforces it, for the table."""

    name: str
    before: tuple[str, ...] = ()

    def command(self, command: list[str]) -> list[str]:
        """The command, limited."""
        return [*self.before, *command]


def parse_bytes(text: str) -> int:
    """`8GB` → 8,000,000,000, `8GiB` → 8,589,934,592. Raises ValueError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", text)
    if not found or found[2] not in _UNITS:
        raise ValueError(f"{text!r} is no size: write 8GB or 8GiB")
    return round(float(found[1]) * _UNITS[found[2]])


@contextmanager
def limited(size: int | None, mounted: Path = MOUNTED) -> Iterator[Limited]:
    """Limits all processes of a command together (control group, page cache included), or each (prlimit --data).

    Raises PeerError where neither can be had.
    """
    if size is None:
        yield Limited("")
        return
    if group := _make_group(size, mounted):
        try:
            kind = "v2" if (group / "memory.max").exists() else "v1"
            yield Limited(f"control group {kind}", ("/bin/sh", "-c", _ENTER, str(group / "cgroup.procs")))
        finally:
            _remove(group)
        return
    if not (program := shutil.which("prlimit")):
        raise PeerError("no limit can be set: no control group can be made and prlimit is missing")
    yield Limited("prlimit --data", (program, f"--data={size}:{size}", "--"))


def _make_group(size: int, mounted: Path) -> Path | None:
    """A new group with the limit; None where the system does not let us make one."""
    controls = mounted / "cgroup.subtree_control"
    is_second = controls.is_file() and "memory" in controls.read_text().split()
    group = (mounted if is_second else mounted / "memory") / f"joinery-sizes-{os.getpid()}"
    files = ("memory.max", "memory.swap.max") if is_second else ("memory.limit_in_bytes", "memory.swappiness")
    try:
        group.mkdir()
    except OSError:
        return None
    try:
        (group / files[0]).write_text(str(size))
        with suppress(OSError):  # a kernel that does not count swap
            (group / files[1]).write_text("0")
    except OSError:
        _remove(group)
        return None
    return group


def _remove(group: Path) -> None:
    for _ in range(50):  # processes that were killed may take a moment to leave it
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
