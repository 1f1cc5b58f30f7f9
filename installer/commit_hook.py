"""Has a wheel, source archive or frozen program name its commit, in resources/commit.txt; hatchling calls the hook."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "resources/commit.txt"


class CommitHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the file; nothing without git, and where a source archive has it already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or (Path(self.root) / PLACE).exists() or not (Path(self.root) / ".git").exists():
            return
        if commit := described_commit(Path(self.root)):
            self._folder = tempfile.TemporaryDirectory()
            file = Path(self._folder.name) / "commit.txt"
            file.write_text(commit, "utf-8")
            build_data["force_include"][str(file)] = f"joinery/{PLACE}" if self.target_name == "wheel" else PLACE


def described_commit(root: Path) -> str:
    """The first nine digits of the checkout's commit, with a plus where files differ from it; empty without git."""
    git = ["git", "-C", str(root), "describe", "--always", "--abbrev=9", "--exclude=*", "--dirty=+"]
    try:
        done = subprocess.run(git, capture_output=True, encoding="utf-8", check=False)
    except OSError:  # no git
        return ""
    return done.stdout if done.returncode == 0 else ""
