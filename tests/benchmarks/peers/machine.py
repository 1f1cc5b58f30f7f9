"""Where and of what the figures are: the processor, the commit, the day."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.peers.environments import ROOT

WANTED_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_int8", "amx_bf16")


def processor() -> str:
    """`Intel(R) Xeon(R) Processor, 2 cores, avx2 amx_int8`: the flags that matrices care for."""
    facts = dict(_cpuinfo())
    flags = facts.get("flags", "").split()
    told = " ".join(flag for flag in WANTED_FLAGS if flag in flags)
    return f"{facts.get('model name', platform.processor())}, {os.cpu_count()} cores, {told or 'flags unknown'}"


def _cpuinfo() -> list[tuple[str, str]]:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    pairs = (line.partition(":") for line in lines if ":" in line)
    return [(key.strip(), value.strip()) for key, _, value in pairs]


def commit() -> str:
    """The commit of this tree, short, with + where files differ from it."""
    return _git("describe", "--always", "--dirty=+", "--exclude=*")


def engine_state() -> str:
    """A word for what `workflows` holds, the same for commits that leave it alone; with + where files differ."""
    return _git("rev-parse", "--short=10", "HEAD:workflows") + "+" * bool(_git("status", "--porcelain", "workflows"))


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()


def today() -> str:
    """The day, in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%d}"
