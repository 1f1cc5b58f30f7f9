"""`joinery cache`: what is kept is listed, bounded and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.builder.test_workspace import make_stage
from workflows.builder.workspace import BuildWorkspace
from workflows.cli import run
from workflows.common.stage_cache import StageCache, read_limit


@pytest.fixture(autouse=True)
def _two_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of its own, in which two stages are."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    work = BuildWorkspace(tmp_path / "work", lambda _: None, lambda: False, StageCache())
    work.stage("export", "a" * 64, make_stage)
    work.stage("optimize", "b" * 64, make_stage)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["cache", *words]) == 0
    return capsys.readouterr().out


def test_the_list_and_the_size(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = [json.loads(line) for line in said(capsys, "list", "--json").splitlines()]
    assert {one["name"]: one["stage"] for one in kept} == {
        f"export-{'a' * 16}": "export", f"optimize-{'b' * 16}": "optimize",
    }  # fmt: skip
    size = json.loads(said(capsys, "size", "--json"))
    assert size["bytes"] == sum(one["bytes"] for one in kept) > 512 and size["chosen"] is None
    assert Path(size["folder"]) == tmp_path / "home" / "cache" / "stages"
    assert f"export-{'a' * 16}" in said(capsys)


SIZES = [("20GB", 20_000_000_000), ("512 MiB", 512 << 20), ("1.5kb", 1500), ("7", 7)]


@pytest.mark.parametrize(("text", "limit"), SIZES)
def test_a_limit_is_chosen_and_taken_back(capsys: pytest.CaptureFixture[str], text: str, limit: int) -> None:
    said(capsys, "limit", text)
    assert read_limit() == limit
    said(capsys, "limit", "default")
    assert read_limit() is None


def test_a_smaller_limit_removes_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "limit", "0")
    assert StageCache().stages() == []
    assert said(capsys).startswith("No stage is kept.")


@pytest.mark.parametrize("text", ["much", "-1", "20 GBs", "1e3"])
def test_what_is_no_size_is_refused(capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert run(["cache", "limit", "--", text]) != 0
    assert "is no size" in capsys.readouterr().err
    assert read_limit() is None


def test_clear_removes_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "clear") == "2 stages removed\n"
    assert StageCache().stages() == []
