"""The list of unfinished builds: what another window's resume asks for is the very build that was killed."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.state.unfinished_builds import UnfinishedBuild, UnfinishedBuilds
from workflows.wire.goals import Goal, TaskFile
from workflows.wire.requests import Build

NEVER_ASKED = {"trust_remote_code", "force"}
"""Fields of a build that the window leaves alone."""


class StubBuild(QObject):
    """A build model that is killed before it says how it ended."""

    started, finished = Signal(), Signal()
    expected: ClassVar[float] = 9.5

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.request: Build | None = None

    def start(self, request: Build, expected: float) -> bool:
        assert expected == self.expected
        self.request = request
        self.started.emit()
        return True


def builds(folder: Path) -> tuple[UnfinishedBuilds, StubBuild]:
    """As one start of the window has them."""
    build: Any = StubBuild()
    return UnfinishedBuilds(folder, build), build


def asked(out: Path, goal: Goal | None) -> Build:
    return Build("/m", str(out), {"capacity": 512, "quantize": {"block": 32}}, ("ab", "cd"), goal=goal)


GOALS = [None, Goal("kl", 0.01, prompts="/p.txt"), Goal("task", 0.9, TaskFile("/t.jsonl", "q", chat=False))]


@pytest.mark.parametrize("goal", GOALS)
def test_a_killed_build_is_resumed_with_all_that_was_requested(qtbot: QtBot, tmp_path: Path, goal: Goal | None) -> None:
    request = asked(tmp_path / "b", goal)
    _first, build = builds(tmp_path)
    build.start(request, 9.5)

    later, again = builds(tmp_path)
    (entry,) = later.entries
    assert later.resume(entry) and again.request == request


def test_that_build_says_something_in_every_field(tmp_path: Path) -> None:
    """So that a field that comes to be asked of a build, and is not kept, fails the test above."""
    full, plain = asked(tmp_path / "b", GOALS[1]), Build("", "")
    unsaid = {one.name for one in fields(Build) if getattr(full, one.name) == getattr(plain, one.name)}
    assert unsaid == NEVER_ASKED


OLD = {"source": "/m", "out": "b", "options": {"chunk": 8}, "consented": ["ab"], "began": "", "expected": 9}


def test_a_row_from_before_there_were_goals_has_none(qtbot: QtBot, tmp_path: Path) -> None:
    out = str(tmp_path / "b")
    (tmp_path / "builds.json").write_text(json.dumps([{**OLD, "out": out}]))
    found, _build = builds(tmp_path)
    assert [entry.request for entry in found.entries] == [Build("/m", out, {"chunk": 8}, ("ab",))]


@pytest.mark.parametrize("goal", [{"metric": "top1", "limit": 7.0}, {"metric": "speed", "limit": 1.0}, "top1=0.9"])
def test_a_goal_that_makes_no_sense_is_damage(qtbot: QtBot, tmp_path: Path, goal: object) -> None:
    (tmp_path / "builds.json").write_text(json.dumps([{**OLD, "goal": goal}]))
    found, _build = builds(tmp_path)
    with qtbot.waitSignal(found.errorOccurred) as told:
        assert found.entries == []
    assert "builds.json was damaged" in told.args[0] and list(tmp_path.glob("builds.damaged-*.json"))


def test_only_what_is_a_stage_is_said_to_be_whole(tmp_path: Path) -> None:
    """The trials of a search lie beside them, named alike."""
    entry = UnfinishedBuild("/m", str(tmp_path / "b"))
    for name in ("goal", "trials", "export", "compile.draft"):
        (entry.work / f"{name}-{'0' * 16}").mkdir(parents=True)
    assert entry.stages == ["export", "goal"]


def test_the_list_is_distinguished_by_folder(qtbot: QtBot, tmp_path: Path) -> None:
    found, build = builds(tmp_path)
    first = asked(tmp_path / "a", None)
    for request in (first, asked(tmp_path / "b", None), replace(first, goal=GOALS[1])):
        build.start(request, 9.5)
    assert [(entry.name, entry.goal) for entry in found.entries] == [("a", GOALS[1]), ("b", None)]
