"""Lists that several windows share on a disk that fails: each says so in a sentence, and goes on with what it knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.state.preflights import Preflights
from app.state.recent_bundles import RecentBundles, bundle_title
from app.state.saved_choices import FILE, BundleChoices, SavedChoices
from app.state.unfinished_builds import UnfinishedBuilds
from tests.app.conftest import fake_summary, make_bundle
from tests.app.state.test_interop import BackgroundTasks
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.preflight import PreflightReport
from workflows.wire.requests import Build, Preflight


class StubBuild(QObject):
    started = Signal()
    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.running, self.expected, self.error, self.state = False, 3.0, None, "failed"
        self.request: Build | None = Build("demo:qwen3", "/out/demo")


class Listed:
    """One of the lists, with what changes it and what it shows."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.said = folder, []
        self.list: Any = None

    def _hear(self, made: Any) -> None:
        made.errorOccurred.connect(self.said.append)
        self.list = made

    def open(self) -> None:
        raise NotImplementedError

    def add(self) -> None:
        raise NotImplementedError

    def shown(self) -> int:
        raise NotImplementedError


class Used(Listed):
    name = "recents.json"

    def open(self) -> None:
        self._hear(RecentBundles(self.folder, fake_summary))

    def add(self) -> None:
        self.list.add(str(self.folder))

    def shown(self) -> int:
        return len(self.list.entries)


class Begun(Listed):
    name = "builds.json"

    def open(self) -> None:
        self.build = StubBuild()
        self._hear(UnfinishedBuilds(self.folder, self.build))  # type: ignore[arg-type]

    def add(self) -> None:
        self.build.started.emit()

    def shown(self) -> int:
        return len(self.list.entries)


class Tried(Listed):
    name = "preflights.json"

    def open(self) -> None:
        self.workers = BackgroundTasks()
        self._hear(Preflights(self.folder, self.workers))  # type: ignore[arg-type]

    def add(self) -> None:
        assert self.list.check(SUMMARY, "qnn")
        self.workers.job.answered.emit(report())

    def shown(self) -> int:
        return int(self.list.find(SUMMARY, "qnn") is not None)


class Chosen(Listed):
    name = FILE

    def open(self) -> None:
        self.list = SavedChoices(self.folder, self.said.append)

    def add(self) -> None:
        self.list.keep("/b", BundleChoices({"top_k": 4}))

    def shown(self) -> int:
        return int(self.list.of("/b") is not None)


SUMMARY = {"path": "/b", "built_at": "2026-01-02T03:04:05+00:00"}
LISTS: tuple[Callable[[Path], Any], ...] = (Used, Begun, Tried, Chosen)


def report() -> PreflightReport:
    return PreflightReport(provider="qnn", components=[], usable=True, reason="")


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_comes_back(qtbot: QtBot, tmp_path: Path, kind: Callable[[Path], Any]) -> None:
    for known in (0, 1):
        listed = kind(tmp_path)
        listed.open()
        assert listed.shown() == known and listed.said == []
        listed.add()
        assert listed.shown() == 1


@pytest.mark.parametrize("kind", LISTS)
def test_one_that_can_neither_be_read_nor_written_is_reported(
    qtbot: QtBot, tmp_path: Path, kind: Callable[[Path], Any]
) -> None:
    """A folder in its place stands for what a disk can do."""
    listed = kind(tmp_path)
    (tmp_path / listed.name).mkdir()
    listed.open()
    assert listed.shown() == 0
    qtbot.waitUntil(lambda: len(listed.said) == 1)
    assert "cannot be read: Is a directory." in listed.said[0]
    listed.add()
    qtbot.waitUntil(lambda: len(listed.said) == 2)
    assert "Is a directory." in listed.said[1] and ("saved" in listed.said[1] or "written" in listed.said[1])


@pytest.mark.parametrize("kind", [Used, Begun, Tried])
def test_what_cannot_be_saved_is_shown_all_the_same(qtbot: QtBot, tmp_path: Path, kind: Callable[[Path], Any]) -> None:
    listed = kind(tmp_path)
    (tmp_path / listed.name).mkdir()
    listed.open()
    listed.add()
    assert listed.shown() == 1
    qtbot.waitUntil(lambda: len(listed.said) == 2)


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("text", ["{", '"no list"', "[1]", '[{"path": 1}]'])
def test_a_damaged_one_is_moved_aside_and_started_again(
    qtbot: QtBot, tmp_path: Path, kind: Callable[[Path], Any], text: str
) -> None:
    listed = kind(tmp_path)
    (tmp_path / listed.name).write_text(text)
    listed.open()
    assert listed.shown() == 0
    qtbot.waitUntil(lambda: len(listed.said) == 1)
    (aside,) = tmp_path.glob("*.damaged-*.json")
    assert aside.read_text() == text and str(aside) in listed.said[0]
    listed.add()
    assert listed.shown() == 1 and len(listed.said) == 1


# -- what is of one of them alone ------------------------------------------------------------------------------


def test_the_bundles_used_last_are_kept_and_no_more(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.state.recent_bundles.LIMIT", 4)
    recents = RecentBundles(tmp_path, fake_summary)
    for name in ("a", "b", "c", "d", "e", "c"):
        recents.add(f"/b/{name}")
    assert [entry.name for entry in recents.entries] == ["c", "e", "d", "b"]


def test_a_bundle_that_was_removed_comes_back_where_it_was(qtbot: QtBot, tmp_path: Path) -> None:
    recents = RecentBundles(tmp_path, fake_summary)
    for name in ("a", "b", "c"):
        recents.add(str(make_bundle(tmp_path / name)))
    recents.note_speed(str(tmp_path / "b"), 212.5, "qnn")
    recents.remove(str(tmp_path / "b"))
    recents.remove(str(tmp_path / "nobody"))
    assert [entry.name for entry in recents.entries] == ["c", "a"]
    assert recents.undo_remove()
    entry = recents.entries[1]
    assert (entry.name, entry.speed, entry.provider, entry.summary["layout"]) == ("b", 212.5, "qnn", "static")
    assert not recents.undo_remove() and len(recents.entries) == 3


@pytest.mark.parametrize(("path", "rate"), [("/nobody", 9.0), ("/b/0", 0.0)])
def test_a_speed_is_of_a_bundle_that_is_listed_and_of_a_reply_that_had_one(
    qtbot: QtBot, tmp_path: Path, path: str, rate: float
) -> None:
    recents = RecentBundles(tmp_path, fake_summary)
    recents.add("/b/0")
    recents.note_speed(path, rate, "cpu")
    assert [(entry.path, entry.speed, entry.provider) for entry in recents.entries] == [("/b/0", 0.0, "")]


def test_a_bundle_that_was_fixed_has_no_problem_any_more(qtbot: QtBot, tmp_path: Path) -> None:
    folder = make_bundle(tmp_path / "b", damaged=True)
    recents = RecentBundles(tmp_path, fake_summary)
    entry = recents.add(str(folder))
    assert "12 bytes instead" in entry.problem and entry.title == "b"
    (folder / "damaged").unlink()
    recents.refresh()
    assert entry.problem == "" and entry.title == bundle_title(fake_summary(str(folder)))


def test_choices_of_the_bundles_talked_with_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.state.saved_choices.MOST_BUNDLES", 3)
    kept = SavedChoices(tmp_path, lambda said: pytest.fail(said))
    for place in range(4):
        kept.keep(f"/b/{place}", BundleChoices({"top_k": place}, "window"))
        kept.keep("/b/0", BundleChoices({"top_k": -1}))  # talked with all the while
    assert kept.of("/b/0") == BundleChoices({"top_k": -1}) and kept.of("/b/1") is None
    assert kept.of("/b/3") == BundleChoices({"top_k": 3}, "window")


def test_one_bundle_is_tried_at_a_time_and_one_built_anew_is_another(qtbot: QtBot, tmp_path: Path) -> None:
    listed = Tried(tmp_path)
    listed.open()
    listed.add()
    assert listed.list.find({**SUMMARY, "built_at": "later"}, "qnn") is None
    assert listed.list.find(SUMMARY, "cuda") is None
    assert listed.list.check(SUMMARY, "cuda") and not listed.list.check(SUMMARY, "qnn")
    assert listed.list.running == ("/b", "cuda") and listed.workers.job.request == Preflight("/b", "cuda")
    broke = ErrorEvent(kind="device", message="No such device.")
    listed.workers.job.failed.emit(broke)
    assert listed.list.failure_of(SUMMARY, "cuda") == "No such device." and listed.list.running is None
    assert listed.list.check(SUMMARY, "cuda") and listed.list.failure_of(SUMMARY, "cuda") == ""
    listed.list.cancel()
    listed.workers.job.failed.emit(ErrorEvent(kind="cancelled", message="Cancelled."))
    assert listed.list.failure_of(SUMMARY, "cuda") == ""
