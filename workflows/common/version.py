"""What of Joinery this is: version, commit where it is known, and the parts that are installed."""

from __future__ import annotations

from pathlib import Path

from workflows import __version__
from workflows.common.build_part_finder import is_installed

_ROOT = Path(__file__).parents[2]
COMMIT_FILE = _ROOT / "resources" / "commit.txt"
"""Written into wheels by installer/commit_hook.py."""
_DIGITS = 9


def commit() -> str:
    """The commit's first nine digits, of a wheel or a checkout; empty where it is not known.

    git is not started: it might be found in the current folder.
    """
    if COMMIT_FILE.is_file():
        return COMMIT_FILE.read_text("utf-8").strip()
    try:
        return _head(_ROOT / ".git")[:_DIGITS]
    except (OSError, UnicodeDecodeError):  # no checkout, or one of another form
        return ""


def _head(folder: Path) -> str:
    """The commit that HEAD names, whose branch is in a file of its own or in packed-refs; empty for none."""
    if folder.is_file():  # a work tree of another checkout
        folder = folder.parent / folder.read_text("utf-8").removeprefix("gitdir:").strip()
    head = (folder / "HEAD").read_text("utf-8").strip()
    if not head.startswith("ref:"):
        return head
    name = head.removeprefix("ref:").strip()
    shared = folder / "commondir"
    whole = folder / shared.read_text("utf-8").strip() if shared.is_file() else folder
    if (whole / name).is_file():
        return (whole / name).read_text("utf-8").strip()
    lines = (whole / "packed-refs").read_text("utf-8").splitlines()
    return next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")


def describe_version() -> str:
    """One line: `0.3.0 (commit 1a2b3c4d5; parts: run, build)`."""
    parts = "parts: run, build" if is_installed() else "part: run"
    return f"{__version__} ({f'commit {found}; ' if (found := commit()) else ''}{parts})"
