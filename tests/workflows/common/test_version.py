"""What `joinery --version` says: the version, the commit where it is known, and the parts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from workflows import __version__
from workflows.common import version
from workflows.common.version import commit, describe_version

ROOT = Path(__file__).parents[3]


def test_the_changelog_begins_with_this_version() -> None:
    """`.dev0` as long as it is unreleased; the version stands in workflows/__init__.py alone."""
    head = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0]
    number, _, state = head.partition(" ")
    assert __version__.startswith(f"{number}.")
    assert __version__.endswith(".dev0") == (state == "(unreleased)")
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_the_commit_of_a_checkout_and_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout says what git says, a wheel has a file, and a folder without either says nothing."""
    if (ROOT / ".git").exists():
        head = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        assert commit() == head.stdout[:9]
    monkeypatch.setattr(version, "_ROOT", tmp_path)
    assert commit() == ""
    monkeypatch.setattr(version, "COMMIT_FILE", tmp_path / "commit.txt")
    (tmp_path / "commit.txt").write_text("0123abcde\n", "utf-8")
    assert commit() == "0123abcde"
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (tmp_path / "git" / "packed-refs").write_text(f"# pack-refs\n{'ab' * 20} refs/heads/main\n", "utf-8")
    (tmp_path / ".git").write_text("gitdir: git\n", "utf-8")  # as of a submodule
    with monkeypatch.context() as patch:
        patch.setattr(version, "COMMIT_FILE", tmp_path / "none")
        patch.setattr(version, "_ROOT", tmp_path)
        assert commit() == "ababababa"
    assert describe_version() == f"{__version__} (commit 0123abcde; parts: run, build)"
    monkeypatch.setattr(version, "is_installed", lambda: False)
    assert describe_version() == f"{__version__} (commit 0123abcde; part: run)"
