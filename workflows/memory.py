"""Memory of this process."""

from __future__ import annotations

import os

import psutil


def peak_bytes() -> int:
    """The most memory that this process, or (not on Windows) one that it has waited for, has had resident."""
    memory = psutil.Process().memory_info()
    if hasattr(memory, "peak_wset"):  # Windows
        return int(memory.peak_wset)
    import resource

    peak = max(resource.getrusage(whose).ru_maxrss for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak if os.uname().sysname == "Darwin" else peak * 1024
