"""The table of runs by itself: filtered, sorted, selected, and what the keyboard asks for."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.measure.history.runs_table import RunsTable, RunsTableModel
from app.state.run_rows import COLUMNS, run_row
from tests.workflows.measure.run_reports import run

RUNS = (
    run("a", minute=3, decode_tokens_per_s=9.0),
    run("b", "generate", "/b/Demo-FP32", "d2", precision="fp32", minute=1, decode_tokens_per_s=100.0),
    run("c", "eval", minute=2, top1_agreement=0.99),
    run("d", provider="qnn", minute=4, decode_tokens_per_s=20.0),
)
"""Newest first: d, a, c, b."""


@pytest.fixture
def table(qtbot: Any) -> RunsTable:
    made = RunsTable()
    qtbot.addWidget(made)
    made.lines.set_lines([run_row(one) for one in RUNS])
    made.show()
    return made


def ids(rows: RunsTableModel) -> str:
    return "".join(line.run.id for line in rows.shown)


@pytest.mark.parametrize(
    ("words", "choices", "left"),
    [
        ("", {}, "dacb"),
        ("INT4", {}, "dac"),
        ("demo qnn", {}, "d"),
        ("demo-fp32", {}, "b"),
        ("no such thing", {}, ""),
        ("", {"kind": "evaluation"}, "c"),
        ("", {"precision": "int4", "provider": "cpu"}, "ac"),
        ("measurement", {"provider": "qnn"}, "d"),
        ("", {"bundle": "Demo-FP32"}, "b"),
    ],
)
def test_words_and_choices_must_all_be_there(table: RunsTable, words: str, choices: dict[str, str], left: str) -> None:
    table.lines.set_filter(words, choices)
    assert ids(table.lines) == left and table.lines.rowCount() == len(left)


@pytest.mark.parametrize(
    ("key", "up", "down"),
    [("time", "bcad", "dacb"), ("decode", "adbc", "bdac"), ("top1", "cabd", "cabd"), ("id", "abcd", "dcba")],
)
def test_a_column_sorts_by_its_values_and_what_is_unknown_stands_last(
    table: RunsTable, key: str, up: str, down: str
) -> None:
    """9, 20, 100 and not "100", "20", "9"."""
    column = COLUMNS.index(key)
    table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
    assert ids(table.lines) == up
    table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
    assert ids(table.lines) == down


def test_the_selection_is_of_runs_and_not_of_rows(table: RunsTable) -> None:
    table.select({"a", "b"})
    table.sortByColumn(COLUMNS.index("decode"), Qt.SortOrder.DescendingOrder)
    assert [one.id for one in table.selected] == ["b", "a"]
    table.lines.set_filter("int4", {})
    assert [one.id for one in table.selected] == ["a"]
    table.lines.set_lines([run_row(one) for one in (*RUNS, run("e", minute=9))])
    assert [one.id for one in table.selected] == ["a"]


def test_neighbours_and_others_are_selected_at_once(table: RunsTable) -> None:
    table.select({"d", "a", "b", "gone"})
    assert [one.id for one in table.selected] == ["d", "a", "b"]
    table.select(set())
    assert table.selected == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_opens_the_run_of_the_current_row(qtbot: Any, table: RunsTable, key: Qt.Key) -> None:
    table.setCurrentIndex(table.lines.index(1, 0))
    with qtbot.waitSignal(table.opened) as opened:
        qtbot.keyClick(table, key)
    assert opened.args == [RUNS[0]]


def test_keys_do_nothing_where_there_is_no_row(qtbot: Any, table: RunsTable) -> None:
    table.lines.set_lines([])
    with qtbot.assertNotEmitted(table.opened):
        qtbot.keyClick(table, Qt.Key.Key_Return)
    with qtbot.waitSignal(table.removal_requested):
        qtbot.keyClick(table, Qt.Key.Key_Delete)


def test_a_double_click_opens_too(qtbot: Any, table: RunsTable) -> None:
    opened = list[object]()
    table.opened.connect(opened.append)
    at = table.visualRect(table.lines.index(2, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened == [RUNS[2]]
