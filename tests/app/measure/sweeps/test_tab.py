"""The tab Sweep: what the files of a folder say, live; a plan that is started, stopped and fails."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.measure.page import MeasurePage
from app.measure.sweeps.tab import SweepTab, counts_text
from tests.fakes.sweep_step import result_of
from workflows.measure.sweep_folder import SweepFolder
from workflows.wire.reports.sweep import SweepCounts, SweepPlanFile, SweepStatus, SweepStep
from workflows.wire.requests import RunSweep

STEPS = [
    SweepStep(
        f"{n}.{kind}", kind, f"{n}", f"{n * 40503 % 65536:04x}", "qwen3", f"r{n}", "gqa", "cpu", "local", {},
        [f"{n}.build"] * (kind != "build"),
    )
    for n in range(4)
    for kind in ("build", "eval", "bench")
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> SweepFolder:
    """Two bundles are through, one failed, one is being built."""
    made = SweepFolder(tmp_path / "runs")
    made.write_plan(SweepPlanFile("plan.toml", STEPS))
    for step in STEPS[:6]:
        made.write_result(result_of(step))
    made.write_result(result_of(STEPS[6], "failed", "No such layout."))
    return made


def status(folder: SweepFolder, ended: str | None = None) -> None:
    folder.write_status(SweepStatus("a", "here", 1, time.time() + 3600, 2.0, ["3.build"], ended))


@pytest.fixture
def tab(qtbot: Any, make_context: Any) -> Any:
    def make(**scenario: Any) -> SweepTab:
        made = SweepTab(make_context(**scenario))
        qtbot.addWidget(made)
        made.resize(1000, 700)
        made.show()
        return made

    return make


def cells(tab: SweepTab, column: int) -> list[str]:
    return [str(tab.table.rows.index(row, column).data()) for row in range(tab.table.rows.rowCount())]


def test_a_folder_is_shown_as_its_files_say(qtbot: Any, tab: Any, folder: SweepFolder) -> None:
    made: SweepTab = tab()
    assert made.stack.currentIndex() == 0
    status(folder)
    made.form.show_folder(str(folder.path))
    qtbot.waitUntil(lambda: made.stack.currentIndex() == 1)
    assert made.counts.text() == "6 of 12 done · 1 failed · 2 blocked · 1 running · 2 waiting"
    assert (made.bar.value(), made.bar.maximum()) == (9, 12)
    assert made.note.text() == "It runs in another process."
    assert cells(made, 0)[:4] == ["3.build", "2.build", "2.eval", "2.bench"]
    assert cells(made, 1)[:4] == ["running", "failed", "blocked", "blocked"]
    assert cells(made, 4)[1:3] == ["No such layout.", "needs 2.build"]
    assert [one.on_front for one in made.scatter.scatter_data.points] == [False, True]


def test_a_sweep_without_a_result_says_why_the_chart_is_empty(qtbot: Any, tab: Any, tmp_path: Path) -> None:
    made: SweepTab = tab()
    folder = SweepFolder(tmp_path / "runs")
    folder.write_plan(SweepPlanFile("plan.toml", STEPS))
    made.form.show_folder(str(folder.path))
    qtbot.waitUntil(lambda: made.stack.currentIndex() == 1)
    assert made.scatter.status.text().startswith("No points: ")


def test_it_follows_the_files(qtbot: Any, tab: Any, folder: SweepFolder) -> None:
    made: SweepTab = tab()
    status(folder)
    made.form.show_folder(str(folder.path))
    qtbot.waitUntil(lambda: made.counts.text().startswith("6 of 12"))
    for step in STEPS[9:]:
        folder.write_result(result_of(step))
    status(folder, "finished")
    qtbot.waitUntil(lambda: made.counts.text() == "9 of 12 done · 1 failed · 2 blocked · 0 waiting")
    assert len(made.scatter.scatter_data.points) == 3 and made.note.text() == ""


def test_a_sweep_that_ended_early_says_so(qtbot: Any, tab: Any, folder: SweepFolder) -> None:
    made: SweepTab = tab()
    status(folder, "stopped")
    made.form.show_folder(str(folder.path))
    qtbot.waitUntil(lambda: made.note.text() == "It has ended before its last step; Start sweep goes on.")


def test_a_folder_of_something_else_is_named(qtbot: Any, tab: Any, tmp_path: Path) -> None:
    made: SweepTab = tab()
    made.form.runs.setText(str(tmp_path))
    qtbot.keyClick(made.form.runs, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "is no folder of a sweep: sweep.json does not exist." in made.banner.message)
    assert made.stack.currentIndex() == 0


def test_a_plan_is_started_and_stopped(qtbot: Any, tab: Any, folder: SweepFolder) -> None:
    made: SweepTab = tab(delay=0.3)
    assert not made.form.start_button.isEnabled()
    made.form.plan.setText("/plans/plan.toml")
    made.form.runs.setText(str(folder.path))
    made.form.retry.setChecked(True)
    assert made.form.request() == RunSweep("/plans/plan.toml", str(folder.path), retry_failed=True)
    qtbot.mouseClick(made.form.start_button, Qt.MouseButton.LeftButton)
    assert made.model.running and made.form.start_button.text() == "Stop" and not made.form.retry.isEnabled()
    qtbot.waitUntil(lambda: made.counts.text().startswith("6 of 12"))
    qtbot.mouseClick(made.form.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: made.model.state == "cancelled")
    assert made.form.start_button.text() == "Start sweep" and made.banner.isHidden()


def test_a_failure_is_shown(qtbot: Any, tab: Any, folder: SweepFolder) -> None:
    made: SweepTab = tab(errors={"sweep": {"kind": "request", "message": "The plan takes no 'colour'."}})
    made.start(RunSweep("/plans/plan.toml", str(folder.path)))
    qtbot.waitUntil(lambda: made.banner.message == "The plan takes no 'colour'.")
    qtbot.waitUntil(lambda: made.counts.text().startswith("6 of 12"))
    assert made.banner.message == "The plan takes no 'colour'.", "until another sweep starts"
    made.start(RunSweep("/plans/plan.toml", str(folder.path)))
    assert made.model.running and made.banner.isHidden()
    qtbot.waitUntil(lambda: made.model.state == "failed")


def test_the_folder_follows_from_the_plan(tab: Any) -> None:
    made: SweepTab = tab()
    made.form.choose_plan("/plans/night.toml")
    assert made.form.runs.text() == str(Path("/plans/night-runs"))
    made.form.choose_plan("/plans/day.toml")
    assert made.form.runs.text() == str(Path("/plans/night-runs")), "what is entered stays"


def test_the_page_leads_there(qtbot: Any, make_context: Any) -> None:
    page = MeasurePage(make_context())
    qtbot.addWidget(page)
    page.show_sweep()
    assert page.tabs.current == "sweep" and isinstance(page.tabs.currentWidget(), SweepTab)


def test_the_counts_in_words() -> None:
    assert counts_text(SweepCounts(0, 0, 0, 0, 2400)) == "0 of 2,400 done · 0 failed · 2,400 waiting"
