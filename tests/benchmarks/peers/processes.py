"""Child processes: one that is asked by JSON lines, and one whose time and memory are taken."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from tests.benchmarks.peers.environments import Environment, PeerError

UNSEEN = -1.0


@dataclass(frozen=True)
class Cost:
    """Wall and CPU seconds of a command, and the most bytes that it and its children had resident at once.

    others: the share of the cores that other processes took meanwhile, 0 for a quiet machine; UNSEEN in notes of
    earlier versions.
    """

    wall: float
    cpu: float
    peak: int
    others: float = UNSEEN


class Child:
    """An engine's program. Its stderr goes to `log`."""

    def __init__(self, environment: Environment, program: str, log: Path) -> None:
        self._log = log.open("a")
        self._process = subprocess.Popen(
            environment.command(program), env=environment.variables_of_child, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
        )  # fmt: skip

    def ask(self, **job: object) -> dict:
        """The answer to a job. Raises PeerError where the engine failed or its process ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise PeerError(f"its process ended with {self._process.wait()} at the job {job['do']!r}")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(str(answer["error"]))
        return answer

    def cpu(self) -> float:
        """CPU seconds that the process has taken."""
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()
        self._log.close()


class Others:
    """The share of the cores that other processes took since `begin`."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def begin(self) -> None:
        """Takes the clocks."""
        self._at, self._busy, self._own = time.perf_counter(), busy_seconds(), self._child.cpu()

    def share(self) -> float:
        """0 for a quiet machine, 1 where nothing was left."""
        wall = time.perf_counter() - self._at
        return share_of_others(busy_seconds() - self._busy, self._child.cpu() - self._own, wall)


def share_of_others(busy: float, own: float, wall: float) -> float:
    """Of `wall` seconds on all cores what is neither idle nor one's own."""
    return max(0.0, (busy - own) / wall / (os.cpu_count() or 1))


def busy_seconds() -> float:
    """CPU seconds of all cores together since the machine started."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq + times.steal)


def cost_of(command: list[str], variables: dict[str, str], log: Path) -> Cost:
    """Runs a command to its end. Raises PeerError where it fails."""
    began, before, busy = time.perf_counter(), os.times(), busy_seconds()
    with log.open("a") as out:
        process = subprocess.Popen(command, env=variables, stdout=out, stderr=out)
        peak: list[int] = [0]
        watcher = threading.Thread(target=_watch, args=(process, peak), daemon=True)
        watcher.start()
        failed = process.wait()
        watcher.join()
    wall, after, busy = time.perf_counter() - began, os.times(), busy_seconds() - busy
    if failed:
        last = (log.read_text(errors="replace").strip().splitlines() or ["no word said"])[-1]
        raise PeerError(f"its build ended with {failed}: {last[-160:]!r}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(wall, cpu, peak[0], share_of_others(busy, cpu, wall))


def _watch(process: subprocess.Popen[bytes], peak: list[int]) -> None:
    root = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            peak[0] = max(peak[0], sum(one.memory_info().rss for one in [root, *root.children(recursive=True)]))
        except psutil.Error:
            continue
        time.sleep(0.05)
