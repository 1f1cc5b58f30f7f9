"""What of Joinery this is: version, commit where it is known, and the parts that are installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

from workflows import __version__
from workflows.common.build_part_finder import is_installed

_ROOT = Path(__file__).parents[2]
COMMIT_FILE = _ROOT / "resources" / "commit.txt"
"""Written into wheels by installer/commit_hook.py."""
_GIT_SECONDS = 5.0


def commit() -> str:
    """The commit's first nine digits, with `+` in a checkout with changes; empty where it is not known."""
    if COMMIT_FILE.is_file():
        return COMMIT_FILE.read_text("utf-8").strip()
    if not (_ROOT / ".git").exists():
        return ""
    git = ["git", "-C", str(_ROOT), "describe", "--always", "--abbrev=9", "--exclude=*", "--dirty=+"]
    try:
        done = subprocess.run(git, capture_output=True, encoding="utf-8", timeout=_GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):  # no git here, or one that waits
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def describe_version() -> str:
    """One line: `0.2.0.dev0 (commit 1a2b3c4d5; parts: run, build)`."""
    parts = "parts: run, build" if is_installed() else "part: run"
    return f"{__version__} ({f'commit {found}; ' if (found := commit()) else ''}{parts})"
