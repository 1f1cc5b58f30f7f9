"""The table of runs by itself: filtered, sorted, selected, and what the keyboard asks for."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

from app.measure.history.runs_table import RunsTable, RunsTableModel
from app.state.run_rows import COLUMNS, RunGroup, RunRow, run_row
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
    """The runs in the order of the table, with those of collapsed groups in brackets."""
    shown = list[str]()
    for item in rows.shown:
        collapsed = isinstance(item, RunGroup) and not rows.is_expanded(item)
        if isinstance(item, RunRow) or collapsed:
            shown.append(f"({''.join(run.id for run in item.runs)})" if collapsed else item.runs[0].id)
    return "".join(shown)


@pytest.mark.parametrize(
    ("words", "choices", "left"),
    [
        ("", {}, "(d)(ac)(b)"),
        ("INT4", {}, "(d)(ac)"),
        ("demo qnn", {}, "(d)"),
        ("demo-fp32", {}, "(b)"),
        ("no such thing", {}, ""),
        ("", {"kind": "evaluation"}, "(c)"),
        ("", {"precision": "int4", "provider": "cpu"}, "(ac)"),
        ("measurement", {"provider": "qnn"}, "(d)"),
        ("", {"bundle": "Demo-FP32"}, "(b)"),
    ],
)
def test_words_and_choices_must_all_be_there(table: RunsTable, words: str, choices: dict[str, str], left: str) -> None:
    table.lines.set_filter(words, choices)
    assert ids(table.lines) == left and len(table.lines.matches) == len(left.replace("(", "").replace(")", ""))


@pytest.mark.parametrize(
    ("key", "up", "down"),
    [
        ("time", "bcad", "dacb"),
        ("decode", "acdb", "bdac"),  # of the group of a and c: 9
        ("top1", "cabd", "cabd"),
        ("id", "acbd", "dbca"),  # a group of several has no id
    ],
)
def test_a_column_sorts_groups_and_their_runs_by_its_values(table: RunsTable, key: str, up: str, down: str) -> None:
    """9, 20, 100 and not "100", "20", "9"; what is unknown stands last."""
    table.select({"a", "b", "c", "d"})
    column = COLUMNS.index(key)
    table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
    assert ids(table.lines) == up
    table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
    assert ids(table.lines) == down


def test_a_group_has_the_median_and_the_spread_of_its_runs(table: RunsTable) -> None:
    rates = (246.0, 1874.0, 300.0)
    table.lines.set_lines([run_row(run(str(n), minute=n, decode_tokens_per_s=rate)) for n, rate in enumerate(rates)])
    cells = dict(zip(COLUMNS, (table.lines.index(0, at).data() for at in range(len(COLUMNS))), strict=True))
    assert (cells["bundle"], cells["runs"], cells["decode"]) == ("▸  demo-int4", "3", "300 (246–1,874)")
    assert (
        table.lines.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "demo-int4 · int4 · cpu · 3 runs, collapsed"
    )


def test_empty_columns_are_hidden_and_accuracy_is_in_view(table: RunsTable) -> None:
    visible = [key for at, key in enumerate(COLUMNS) if not table.isColumnHidden(at)]
    assert visible == ["bundle", "runs", "time", "precision", "provider", "decode", "top1", "layout", "version",
                       "machine", "id"]  # fmt: skip
    table.lines.set_lines([run_row(run("x", "eval", kl_mean=0.1, perplexity=2.0))])
    assert [table.isColumnHidden(COLUMNS.index(key)) for key in ("decode", "top1", "kl", "perplexity")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_a_column_grows_with_its_texts_unless_the_user_resized_it(table: RunsTable) -> None:
    decode, provider = COLUMNS.index("decode"), COLUMNS.index("provider")
    before = table.columnWidth(decode)
    table.setColumnWidth(provider, 40)
    wide = run("f", provider="a-provider-with-a-name", minute=9, decode_tokens_per_s=123456.0)
    more = run("g", provider="a-provider-with-a-name", minute=9, decode_tokens_per_s=234567.0)
    table.lines.set_lines([run_row(one) for one in (*RUNS, wide, more)])
    assert table.columnWidth(decode) > before and table.columnWidth(provider) == 40


def test_builds_of_one_folder_are_rows_of_their_own(table: RunsTable) -> None:
    builds = [run(name, digest=name, decode_tokens_per_s=9.0) for name in ("old", "new")]
    table.lines.set_lines([run_row(one) for one in builds])
    tips = [table.lines.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(2)]
    assert sorted(tips) == ["/b/demo-int4\ndigest new", "/b/demo-int4\ndigest old"]


def test_a_heading_says_what_its_figure_is(table: RunsTable) -> None:
    across, tip = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    decode, machine = (COLUMNS.index(key) for key in ("decode", "machine"))
    assert table.lines.headerData(decode, across) == "decode (tok/s)"
    assert "Generated tokens after the first ÷ the time" in table.lines.headerData(decode, across, tip)
    assert table.lines.headerData(machine, across, tip) is None


def test_the_selection_is_of_runs_and_not_of_rows(table: RunsTable) -> None:
    table.select({"a", "b"})
    table.sortByColumn(COLUMNS.index("decode"), Qt.SortOrder.DescendingOrder)
    assert [one.id for one in table.selected] == ["b", "a"]
    table.lines.set_filter("int4", {})
    assert [one.id for one in table.selected] == ["a"]
    table.lines.set_lines([run_row(one) for one in (*RUNS, run("e", minute=9))])
    assert [one.id for one in table.selected] == ["a"]


def test_a_selected_group_stands_for_its_runs(table: RunsTable) -> None:
    table.selectRow(1)
    assert [one.id for one in table.selected] == ["a", "c"]
    table.lines.set_lines([run_row(one) for one in (*RUNS, run("e", minute=1))])
    assert [one.id for one in table.selected] == ["a", "c", "e"]


def test_neighbours_and_others_are_selected_at_once(table: RunsTable) -> None:
    table.select({"d", "a", "b", "gone"})
    assert [one.id for one in table.selected] == ["d", "a", "b"]
    table.select(set())
    assert table.selected == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_opens_the_run_of_the_current_row(qtbot: Any, table: RunsTable, key: Qt.Key) -> None:
    table.select({"a"})
    table.setCurrentIndex(table.lines.index(table.lines.row_of("a"), 0))
    with qtbot.waitSignal(table.opened) as opened:
        qtbot.keyClick(table, key)
    assert opened.args == [RUNS[0]]


def test_the_keyboard_expands_and_collapses_a_group(qtbot: Any, table: RunsTable) -> None:
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert ids(table.lines) == "(d)ac(b)" and table.currentIndex().row() == 1
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert [one.id for one in table.selected] == ["a"]
    qtbot.keyClick(table, Qt.Key.Key_Left)  # to the group, then together
    assert [one.id for one in table.selected] == ["a", "c"]
    qtbot.keyClick(table, Qt.Key.Key_Left)
    assert ids(table.lines) == "(d)(ac)(b)"
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert ids(table.lines) == "(d)ac(b)"


def test_keys_do_nothing_where_there_is_no_row(qtbot: Any, table: RunsTable) -> None:
    table.lines.set_lines([])
    with qtbot.assertNotEmitted(table.opened):
        qtbot.keyClick(table, Qt.Key.Key_Return)
    with qtbot.waitSignal(table.removal_requested):
        qtbot.keyClick(table, Qt.Key.Key_Delete)


def test_a_click_on_the_arrow_expands_and_a_double_click_opens(qtbot: Any, table: RunsTable) -> None:
    opened = list[object]()
    table.opened.connect(opened.append)
    arrow = table.visualRect(table.lines.index(2, 0)).topLeft() + QPoint(8, 8)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=arrow)
    assert ids(table.lines) == "(d)(ac)b" and opened == []
    at = table.visualRect(table.lines.index(3, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened == [RUNS[1]]
