"""The line at the bottom: everything that runs has its own cancel, a failure stays until it was seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from app.frame.status_line import progress_text
from app.state.activities import QUIET
from app.window import MainWindow
from tests.app.conftest import make_bundle
from workflows.wire.events import ProgressEvent, StageEvent
from workflows.wire.requests import REQUESTS, Build, Cancel, InstallPlugin, Ping

Make = Callable[..., MainWindow]


def test_what_runs_stands_side_by_side_each_with_its_cancel(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(delay=0.05, tokens=100_000)
    context, status = window.context, window.status
    context.open_bundle(make_bundle(tmp_path / "b"))
    context.session.open(str(tmp_path / "b"))
    qtbot.waitUntil(lambda: context.session.state == "ready")
    qtbot.waitUntil(lambda: status.visible_texts == ["Bundle is open"])
    context.build.start(Build("demo:qwen3", str(tmp_path / "out")))
    context.session.generate("hello")
    qtbot.waitUntil(lambda: [text.split()[0] for text in status.visible_texts] == ["Build", "Generating"])
    build, reply = status.chips.values()
    qtbot.mouseClick(reply.end, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.session.state == "ready")
    assert context.build.running and not context.build.stopping
    qtbot.mouseClick(build.end, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.build.state == "cancelled")
    qtbot.waitUntil(lambda: status.visible_texts == ["Build stopped; it can be resumed"])


def test_a_failure_stays_until_it_was_seen_and_hides_nothing(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(errors={"build": {"kind": "graph", "message": "It broke."}}, delay=0.05, tokens=100_000)
    context, status = window.context, window.status
    context.build.start(Build("demo:qwen3", str(tmp_path / "out")))
    qtbot.waitUntil(lambda: status.visible_texts == ["Build failed: It broke."])
    context.session.open(str(make_bundle(tmp_path / "b")))
    qtbot.waitUntil(lambda: context.session.state == "ready")
    context.session.generate("hello")
    qtbot.waitUntil(lambda: len(status.visible_texts) == 2 and status.visible_texts[1].startswith("Generating"))
    failed = status.chips["build"]
    qtbot.mouseClick(failed.link, Qt.MouseButton.LeftButton)
    assert window.stack.current_name == "build"
    qtbot.mouseClick(failed.end, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(status.visible_texts) == 1 and status.visible_texts[0].startswith("Generating"))
    context.session.stop()
    qtbot.waitUntil(lambda: context.session.state == "ready")


def test_a_build_counts_its_stages_without_those_inside_of_others(
    qtbot: Any, make_window: Make, tmp_path: Path
) -> None:
    window = make_window(hang_on="build")
    build = window.context.build
    build.start(Build("demo:qwen3", str(tmp_path / "out")))
    for stage, state in (("checkpoint", "done"), ("export", "started"), ("import", "started"), ("import", "done")):
        build.apply(StageEvent(stage=stage, state=state))
    qtbot.waitUntil(lambda: window.status.visible_texts[0].startswith("Build 2/5 · export"))


def test_a_failure_goes_when_its_kind_begins_anew(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(fail_stage="export", state=str(tmp_path / "counts"))
    context = window.context
    context.build.start(Build("demo:qwen3", str(tmp_path / "out")))
    qtbot.waitUntil(lambda: "build" in context.activities.failures)
    context.build.retry()
    assert context.activities.failures == {}
    qtbot.waitUntil(lambda: context.build.state == "done")


def test_work_on_a_device_is_shown_and_cancelled_from_here(qtbot: Any, make_window: Make) -> None:
    window = make_window(hang_on="install")
    window.context.plugins.start("webgpu", InstallPlugin("webgpu"), "Asking …")
    (chip,) = window.status.chips.values()
    assert chip.link.whole == "Installing"
    qtbot.mouseClick(chip.end, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.status.chips)
    assert window.context.activities.failures == {}  # a person ended it


def test_every_job_that_is_shown_has_words_of_its_own(make_window: Make) -> None:
    status = make_window().status
    shown = set(REQUESTS) - QUIET - {Cancel.job, Ping.job}
    assert not [job for job in shown if status.title_of(job) == status.title_of("inspect")]
    assert len({status.title_of(job) for job in shown}) == len(shown)


def test_a_sweep_says_how_many_steps_are_done() -> None:
    assert progress_text(None) == "" and progress_text(ProgressEvent(stage="eval", message="prompt 2 of 9")) != ""
    steps = ProgressEvent(stage="sweep", message="3 done · 5 waiting · a.build", done=3, total=1_008, unit="steps")
    assert progress_text(steps) == "3 of 1,008 done"
