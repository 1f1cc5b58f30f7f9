"""Confines this process before it opens untrusted input: a template, a graph, a checkpoint's code.

    memory_limit()            bytes that no job can use: all memory of the machine, swap included
    confine(bytes)            no network, and no more memory than that
    limit_cpu_seconds(more)   the system ends the process after that much further processor time
    OnFetched                 callback by which work that may use the network says that it is done with it

Nothing of it can be undone, in this process or its children. Pipes, files and AF_UNIX sockets still work. Linux does it
by a seccomp filter and resource limits, Windows limits memory by a job object; what a system lacks is reported.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

OnFetched = Callable[[int], None]
"""Called once all untrusted input is on the disk and before it is opened, with the bytes of weights to be mapped."""


def keep_network(mapped: int) -> None:
    """An OnFetched that confines nothing, for Python programs that import Joinery."""


def confine(most: int) -> str:
    """Removes network access and limits memory to `most` bytes; returns what failed, as a sentence.

    Linux counts private writable memory, not files that are mapped for reading.
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
    return f"Untrusted input is opened by a process that can reach the network: {why}." if why else ""


def memory_limit(mapped: int = 0) -> int:
    """Bytes of memory and swap of the machine plus `mapped` bytes of files that torch maps for writing.

    A job beyond it would displace all other processes and be killed by the system in the end.
    """
    from workflows.common.memory import total_bytes

    return total_bytes(swap=True) + mapped


def limit_cpu_seconds(more: float) -> None:
    """Lets the system end this process after `more` further seconds of processor time."""
    used = time.process_time()
    if sys.platform == "win32":
        from workflows.process.sandbox.windows import limit_job

        limit_job(seconds=used + more)
        return
    import resource

    _set_limit(resource.RLIMIT_CPU, int(used + more) + 1, resource.RLIM_INFINITY)


_NO_FILTER = "Untrusted input is opened by a process that can reach the network: {0} cannot remove its access."


def _set_limit(which: int, to: int, soft: int) -> None:
    """Lowers the soft limit to `to`; never above `soft`, the present one, nor above the hard limit."""
    if sys.platform == "win32":
        return
    import resource

    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (min([to, *(one for one in (soft, hard) if one != resource.RLIM_INFINITY)]), hard))
