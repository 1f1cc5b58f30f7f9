"""What a process does to itself before it opens what comes from elsewhere: a template, a graph, a checkpoint's code.

    memory_limit()        what no job of ours can use: all that the machine has, swap included
    confine(bytes)       no network from here on, and no more memory than that
    limit_cpu_seconds(more)  the system ends it after so many further seconds of computing
    Fetched              how work that may ask the hub says to its process that it is done with that

Neither can be taken back, in this process or in those that it starts. Pipes, files and AF_UNIX go on working. On Linux
a seccomp filter and resource limits do it, on Windows a job object the limits; what a system has not is told.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

OnFetched = Callable[[int], None]
"""Told once all is on this disk that comes from elsewhere, and before it is opened: bytes of weights to be mapped."""


def keep_network(mapped: int) -> None:
    """What a process does that confines itself or not: a Python program that imports Joinery."""


def confine(most: int) -> str:
    """Takes the network from this process, and all memory but `most` bytes; what could not be taken, as a sentence.

    Of memory Linux counts what the process has of its own and can write, not the files that it reads through a mapping.
    """
    if sys.platform == "win32":
        from workflows.process.sandbox.windows import limit_job

        return _NO_FILTER.format("Windows") + limit_job(most=most)
    import resource

    _set_limit(resource.RLIMIT_DATA, most, resource.getrlimit(resource.RLIMIT_DATA)[0])
    if sys.platform != "linux":
        return _NO_FILTER.format(sys.platform)
    from workflows.process.sandbox.linux import deny_network

    why = deny_network()
    return f"What comes from elsewhere is opened by a process that could connect: {why}." if why else ""


def memory_limit(mapped: int = 0) -> int:
    """All memory and swap that there is, and `mapped` bytes of files that torch maps to be written to.

    A job that would need more can but push everything else out, and be ended by the system at last.
    """
    from workflows.common.memory import total_bytes

    return total_bytes(swap=True) + mapped


def limit_cpu_seconds(more: float) -> None:
    """Has the system end this process after `more` further seconds of computing, and not of waiting."""
    used = time.process_time()
    if sys.platform == "win32":
        from workflows.process.sandbox.windows import limit_job

        limit_job(seconds=used + more)
        return
    import resource

    _set_limit(resource.RLIMIT_CPU, int(used + more) + 1, resource.RLIM_INFINITY)


_NO_FILTER = "What comes from elsewhere is opened by a process that could connect: {0} lets none give up the network."


def _set_limit(which: int, to: int, soft: int) -> None:
    """Sets the soft limit, which may be raised again up to the hard one; never above `soft`, which holds already."""
    if sys.platform == "win32":
        return
    import resource

    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (min([to, *(one for one in (soft, hard) if one != resource.RLIM_INFINITY)]), hard))
