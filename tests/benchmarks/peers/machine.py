"""Where and of what the figures are: the processor, the commit, the day."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime

from tests.benchmarks.peers.environments import ROOT


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
