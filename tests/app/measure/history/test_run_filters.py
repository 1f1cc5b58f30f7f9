"""The filters of the history: what can be chosen is what there is, and a choice outlives what it chose."""

from __future__ import annotations

from typing import Any

import pytest

from app.measure.history.run_filters import CHOICES, RunFilters
from app.state.run_rows import run_row
from tests.workflows.measure.run_reports import run

LINES = [run_row(one) for one in (run("a"), run("b", "eval", "/b/other", provider="qnn"), run("c"))]


@pytest.fixture
def filters(qtbot: Any) -> RunFilters:
    made = RunFilters()
    qtbot.addWidget(made)
    made.offer(LINES)
    return made


def offered(filters: RunFilters, key: str) -> list[str]:
    box = filters.boxes[key]
    return [box.itemText(at) for at in range(box.count())]


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("kind", ["All kinds", "evaluation", "measurement"]),
        ("bundle", ["All bundles", "demo-int4", "other"]),
        ("precision", ["All precisions", "int4"]),
        ("provider", ["All providers", "cpu", "qnn"]),
    ],
)
def test_each_box_offers_what_there_is_once_and_sorted(filters: RunFilters, key: str, texts: list[str]) -> None:
    assert offered(filters, key) == texts and filters.boxes[key].accessibleName() == texts[0]


def test_a_choice_stays_though_nothing_is_it_any_more(qtbot: Any, filters: RunFilters) -> None:
    filters.boxes["provider"].setCurrentText("qnn")
    with qtbot.assertNotEmitted(filters.changed):
        filters.offer(LINES[:1])
    assert filters.choices == {"provider": "qnn"} and offered(filters, "provider") == ["All providers", "cpu", "qnn"]
    filters.boxes["provider"].setCurrentIndex(0)
    filters.offer(LINES[:1])
    assert filters.choices == {} and offered(filters, "provider") == ["All providers", "cpu"]


@pytest.mark.parametrize("key", CHOICES)
def test_each_choice_is_told_of(qtbot: Any, filters: RunFilters, key: str) -> None:
    with qtbot.waitSignal(filters.changed):
        filters.boxes[key].setCurrentIndex(1)
    assert filters.choices == {key: offered(filters, key)[1]}


def test_all_is_shown_again_at_once(qtbot: Any, filters: RunFilters) -> None:
    filters.setFocus()
    qtbot.keyClicks(filters.field, "int4")
    filters.boxes["kind"].setCurrentIndex(1)
    assert filters.text == "int4" and filters.choices == {"kind": "evaluation"}
    filters.clear()
    assert filters.text == "" and filters.choices == {}
