"""Provider and cache layout: what can be chosen, why not, and what stays when the list changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.widgets.session_choice import BY_THE_HOST, SessionChoice, allow_entry, select_entry, unavailable_reason
from tests.fakes.worker import CPU, DML, QNN, WEBGPU


@pytest.fixture
def choice(qtbot: Any) -> SessionChoice:
    made = SessionChoice()
    for box in (made.cache, made.provider):
        qtbot.addWidget(box)
    return made


def enabled(choice: SessionChoice) -> dict[str, bool]:
    box = choice.provider
    return {box.itemData(at): bool(box.model().index(at, 0).flags() & Qt.ItemFlag.ItemIsEnabled)
            for at in range(box.count())}  # fmt: skip


def test_it_begins_with_the_cpu_and_the_bundles_own_layout(choice: SessionChoice) -> None:
    assert choice.chosen == ("cpu", None)
    assert (choice.cache.accessibleName(), choice.provider.accessibleName()) == ("Cache layout", "Provider")


def test_what_cannot_be_used_is_greyed_with_the_reason_and_the_remedy(choice: SessionChoice) -> None:
    choice.set_devices([CPU, QNN, WEBGPU, DML])
    assert enabled(choice) == {"cpu": True, "qnn": True, "webgpu": False, "dml": False}
    at = choice.provider.findData("dml")
    assert choice.provider.itemData(at, Qt.ItemDataRole.ToolTipRole) == f"{DML.reason} {DML.remedy}"
    assert unavailable_reason(CPU) == "" and unavailable_reason(replace(DML, remedy="")) == DML.reason
    select_entry(choice.provider, "dml")
    assert choice.chosen[0] == "cpu"


@pytest.mark.parametrize(
    ("then", "provider"),
    [([CPU, QNN], "qnn"), ([CPU], "cpu"), ([CPU, replace(QNN, usable=False, reason="Gone.")], "cpu")],
)
def test_a_choice_stays_while_it_can_be_used(choice: SessionChoice, then: list[Any], provider: str) -> None:
    choice.set_devices([CPU, QNN])
    select_entry(choice.provider, "qnn")
    choice.set_devices(then)
    assert choice.chosen[0] == provider


@pytest.mark.parametrize("layout", [None, *BY_THE_HOST])
def test_a_session_is_followed_without_a_word(qtbot: Any, choice: SessionChoice, layout: str | None) -> None:
    choice.set_devices([CPU, QNN])
    with qtbot.assertNotEmitted(choice.changed):
        choice.show_session("qnn", layout)
    assert choice.chosen == ("qnn", layout)
    choice.show_session("tpu", "paged")  # what cannot be chosen changes nothing
    assert choice.chosen == ("qnn", layout)


def test_a_person_is_told_of_and_the_wheel_is_not_heard(qtbot: Any, choice: SessionChoice) -> None:
    with qtbot.waitSignal(choice.changed):
        qtbot.keyClick(choice.cache, Qt.Key.Key_Down)
    assert choice.chosen == ("cpu", "static")


@pytest.mark.parametrize(
    ("built", "first", "free"),
    [
        ("static", "Bundle default (static)", True),
        ("window", "Bundle default (window)", True),
        ("", "Bundle default", True),
        ("window-in-graph", "Bundle default (window-in-graph)", False),
    ],
)
def test_a_graph_that_writes_its_cache_itself_has_its_own_layout_alone(
    choice: SessionChoice, built: str, first: str, free: bool
) -> None:
    select_entry(choice.cache, "fifo")
    choice.set_built(built)
    assert choice.cache.itemText(0) == first
    assert choice.chosen[1] == ("fifo" if free else None)
    tip = choice.cache.itemData(1, Qt.ItemDataRole.ToolTipRole)
    assert bool(tip) != free
    select_entry(choice.cache, "static")
    assert choice.chosen[1] == ("static" if free else None)
    choice.set_built("static")
    select_entry(choice.cache, "window")
    assert choice.chosen[1] == "window"


def test_an_entry_is_greyed_and_given_back(choice: SessionChoice) -> None:
    allow_entry(choice.cache, 2, "Not today.")
    select_entry(choice.cache, "window")
    assert choice.chosen[1] is None
    allow_entry(choice.cache, 2, "")
    select_entry(choice.cache, "window")
    assert choice.chosen[1] == "window" and choice.cache.itemData(2, Qt.ItemDataRole.ToolTipRole) == ""
