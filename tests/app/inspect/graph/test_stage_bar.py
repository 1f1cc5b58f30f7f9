"""The bar of stages: what a stage came to in words, walking through them, and the menu of comparisons."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.inspect.graph.stage_bar import StageBar
from tests.app.inspect.graph.example_models import answer, model_of
from tests.app.inspect.graph.test_graph_tab import at_once
from tests.app.test_session import StubWorker
from tests.fakes.graphs import Maker, diff_of, small, stage
from workflows.wire.reports.graphs import GraphStage
from workflows.wire.reports.inspection import ParityReport
from workflows.wire.requests import DiffGraphs, GraphReference, ShowGraph

__all__ = ["at_once"]  # a fixture
FINAL, FUSED = GraphReference("/b/demo", "decode", "final"), GraphReference("/b/demo", "decode", "fuse-rmsnorm")


@pytest.fixture
def bar(qtbot: QtBot) -> StageBar:
    made = StageBar(model_of(small()))
    qtbot.addWidget(made)
    made.show()
    return made


def asked(bar: StageBar) -> object:
    worker = bar.model.loader.worker
    assert isinstance(worker, StubWorker)
    return worker.jobs[-1].request


def menu(bar: StageBar) -> dict[str, bool]:
    bar._fill_menu()
    return {entry.text(): entry.isChecked() for entry in bar._menu.actions() if not entry.isSeparator()}


def press(bar: StageBar, text: str) -> None:
    bar._fill_menu()
    next(entry for entry in bar._menu.actions() if entry.text() == text).trigger()


BASE = stage("fuse", "pass", 107, seconds=0.0)


@pytest.mark.parametrize(
    ("changes", "before", "words"),
    [
        ({}, None, ["107 nodes"]),
        ({"nodes": 1}, 1, ["1 node"]),
        ({}, 121, ["107 nodes (−14)"]),
        ({}, 100, ["107 nodes (+7)"]),
        ({"modified": False}, 107, ["107 nodes", "changed nothing"]),
        ({"modified": False, "kind": "final"}, 107, ["107 nodes"]),  # of the end nobody expects a change
        ({"parity": ParityReport(1.9e-6, 31, 32)}, None,
         ["107 nodes", "largest difference 1.9e-06", "31 of 32 greedy tokens equal"]),
    ],
)  # fmt: skip
def test_what_a_stage_came_to(bar: StageBar, changes: dict[str, object], before: int | None, words: list[str]) -> None:
    one: GraphStage = replace(BASE, **changes)  # type: ignore[arg-type]
    assert bar.facts_of(one, replace(BASE, nodes=before) if before is not None else None) == words


def test_time_is_in_the_unit_that_fits(bar: StageBar) -> None:
    short, long = (bar.facts_of(replace(BASE, seconds=took), None)[1] for took in (0.21, 75.0))
    assert "ms" in short and "210" in short and "ms" not in long


def test_walking_by_keyboard_requests_each_stage_and_the_ends_are_ends(bar: StageBar, qtbot: QtBot) -> None:
    assert (bar.position.text(), bar.next_button.isEnabled(), bar.previous_button.isEnabled()) == (
        "3 of 3",
        False,
        True,
    )
    qtbot.keyClick(bar.slider, Qt.Key.Key_Left)
    assert asked(bar) == ShowGraph(FUSED)
    answer(bar.model, replace(small(), stage="fuse-rmsnorm"))
    assert (bar.position.text(), bar.name.text(), bar.refused.text()) == ("2 of 3", "fuse rmsnorm", "1 refused")
    assert "The norm has two consumers." in bar.refused.toolTip() and bar.refused.isVisible()
    bar.previous_button.click()
    answer(bar.model, replace(small(), stage="export"))
    assert (bar.position.text(), bar.previous_button.isEnabled(), bar.refused.isVisible()) == ("1 of 3", False, False)


def test_the_menu_compares_and_says_with_what(bar: StageBar) -> None:
    assert menu(bar) == {
        "No comparison": True,
        "With the stage before": False,
        "With “export”": False,
        "With “fuse rmsnorm”": False,
        "With another file…": False,
    }
    press(bar, "With “export”")
    assert asked(bar) == DiffGraphs(GraphReference("/b/demo", "decode", "export"), FINAL)
    answer(bar.model, diff_of(small()))
    assert bar.compare.text() == bar.compare.accessibleName() == "Since “export”" and menu(bar)["With “export”"]
    press(bar, "With the stage before")
    assert asked(bar) == DiffGraphs(FUSED, FINAL)
    answer(bar.model, diff_of(small()))
    assert menu(bar)["With the stage before"] and menu(bar)["With “fuse rmsnorm”"]
    long = "Remove stack traces and local paths, keep scope names"
    bar.model.stages[1] = replace(bar.model.stages[1], title=long)
    bar.refresh()
    assert bar.compare.text() == "Since “Remove stack traces and local paths, ke…”"  # cut at its end
    assert bar.compare.toolTip() == bar.compare.accessibleName() == f"Since “{long}”"
    press(bar, "No comparison")
    assert bar.model.against is None and menu(bar)["No comparison"]


def test_a_graph_that_was_not_built_has_no_stages_to_walk(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker()
    maker.node("", "Relu", maker.input("x", [1]))
    bar = StageBar(model_of(maker.answer()))
    qtbot.addWidget(bar)
    bar.show()
    assert not bar.slider.isVisible() and not bar.name.isVisible() and not bar.position.isVisible()
    assert list(menu(bar)) == ["No comparison", "With another file…"]
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/x/other.onnx", ""))
    press(bar, "With another file…")
    assert asked(bar) == DiffGraphs(GraphReference("/x/other.onnx"), bar.model.where or FINAL)
