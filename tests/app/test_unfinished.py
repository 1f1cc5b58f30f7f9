"""What was begun and is not done: asked about on closing, offered on Home, and the wizard as it was left."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QThreadPool
from PySide6.QtWidgets import QMessageBox
from shiboken6 import isValid

import app
from app.builder.step_page import DONE, OPTIMIZE, RECIPE, RUN, SOURCE
from app.state.unsaved_recipe import DEMO
from app.window import MainWindow
from workflows.common.locks import Lock
from workflows.wire.requests import Build, InstallPlugin

Make = Callable[..., MainWindow]


def begin(qtbot: Any, window: MainWindow, out: Path) -> None:
    window.context.build.start(Build(DEMO, str(out), {"capacity": 512}), 20.0)
    qtbot.waitUntil(lambda: window.context.build.current is not None)


def answer(qtbot: Any, window: MainWindow, text: str) -> None:
    """Click a button of the question."""
    question = window.close_guard.question
    assert question is not None
    button = next(one for one in question.buttons() if one.text() == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def make_stage(out: Path, stage: str) -> Path:
    work = out.with_name(f".{out.name}.build")
    (work / f"{stage}-{'0' * 16}").mkdir(parents=True)
    return work


def test_a_build_that_is_kept_is_offered_and_resumed(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    out = tmp_path / "qwen3-demo-int4"
    window = make_window(delay=0.2)
    begin(qtbot, window, out)
    make_stage(out, "export")
    window.close()
    assert window.isVisible() and window.close_guard.question is not None
    answer(qtbot, window, "Keep it for later")
    assert not window.isVisible() and window.context.build.state == "cancelled"

    again = make_window()
    home: Any = again.stack.page("home")
    (row,) = home.unfinished.rows
    assert home.unfinished.isVisible() and row.accessibleName() == "qwen3-demo-int4"
    assert row.status.accessibleName().endswith("finished stages: export")
    qtbot.mouseClick(row.resume, Qt.MouseButton.LeftButton)
    wizard: Any = again.stack.page("build").wizard  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    assert again.context.build.request == Build(DEMO, str(out), {"capacity": 512})
    assert home.unfinished.rows == [] and again.context.unfinished.entries == []


def test_a_build_that_is_ended_leaves_nothing(qtbot: Any, make_window: Make, tmp_path: Path, home: Path) -> None:
    out = tmp_path / "out"
    window = make_window(delay=0.2)
    begin(qtbot, window, out)
    work = make_stage(out, "export")
    window.close()
    answer(qtbot, window, "End it")
    assert not window.isVisible()
    qtbot.waitUntil(lambda: not work.exists())
    assert json.loads((home / "builds.json").read_text()) == []


def test_who_waits_stays_and_so_does_the_build(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(delay=0.05)
    begin(qtbot, window, tmp_path / "out")
    window.close()
    answer(qtbot, window, "Wait")
    assert window.isVisible() and window.close_guard.question is None
    qtbot.waitUntil(lambda: window.context.build.state == "done")
    window.close()
    assert not window.isVisible()


def test_the_question_goes_when_the_build_ends_behind_it(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    """The window stays, for there is something to see; an answer that was on its way does nothing to it."""
    out = tmp_path / "out"
    window = make_window(delay=0.05)
    begin(qtbot, window, out)
    window.close()
    question = window.close_guard.question
    assert question is not None and question.text() == "A build is running."
    buttons = {one.text(): one for one in question.buttons()}
    gone: list[str] = []
    window.context.unfinished.discard = gone.append  # type: ignore[method-assign]
    qtbot.waitUntil(lambda: window.context.build.state == "done")
    buttons["End it"].click()  # before the question has closed
    qtbot.waitUntil(lambda: window.close_guard.question is None)
    assert window.isVisible() and gone == []
    window.close()
    assert not window.isVisible()


@pytest.mark.parametrize("text", ["Keep it for later", "End it"])
def test_an_answer_is_never_one_to_another_build(qtbot: Any, make_window: Make, tmp_path: Path, text: str) -> None:
    window = make_window(delay=0.3)
    begin(qtbot, window, tmp_path / "first")
    window.close()
    question = window.close_guard.question
    assert question is not None
    button = next(one for one in question.buttons() if one.text() == text)
    window.context.build.cancel()
    qtbot.waitUntil(lambda: not window.context.build.running)
    work = make_stage(tmp_path / "second", "export")
    window.context.build.start(Build(DEMO, str(tmp_path / "second"), {}), 20.0)
    if isValid(button):  # the question may be gone with its build
        button.click()
    qtbot.wait(50)
    assert window.isVisible() and window.context.build.running and work.exists()
    assert window.close_guard.question is None
    window.close()
    answer(qtbot, window, "End it")  # of the question that is asked now
    qtbot.waitUntil(lambda: not work.exists())


def test_a_question_follows_to_other_work(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(delay=0.05, hang_on="install")
    begin(qtbot, window, tmp_path / "out")
    window.context.plugins.start("webgpu", InstallPlugin("webgpu"), "Asking …")
    window.close()
    assert window.close_guard.question is not None and window.close_guard.question.text() == "A build is running."
    qtbot.waitUntil(lambda: window.context.build.state == "done")
    qtbot.waitUntil(
        lambda: window.close_guard.question is not None and "Work is still" in window.close_guard.question.text()
    )
    window.context.plugins.cancel()
    qtbot.waitUntil(lambda: window.close_guard.question is None)
    assert window.isVisible()


def test_every_modal_question_is_one_that_goes_with_its_subject() -> None:
    root = Path(app.__file__).parent
    made = [
        path.name
        for path in root.rglob("*.py")
        if re.search(r"QMessageBox(\(|\.question|\.warning)|\(QMessageBox\)", path.read_text("utf-8"))
    ]
    assert made == ["expiring_question.py"]


def test_work_on_a_device_is_asked_about(qtbot: Any, make_window: Make) -> None:
    window = make_window(hang_on="install")
    window.context.plugins.start("webgpu", InstallPlugin("webgpu"), "Asking …")
    window.close()
    assert isinstance(window.close_guard.question, QMessageBox) and window.isVisible()
    answer(qtbot, window, "Close")
    assert not window.isVisible()


def test_a_window_that_was_killed_offers_its_build(qtbot: Any, make_window: Make, tmp_path: Path, home: Path) -> None:
    rows = [
        {"source": DEMO, "out": str(tmp_path / name), "options": {}, "consented": [], "began": "", "expected": 9.0}
        for name in ("killed", "elsewhere", "there")
    ]
    home.mkdir()
    (home / "builds.json").write_text(json.dumps(rows))
    (tmp_path / "there").mkdir()
    work = make_stage(tmp_path / "killed", "optimize")
    lock = Lock(tmp_path / ".elsewhere.lock")
    lock.acquire()
    with lock.held():
        window = make_window()
        page: Any = window.stack.page("home")
        (row,) = page.unfinished.rows
        assert row.entry.name == "killed"
    qtbot.mouseClick(row.discard, Qt.MouseButton.LeftButton)
    assert row.discard.text() == "Delete the finished stages?" and work.exists()
    qtbot.mouseClick(row.discard, Qt.MouseButton.LeftButton)
    assert QThreadPool.globalInstance().waitForDone() and not work.exists()
    assert [r.entry.name for r in page.unfinished.rows] == ["elsewhere"]  # whose process has ended


def test_a_refused_build_is_not_offered(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(errors={"build": {"kind": "recipe", "message": "No such precision."}})
    window.context.build.start(Build(DEMO, str(tmp_path / "out")))
    qtbot.waitUntil(lambda: window.context.build.state == "failed")
    assert window.context.unfinished.entries == []


def test_a_damaged_list_is_reported_and_started_again(qtbot: Any, make_window: Make, home: Path) -> None:
    home.mkdir()
    (home / "builds.json").write_text('[{"source": 1}]')
    window = make_window()
    assert window.context.unfinished.entries == []
    qtbot.waitUntil(lambda: "builds.json was damaged" in window.banner.message)


def test_the_wizard_comes_back_as_it_was_left(qtbot: Any, make_window: Make, home: Path) -> None:
    window = make_window()
    window.show_page("build")
    wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
    window.context.unsaved_recipe.probe(DEMO)
    qtbot.waitUntil(lambda: wizard.steps[SOURCE].isComplete())
    wizard.next()
    window.context.unsaved_recipe.set_option("capacity", 1234)
    qtbot.waitUntil(lambda: wizard.steps[RECIPE].isComplete())
    wizard.next()
    window.close()

    again = make_window()
    again.show_page("home")  # the page of the last time was shown as well: it restores
    draft = again.context.unsaved_recipe
    page: Any = again.stack.page("build")
    qtbot.waitUntil(lambda: page.wizard.currentId() == OPTIMIZE)
    assert (draft.source, draft.options["capacity"]) == (DEMO, 1234)
    assert page.wizard.steps[RECIPE].capacity.value() == 1234
    qtbot.waitUntil(lambda: not again.context.source_worker.busy)
    again.close()
    assert json.loads((home / "draft.json").read_text())["page"] == OPTIMIZE  # and for the time after that


def test_a_hub_id_that_was_left_asks_no_network(qtbot: Any, make_window: Make, home: Path) -> None:
    home.mkdir()
    kept = {"source": "owner/name", "page": 3, "options": {}, "out": "", "consented": []}
    (home / "draft.json").write_text(json.dumps(kept))
    window = make_window()
    window.show_page("build")
    page: Any = window.stack.page("build")
    assert page.wizard.currentId() == SOURCE and page.wizard.steps[SOURCE].hub.text() == "owner/name"
    assert not window.context.source_worker.pid


def test_what_was_kept_and_never_looked_at_stays(qtbot: Any, make_window: Make, home: Path) -> None:
    home.mkdir()
    kept = {"source": DEMO, "page": 1, "options": {}, "out": "", "consented": []}
    (home / "draft.json").write_text(json.dumps(kept))
    window = make_window()
    window.stack.page("build")  # built ahead, and not shown
    window.close()
    assert json.loads((home / "draft.json").read_text()) == kept


def test_editing_the_recipe_of_a_build_of_before(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(fail_stage="export")
    window.show_page("build")
    window.context.build.start(Build(DEMO, str(tmp_path / "out"), {"capacity": 512}))
    wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: wizard.currentId() == RUN and wizard.steps[RUN].edit.isVisible())
    qtbot.mouseClick(wizard.steps[RUN].edit, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: wizard.currentId() == RECIPE)
    assert window.context.unsaved_recipe.options["capacity"] == 512
    qtbot.waitUntil(lambda: not window.context.source_worker.busy)
