"""Has a wheel or source archive name the commit that it is made of, in resources/commit.txt (hatchling calls it)."""

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
        git = ["git", "-C", self.root, "describe", "--always", "--abbrev=9", "--exclude=*", "--dirty=+"]
        try:
            done = subprocess.run(git, capture_output=True, encoding="utf-8", check=False)
        except OSError:  # no git
            return
        if done.returncode == 0:
            self._folder = tempfile.TemporaryDirectory()
            file = Path(self._folder.name) / "commit.txt"
            file.write_text(done.stdout, "utf-8")
            build_data["force_include"][str(file)] = f"joinery/{PLACE}" if self.target_name == "wheel" else PLACE
