"""The child's end of a peer: jobs come in as JSON lines, figures go out. Standard library and numpy alone.

    {"do": "open", "folder": …}                     → {"seconds": …}
    {"do": "run", "ids": […], "new": n, "ends": …}  → {"ids": […], "ms": […]}     ms[0] is the prompt's
    {"do": "logits", "texts": [[n, ids], …], …}     → {"rows": n}                 written to a file, [rows, V]
    {"do": "resident"}                              → {"bytes": …}
    {"do": "extras"}                                → what else is known of the open model

A program beside this one subclasses Peer for one engine and runs in that engine's environment.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, TextIO

import numpy as np
from numpy.typing import NDArray

THREADS = 2


class Peer:
    """One engine with one model. A subclass gives open, rows, and begin and step or run in their place."""

    versions: ClassVar[dict[str, str]]

    def open(self, folder: str, capacity: int) -> None:
        """Opens the model for at most `capacity` tokens."""
        raise NotImplementedError

    def begin(self, ids: Sequence[int], ends: bool) -> int:
        """Forgets what was fed, feeds a prompt, and gives the greedy token after it.

        ends: an end token ends the text, else it is one like any other.
        """
        raise NotImplementedError

    def step(self) -> int:
        """Feeds the last token and gives the one after it."""
        raise NotImplementedError

    def rows(self, prompt: Sequence[int], following: Sequence[int]) -> list[NDArray[np.float32]]:
        """The logits [V] after the prompt, and after each token that follows it, fed one by one."""
        raise NotImplementedError

    def extras(self) -> dict[str, float]:
        """What else is known of the open model."""
        return {}

    def run(self, ids: Sequence[int], new: int, ends: int | None) -> tuple[list[int], list[float]]:
        """`new` greedy tokens after `ids`, up to the end token `ends`, and the milliseconds that each took."""
        found: list[int] = []
        times: list[float] = []
        began = time.perf_counter()
        while len(found) < new and (ends is None or ends not in found):
            found.append(self.step() if found else self.begin(ids, ends is not None))
            now = time.perf_counter()
            times.append((now - began) * 1000)
            began = now
        return found, times


def resident() -> int:
    """Bytes of this process in memory, mapped files' pages among them."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise OSError("VmRSS is missing in /proc/self/status: resident memory is measured on Linux alone.")


def answer(peer: Peer, job: dict) -> dict:
    """What one job gives."""
    what = job.pop("do")
    if what == "open":
        began = time.perf_counter()
        peer.open(job["folder"], job["capacity"])
        return {"seconds": time.perf_counter() - began, "versions": peer.versions}
    if what == "run":
        ids, times = peer.run(job["ids"], job["new"], job["ends"])
        return {"ids": ids, "ms": times}
    if what == "logits":
        rows = [row for prompt, text in job["texts"] for row in peer.rows(text[:prompt], text[prompt:])]
        np.save(job["path"], np.stack(rows))
        return {"rows": len(rows)}
    if what == "resident":
        return {"bytes": resident()}
    if what == "extras":
        return dict(peer.extras())
    raise ValueError(f"The job {what!r} is unknown.")


def serve(peer: Peer) -> None:
    """Answers jobs until the input ends. What an engine prints itself goes to stderr, so that lines stay whole."""
    out = _own_stdout()
    cores = sorted(os.sched_getaffinity(0))[:THREADS]
    os.sched_setaffinity(0, cores)
    for line in sys.stdin:
        try:
            reply = answer(peer, json.loads(line))
        except Exception as error:  # noqa: BLE001  a peer's failure of whatever kind is a figure's reason
            reply = {"error": f"{type(error).__name__}: {error}"[:400]}
        print(json.dumps(reply), file=out, flush=True)


def _own_stdout() -> TextIO:
    """The real standard output; what writes to file descriptor 1 from now on writes to stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return out
