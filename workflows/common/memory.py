"""Memory: of this process, and what all of them may have."""

from __future__ import annotations

import gc
import math
import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    import numpy as np

    from workflows.common.tensors import Array

_UNLIMITED = 1 << 62  # what version 1 says of a group without a limit, and more


def peak_bytes() -> int:
    """The most memory that this process, or (not on Windows) one that it has waited for, has had resident."""
    memory = psutil.Process().memory_info()
    if hasattr(memory, "peak_wset"):  # Windows
        return int(memory.peak_wset)
    import resource

    peak = max(resource.getrusage(whose).ru_maxrss for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak if os.uname().sysname == "Darwin" else peak * 1024


def total_bytes(swap: bool = False) -> int:
    """All memory that there is for a process here, with swap or without: the machine's, or its control group's."""
    swapped = int(psutil.swap_memory().total) if swap else 0
    return min([int(psutil.virtual_memory().total) + swapped, *(_limit(group, swapped) for group in _control_groups())])


def free_bytes() -> int:
    """Bytes that a process could still take without swapping: the machine's, or what its control group has left."""
    left = (_limit(group, 0) - _used(group) for group in _control_groups())
    return max(0, min([int(psutil.virtual_memory().available), *left]))


@contextmanager
def gc_paused() -> Iterator[None]:
    """Around what makes many objects that stay: the garbage collector would look through them a hundred times over
    while they are made, and with each later look, which takes a quarter of the time of reading a graph and a tenth of a
    small build's. Circles that are garbage by then would stay with them, so what is young is collected before.
    """
    collected = gc.isenabled()
    gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collected:
            gc.enable()


def lazy_zeros(shape: tuple[int, ...], dtype: np.dtype, large: bool = False) -> Array:
    """Zeros of which a page takes memory when it is written to, and until then address space alone.

    large: pages of 2 MB where the system has them, as numpy's own zeros: quicker to read where most will be written.
    Raises OSError where there is no such address space.
    """
    import numpy as np

    size = math.prod(shape) * dtype.itemsize
    if not size:
        return np.zeros(shape, dtype)
    pages = mmap.mmap(-1, size) if sys.platform == "win32" else mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANON)
    if sys.platform == "linux":
        with suppress(OSError):  # a kernel that has none
            pages.madvise(mmap.MADV_HUGEPAGE if large else mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(pages, dtype).reshape(shape)


def _control_groups() -> list[Path]:
    """Those that bound this process, where its system has any."""
    if sys.platform != "linux":
        return []
    named = Path("/proc/self/cgroup")
    return list(control_group_folders(named.read_text("utf-8"), Path("/sys/fs/cgroup"))) if named.is_file() else []


def control_group_folders(named: str, mounted: Path) -> Iterator[Path]:
    """The folders of the groups that this process is in and of those above, which bound it just as much.

    Version 2 names one group (`0::/a/b`), version 1 one for each controller (`7:memory:/a/b`). Within a container that
    sees its own group as the root, that of the outside is not there: then the root's own files tell.
    """
    for line in named.splitlines():
        number, controllers, name = line.split(":", 2)
        if number == "0" or "memory" in controllers.split(","):
            root = mounted if number == "0" else mounted / "memory"
            for inner in (PurePosixPath(name.lstrip("/")), *PurePosixPath(name.lstrip("/")).parents):
                yield root / inner


def _limit(group: Path, swap: int) -> int:
    """What it may have, and of the machine's swap as much as it may; a great deal where nothing bounds it."""
    memory = _first_number(group / "memory.max", group / "memory.limit_in_bytes")
    both = _first_number(group / "memory.memsw.limit_in_bytes")
    more = both - memory if both < _UNLIMITED else _first_number(group / "memory.swap.max")
    return memory + min(swap, more)


def _used(group: Path) -> int:
    """What it has now, without the files that it has read and could do without."""
    used = _first_number(group / "memory.current", group / "memory.usage_in_bytes")
    return 0 if used >= _UNLIMITED else used - _stat_value(group / "memory.stat", "inactive_file")


def _first_number(*files: Path) -> int:
    """In the first of them that is there; _ENDLESS where none is, or it says that there is no limit."""
    for file in files:
        if file.is_file():
            said = file.read_text("utf-8").strip()
            return min(int(said), _UNLIMITED) if said.isdecimal() else _UNLIMITED
    return _UNLIMITED


def _stat_value(file: Path, key: str) -> int:
    """A row of a table of keys and numbers; 0 where it has none."""
    rows = (line.split() for line in file.read_text("utf-8").splitlines()) if file.is_file() else ()
    return next((int(number) for name, number in rows if name == key), 0)


def trim_heap() -> None:
    """Has the C library return what was freed to the system, where it is one (glibc) that keeps it by itself: a model
    that was taken apart leaves some hundred megabytes of holes."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
