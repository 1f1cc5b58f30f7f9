"""Ctrl+C at random moments of each command: exit code 130, one sentence, within LIMIT_S.

    python -m tests.faults.interrupts --seed 0 --count 10 [--only build eval]         (POSIX)

    command ──started as by a terminal, a group of its own──▶ SIGINT to the group after 0 … its duration ──▶ Interrupted

--count is that of each command. Prints a table, what fell short, and ends with 1 if anything did.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workflows.common.errors import Cancelled
from workflows.process.subprocesses import python_command

LIMIT_S = 2.0
BOOT_S = 0.08
"""The least moment: until then Python itself starts, and ends with a traceback of its own."""
END_S = 60.0


@dataclass(frozen=True)
class Interrupted:
    """A command after SIGINT. moment: seconds after its start. seconds: from SIGINT to its end. lines: of stderr."""

    command: str
    moment: float
    code: int
    seconds: float
    lines: tuple[str, ...]

    @property
    def fault(self) -> str:
        """What fell short; empty for an end by SIGINT in time, and for a command that had done its work."""
        if self.code == 0:
            return "" if self.seconds <= LIMIT_S else f"ended after {self.seconds:.1f} s"
        if self.code != Cancelled.exit_code:
            return f"exit code {self.code}"
        if any(line.startswith("Traceback") for line in self.lines):
            return "a traceback"
        last = (self.lines or ("",))[-1]
        if not (last.startswith("joinery: ") and "ancelled" in last):
            return f"its last line is {last!r}"
        return "" if self.seconds <= LIMIT_S else f"ended after {self.seconds:.1f} s"


def interrupt(name: str, arguments: Sequence[str], moment: float, home: Path) -> Interrupted | None:
    """Starts a command and interrupts it; None if it ended before."""
    command = [*python_command("workflows"), *arguments]
    with tempfile.TemporaryFile() as log:
        running = subprocess.Popen(
            command,
            env=os.environ | {"JOINERY_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
        try:
            time.sleep(moment)
            if running.poll() is not None:
                return None
            os.killpg(running.pid, signal.SIGINT)
            began = time.monotonic()
            code = running.wait(END_S)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            code = running.wait()
        log.seek(0)
        lines = tuple(line for line in log.read().decode("utf-8", "replace").splitlines() if line.strip())
    return Interrupted(name, moment, code, time.monotonic() - began, lines)


def commands(bundle: Path, folder: Path) -> dict[str, list[str]]:
    """The command lines by name; a build replaces the one before."""
    one = str(bundle)
    return {
        "build": ["build", "demo:qwen3", "--out", str(folder / "out"), "--force"],
        "build int4": ["build", "demo:qwen3", "--out", str(folder / "out4"), "--force", "--precision", "int4"],
        "generate": ["generate", one, "--prompt", "What is 8 times 7?", "--max-new-tokens", "400"],
        "chat": ["chat", one],
        "inspect": ["inspect", one],
        "eval": ["eval", one, "--against", "demo:qwen3"],
        "bench": ["bench", one],
        "diverge": ["diverge", one, one, "--prompt", "What is 8 times 7?"],
        "profile": ["profile", one],
        "preflight": ["preflight", one, "--provider", "cpu"],
        "verify": ["verify", one],
        "devices": ["devices"],
        "report": ["report", one, "--out", str(folder / "report.html")],
        "runs": ["runs"],
    }


def duration(arguments: Sequence[str], home: Path) -> float:
    """Seconds that a command takes when nobody interrupts it."""
    began = time.monotonic()
    subprocess.run(
        [*python_command("workflows"), *arguments],
        env=os.environ | {"JOINERY_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return time.monotonic() - began


def interrupted(
    lines: Mapping[str, Sequence[str]], count: int, seed: int, home: Path, most_s: float = 10.0
) -> Iterator[Interrupted]:
    """Each command `count` times, at moments drawn by the seed from BOOT_S to its duration, at most `most_s`."""
    for name, arguments in lines.items():
        draw = random.Random(f"{seed} {name}")
        last = max(2 * BOOT_S, min(most_s, duration(arguments, home)))
        for _ in range(count):
            result = interrupt(name, arguments, draw.uniform(BOOT_S, last), home)
            if result is not None:
                yield result


def table(results: Sequence[Interrupted]) -> str:
    """A line per command: how many were interrupted, how many fell short, the seconds to the end."""
    lines = [f"{'command':12} {'cases':>5} {'short':>5} {'median':>7} {'most':>6} s"]
    for name in dict.fromkeys(one.command for one in results):
        rows = [one for one in results if one.command == name]
        seconds = [one.seconds for one in rows]
        short = sum(bool(one.fault) for one in rows)
        lines.append(f"{name:12} {len(rows):5} {short:5} {statistics.median(seconds):7.2f} {max(seconds):6.2f}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle, home = folder / "bundle", folder / "home"
        build = [*python_command("workflows"), "build", "demo:qwen3", "--out", str(bundle)]
        subprocess.run(build, check=True, env=os.environ | {"JOINERY_HOME": str(home)}, stdout=subprocess.DEVNULL)
        lines = {one: line for one, line in commands(bundle, folder).items() if one in (options.only or [one])}
        results = []
        for one in interrupted(lines, options.count, options.seed, home):
            results.append(one)
            if one.fault:
                shown = "\n    ".join(one.lines[-6:])
                sys.stdout.write(
                    f"{one.command} at {one.moment:.2f} s: {one.fault} ({one.seconds:.1f} s)\n    {shown}\n"
                )
                sys.stdout.flush()
    sys.stdout.write(table(results) + "\n")
    return int(any(one.fault for one in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
