"""Memory of this process."""

from __future__ import annotations

import os

import psutil


def peak_bytes() -> int:
    """The most memory that this process has had resident."""
    memory = psutil.Process().memory_info()
    if hasattr(memory, "peak_wset"):  # Windows
        return int(memory.peak_wset)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if os.uname().sysname == "Darwin" else peak * 1024
