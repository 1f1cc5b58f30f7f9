"""Where the build part for this Joinery and Python is, and what pip reports of the torch that it installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workflows.common import build_part
from workflows.common.build_part import TORCH_LOCK, part_folder, torch_files


def test_another_lock_or_python_is_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an update of Joinery never imports the versions of the one before."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    folders = {part_folder()}
    assert folders == {tmp_path / "home" / "parts" / part_folder().name}
    changed = tmp_path / "build.txt"
    changed.write_text(build_part.OTHERS_LOCK.read_text("utf-8") + "\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(build_part, "OTHERS_LOCK", changed)
        folders.add(part_folder())
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-399")
    assert len(folders | {part_folder()}) == 3


def test_a_torch_is_published_by_its_hash() -> None:
    """Of both forms in which pip reports a hash."""
    published = TORCH_LOCK.read_text("utf-8").partition("\ntorch==")[2].partition("sha256:")[2][:64]
    archives = [{"hashes": {"sha256": published}}, {"hash": "sha256=" + "cd" * 32}]
    report = {"install": [{"metadata": {"version": "2"}, "download_info": {"archive_info": one}} for one in archives]}
    assert list(torch_files(report)) == [("2", published, True), ("2", "cd" * 32, False)]
