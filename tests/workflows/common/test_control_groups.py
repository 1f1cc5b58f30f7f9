"""Which control groups limit a process, in each version's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.common.control_groups import control_group_folders, control_groups

NAMED = "7:cpu,cpuacct:/c/d\n3:pids:/\n1:name=systemd:/\n0::/a\n"


def test_a_controllers_groups_and_their_parents(tmp_path: Path) -> None:
    two = [tmp_path / "a", tmp_path]
    assert list(control_group_folders("memory", NAMED, tmp_path)) == two
    one = [tmp_path / "cpu" / "c" / "d", tmp_path / "cpu" / "c", tmp_path / "cpu"]
    assert list(control_group_folders("cpu", NAMED, tmp_path)) == one + two


def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    assert control_groups("cpu") == []
