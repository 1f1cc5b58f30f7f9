"""pip as a process: its own or the one that Python carries, and the folder of its temporary files."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from workflows.process import pip
from workflows.process.pip import carried_pip, has_pip, last_complaint, run_pip


def test_the_carried_pip_takes_the_place_of_a_missing_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in environments that uv makes."""
    lines: list[str] = []
    assert run_pip(["--version"], lines.append).failure == ""
    assert lines[-1].startswith("pip ")
    wheel = tmp_path / "pip-99-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("pip/__init__.py", "")
        archive.writestr("pip/__main__.py", "import os, sys; print(os.environ['TMPDIR'], *sys.argv)")
    monkeypatch.setattr(pip, "exit_with_parent", lambda: None)
    monkeypatch.setattr(pip, "carried_pip", lambda: wheel)
    monkeypatch.setattr(pip, "_is_installed", lambda: False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "pip"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("TMPDIR", "elsewhere")
    written: list[str] = []
    monkeypatch.setattr("builtins.print", lambda *words: written.append(" ".join(map(str, words))))
    pip.main(["/roomy", "install", "x"])
    assert written[0].startswith("/roomy ") and written[0].endswith(" install x")


def test_python_carries_one() -> None:
    wheel = carried_pip()
    assert has_pip() and (wheel is None or wheel.name.startswith("pip-"))


def test_what_pip_complains_of_is_no_warning() -> None:
    log = "WARNING: Retrying\nERROR: Could not install\n[notice] A new release of pip\nWARNING: there was an error"
    assert last_complaint(log) == "ERROR: Could not install" and last_complaint("") == ""
