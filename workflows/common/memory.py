"""Memory of this process, of the machine and of the control group; garbage collection."""

from __future__ import annotations

import gc
import math
import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from workflows.common.control_groups import control_groups

if TYPE_CHECKING:
    import numpy as np

    from workflows.common.tensors import Array

_UNLIMITED = 1 << 62  # at least what cgroup v1 reports for a group without a limit


def peak_bytes() -> int:
    """Peak resident memory in bytes of this process or (not on Windows) of a child that it has waited for."""
    memory = psutil.Process().memory_info()
    if hasattr(memory, "peak_wset"):  # Windows
        return int(memory.peak_wset)
    import resource

    peak = max(resource.getrusage(whose).ru_maxrss for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak if os.uname().sysname == "Darwin" else peak * 1024


def total_bytes(swap: bool = False) -> int:
    """Bytes of memory that this process may use at most, by the machine and its control groups."""
    swapped = int(psutil.swap_memory().total) if swap else 0
    return min(
        [int(psutil.virtual_memory().total) + swapped, *(_limit(group, swapped) for group in control_groups("memory"))]
    )


def free_bytes() -> int:
    """Bytes that a process can still allocate without swapping, by the machine and the control groups."""
    free = (_limit(group, 0) - _used(group) for group in control_groups("memory"))
    return max(0, min([int(psutil.virtual_memory().available), *free]))


def obtainable_bytes() -> int:
    """The most bytes that a process can get while the system swaps, and drops all pages that a file holds, too.

    Windows and macOS enlarge their swap as needed, so there it is all memory at least.
    """
    swap = int(psutil.swap_memory().free)
    groups = (_limit(group, swap) - _used(group) + _active_file(group) for group in control_groups("memory"))
    machine = psutil.virtual_memory()
    least = int(machine.total) if sys.platform in ("win32", "darwin") else 0
    return max(0, min([max(int(machine.available) + swap, least), *groups]))


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pauses the garbage collector around code that makes many long-lived objects, and freezes these at the end.

    Collections during and after such code cost a quarter of the time of reading a graph and a tenth of a small build.
    Cyclic garbage of that time would be frozen too, so the young generations are collected before.
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
    """An array of zeros whose pages take memory when they are first written.

    large: use pages of 2 MiB where the system has them, as numpy does: faster to read if most pages will be written.
    Raises OSError if the address space is exhausted.
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


def _limit(group: Path, swap: int) -> int:
    """The group's limit in bytes with at most `swap` bytes of swap; _UNLIMITED or more without a limit."""
    memory = _first_number(group / "memory.max", group / "memory.limit_in_bytes")
    both = _first_number(group / "memory.memsw.limit_in_bytes")
    more = both - memory if both < _UNLIMITED else _first_number(group / "memory.swap.max")
    return memory + min(swap, more)


def _used(group: Path) -> int:
    """Bytes that the group uses, without the file cache that the system can drop."""
    used = _first_number(group / "memory.current", group / "memory.usage_in_bytes")
    return 0 if used >= _UNLIMITED else used - _stat_value(group / "memory.stat", "inactive_file")


def _active_file(group: Path) -> int:
    """Bytes of the file cache that were read more than once."""
    return _stat_value(group / "memory.stat", "active_file")


def _first_number(*files: Path) -> int:
    """The number in the first of the files that exists; _UNLIMITED without one, or where it states no limit."""
    for file in files:
        if file.is_file():
            text = file.read_text("utf-8").strip()
            return min(int(text), _UNLIMITED) if text.isdecimal() else _UNLIMITED
    return _UNLIMITED


def _stat_value(file: Path, key: str) -> int:
    """A row of a table of keys and numbers; 0 where it has none."""
    rows = (line.split() for line in file.read_text("utf-8").splitlines()) if file.is_file() else ()
    return next((int(number) for name, number in rows if name == key), 0)


def trim_heap() -> None:
    """Returns freed memory to the system, which glibc keeps: a model leaves some hundred megabytes of holes."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
