"""One run of a build: its command under the sampler, with its events, killed on request.

command ──▶ JSON lines: stages ──▶ seconds of each        Result
        └─▶ sampler: memory, work folder ──▶ Peak    ───▶   or PeerError with the reason
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.benchmarks.peers.environments import PeerError
from tests.benchmarks.peers.processes import busy_seconds, share_of_others
from tests.benchmarks.sizes.sampler import Peak, Sampler, written_bytes


@dataclass
class Result:
    """What a run cost. stages: seconds of each that ended; reused: those that were whole before.

    killed: the stage that ran when it was killed ("" before the first; None: it came to its end). written: bytes sent
    to disks. others: the share of the cores that other processes took.
    """

    seconds: float = 0.0
    peak: Peak = field(default_factory=Peak)
    written: int = 0
    others: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)
    killed: str | None = None


def run(
    command: Sequence[str],
    variables: Mapping[str, str],
    log: Path,
    folder: Path,
    kill_after: float | None = None,
    longest: float = 7200.0,
) -> Result:
    """Runs a command to its end or to its death. folder: the work folder whose size is watched.

    Lines that are no events go to `log`. longest: seconds after which it counts as failed. Raises PeerError where it
    fails of itself.
    """
    result, reader = Result(), _Events()
    written, began, busy, before = written_bytes(), time.perf_counter(), busy_seconds(), sum(os.times()[:4])
    with log.open("a") as out:
        process = subprocess.Popen(
            command, env=dict(variables), text=True, errors="replace", stdout=subprocess.PIPE, stderr=out,
            start_new_session=True,
        )  # fmt: skip
        with Sampler(process.pid, folder) as sampler:
            timer = threading.Timer(longest if kill_after is None else kill_after, _kill, (process, sampler))
            timer.start()
            try:
                assert process.stdout is not None
                for line in process.stdout:
                    if not reader.take(line):
                        out.write(line)
                    sampler.stage = reader.stage
                failed = process.wait()
                process.stdout.close()
            finally:
                timer.cancel()
                timer.join()
                _kill(process, sampler)  # what an interrupt leaves
    result.seconds, own = time.perf_counter() - began, sum(os.times()[:4]) - before
    result.peak, result.written = sampler.peak, written_bytes() - written
    result.others = share_of_others(busy_seconds() - busy, own, result.seconds)
    result.stages, result.reused = reader.seconds, reader.reused
    if failed == -signal.SIGKILL and kill_after is not None and result.seconds >= kill_after:
        result.killed = reader.stage
    elif failed == -signal.SIGKILL and result.seconds >= longest:
        raise PeerError(f"it did not end within {longest:.0f} s, and was in {reader.stage or 'no stage'}")
    elif failed:
        raise PeerError(reader.error or _reason(failed, log))
    return result


class _Events:
    """The stages of a build's JSON lines. stage: the innermost that runs."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.reused: list[str] = []
        self.error = ""
        self._running: list[str] = []

    @property
    def stage(self) -> str:
        return self._running[-1] if self._running else ""

    def take(self, line: str) -> bool:
        """Reads a line; False where it is no event."""
        try:
            event = json.loads(line)
        except ValueError:
            return False
        if not isinstance(event, dict) or "event" not in event:
            return False
        if event["event"] == "error":
            self.error = str(event.get("message"))
        if event["event"] == "stage":
            self._stage(str(event["stage"]), str(event["state"]), float(event.get("seconds", 0.0)))
        return True

    def _stage(self, name: str, state: str, seconds: float) -> None:
        if state == "started":
            self._running.append(name)
            return
        if name in self._running:
            self._running.remove(name)
        if state == "reused":
            self.reused.append(name)
        elif state != "skipped":
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds


def _kill(process: subprocess.Popen[str], sampler: Sampler) -> None:
    """Kills the command's session and what it started in sessions of their own."""
    if process.poll() is not None:
        return
    started = sampler.processes()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for one in started:
        with suppress(psutil.Error):
            one.kill()


def _reason(failed: int, log: Path) -> str:
    if failed == -signal.SIGKILL:
        return "the system killed it: out of memory"
    last = (log.read_text(errors="replace").strip().splitlines() or ["no word said"])[-1]
    return f"its process ended with {failed}: {last[-160:]!r}"
