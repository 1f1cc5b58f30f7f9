"""Which commit a table of figures was made at, and what changed since.

header_line("workflows/export", …) ──▶ a line in the document's header ──runs_in──▶ Run ──changes──▶ commits since
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
_DIRTY = " with uncommitted changes"
_LINE = re.compile(rf"^Commit of the run: `([0-9a-f]{{7,40}})`({_DIRTY})?; depends on ((?:`[^`]+`(?:, )?)+)\.$", re.M)


class UnknownCommitError(Exception):
    """A commit that this clone does not have."""


@dataclass(frozen=True)
class Run:
    """A run that made a table. sources: the files and folders that its figures depend on, relative to the root."""

    commit: str
    dirty: bool
    sources: tuple[str, ...]

    def changes(self) -> list[str]:
        """One line per commit that changed a source since. Raises UnknownCommitError."""
        if _git("cat-file", "-e", f"{self.commit}^{{commit}}").returncode:
            raise UnknownCommitError(self.commit)
        return _git("log", "--oneline", f"{self.commit}..HEAD", "--", *self.sources).stdout.splitlines()


def header_line(*sources: str) -> str:
    """The line for a document that is being made now; `sources` are what its figures depend on."""
    missing = [source for source in sources if not (ROOT / source).exists()]
    if missing:
        raise FileNotFoundError(f"a table cannot depend on {missing[0]}, which does not exist")
    commit = _git("rev-parse", "--short=12", "HEAD").stdout.strip()
    dirty = _DIRTY if _git("status", "--porcelain", "--", *sources).stdout.strip() else ""
    return f"Commit of the run: `{commit}`{dirty}; depends on {', '.join(f'`{source}`' for source in sources)}."


def runs_in(text: str) -> Iterator[Run]:
    """The runs that a document names."""
    for commit, dirty, sources in _LINE.findall(text):
        yield Run(commit, bool(dirty), tuple(re.findall(r"`([^`]+)`", sources)))


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
