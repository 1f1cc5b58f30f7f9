"""What a person has begun in the wizard outlives builds that were begun elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWizard

from app.builder.step_page import DONE, OPTIMIZE, RECIPE, SOURCE
from app.state.unsaved_recipe import DEMO
from app.window import MainWindow
from tests.app.conftest import make_bundle
from workflows.wire.requests import Build

Make = Callable[..., MainWindow]


def begin_draft(qtbot: Any, window: MainWindow, source: str) -> Any:
    """A draft with a choice in it, left at Optimize; its wizard."""
    window.show_page("build")
    wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
    draft = window.context.unsaved_recipe
    draft.probe(source)
    qtbot.waitUntil(wizard.steps[SOURCE].isComplete)
    draft.set_option("capacity", 1234)
    wizard.route.start(OPTIMIZE)
    qtbot.waitUntil(lambda: wizard.currentId() == OPTIMIZE)
    return wizard


def click_demo(window: MainWindow, _out: Path) -> None:
    window.show_page("home")
    window.stack.page("home").demo.click()  # type: ignore[attr-defined]


def resume(window: MainWindow, out: Path) -> None:
    """As the button on Home does."""
    assert window.context.build.start(Build("demo:mu", str(out), {"capacity": 64}))


def another(window: MainWindow) -> None:
    """The button of the wizard's last page."""
    window.show_page("build")
    wizard: Any = window.stack.page("build").wizard  # type: ignore[attr-defined]
    wizard.button(QWizard.WizardButton.FinishButton).click()


def convert(window: MainWindow) -> None:
    """The card on Home."""
    window.show_page("home")
    window.stack.page("home").convert.click()  # type: ignore[attr-defined]


@pytest.mark.parametrize("begin", [click_demo, resume])
@pytest.mark.parametrize("put_away", [another, convert])
def test_a_draft_waits_for_a_build_that_is_not_of_it(
    qtbot: Any, make_window: Make, tmp_path: Path, home: Path, begin: Any, put_away: Any
) -> None:
    window = make_window()
    context = window.context
    (tmp_path / "mine").mkdir()
    wizard = begin_draft(qtbot, window, str(tmp_path / "mine"))
    wanted = context.unsaved_recipe.request("out")

    begin(window, tmp_path / "out")
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    assert context.build.request is not None and context.build.request.source != wanted.source
    context.recipe_file.save()
    kept = json.loads((home / "draft.json").read_text())
    assert (kept["source"], kept["page"]) == (wanted.source, OPTIMIZE)

    put_away(window)
    assert window.stack.current_name == "build" and context.build.state == "idle"
    qtbot.waitUntil(lambda: wizard.currentId() == OPTIMIZE)
    assert context.unsaved_recipe.request("out") == wanted and wizard.steps[RECIPE].capacity.value() == 1234


@pytest.mark.parametrize("put_away", [another, convert])
def test_a_draft_that_was_built_makes_room(qtbot: Any, make_window: Make, tmp_path: Path, put_away: Any) -> None:
    window = make_window()
    wizard = begin_draft(qtbot, window, DEMO)
    assert window.context.build.start(window.context.unsaved_recipe.request(tmp_path / "out"))
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    put_away(window)
    assert (wizard.currentId(), window.context.unsaved_recipe.source) == (SOURCE, "")


def test_who_left_home_while_the_demo_was_looked_at_is_not_called_away(qtbot: Any, make_window: Make) -> None:
    window = make_window(delay=0.02)
    home: Any = window.stack.page("home")
    qtbot.mouseClick(home.demo, Qt.MouseButton.LeftButton)
    window.show_page("devices")
    qtbot.waitUntil(lambda: window.context.build.running)
    assert window.stack.current_name == "devices" and home.demo.text() == "Show the build"


def test_a_bundle_opened_while_the_demo_was_looked_at_stays_open(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    """Also where the page of the build is made after the click, as in the first seconds of the program."""
    window = make_window(delay=0.02)
    context, other = window.context, make_bundle(tmp_path / "other")
    qtbot.mouseClick(window.stack.page("home").demo, Qt.MouseButton.LeftButton)  # type: ignore[attr-defined]
    assert window.stack.built("build") is None
    context.open_bundle(other)
    window.show_page("build")
    qtbot.waitUntil(lambda: context.build.state == "done")
    assert context.bundle is not None and context.bundle["name"] == "other"
