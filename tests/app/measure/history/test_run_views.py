"""Runs side by side: a column each, the best of a row in words, and nothing called best where none is."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.measure.history.run_views import MAX_RUNS, RunComparison, comparison_rows, run_figures
from app.state.run_rows import group_rows, run_row
from app.text.formatting import format_local_time
from tests.workflows.measure.run_reports import run
from workflows.wire.reports.runs import RunRecord

FAST = run("fast", bundle="/b/int4", decode_tokens_per_s=200.0, ttft_ms=30.0, kl_mean=0.02)
RIGHT = run("right", bundle="/b/fp32", precision="fp32", decode_tokens_per_s=50.0, ttft_ms=90.0, kl_mean=0.0)
BARE = run("bare")


def row(runs: list[RunRecord], name: str) -> list[str]:
    return next(row[1:] for row in comparison_rows(list(map(run_row, runs))) if row[0] == name)


@pytest.mark.parametrize(
    ("runs", "name", "cells"),
    [
        ([FAST, RIGHT], "decode", ["200 tok/s (best)", "50 tok/s"]),  # more is better
        ([FAST, RIGHT], "TTFT", ["30 ms (best)", "90 ms"]),  # less is
        ([FAST, RIGHT], "KL", ["0.02 nats", "0 nats (best)"]),
        ([FAST, RIGHT], "precision", ["int4", "fp32"]),
        ([FAST, FAST], "decode", ["200 tok/s", "200 tok/s"]),
        ([FAST], "decode", ["200 tok/s"]),
        ([BARE, FAST, RIGHT], "decode", ["–", "200 tok/s (best)", "50 tok/s"]),
        ([FAST, RIGHT, FAST], "decode", ["200 tok/s (best)", "50 tok/s", "200 tok/s (best)"]),
    ],
)
def test_a_row_says_each_figure_and_which_is_best(
    qapp: Any, runs: list[RunRecord], name: str, cells: list[str]
) -> None:
    assert row(runs, name) == cells


def test_none_is_best_among_unequal_work(qapp: Any) -> None:
    short, long = (
        run(name, prompt_tokens=size, new_tokens=64, ttft_ms=float(size), bundle=f"/b/{name}", kl_mean=size / 1e4)
        for name, size in (("short", 16), ("long", 1024))
    )
    assert row([short, long], "TTFT") == ["16 ms", "1,024 ms"] and row([short, long], "KL")[0].endswith("(best)")
    assert row([short, long], "work") == ["16 + 64 tok", "1,024 + 64 tok"]


def test_a_group_stands_beside_a_run_with_its_median_and_spread(qapp: Any) -> None:
    rows = [run_row(run(f"r{n}", decode_tokens_per_s=rate)) for n, rate in enumerate((100.0, 300.0, 200.0))]
    cells = {one[0]: one[1:] for one in comparison_rows([*group_rows(rows), rows[0]])}
    assert cells["decode"] == ["200 tok/s (100–300) (best)", "100 tok/s"]


def test_the_name_of_a_figure_explains_it(qtbot: Any) -> None:
    table = RunComparison()
    qtbot.addWidget(table)
    table.show_items([run_row(FAST)])
    names = {table.columns.index(at, 0).data(): at for at in range(table.columns.rowCount())}
    tips = [table.columns.index(names[name], 0).data(Qt.ItemDataRole.ToolTipRole) for name in ("TTFT", "version")]
    assert tips[0].startswith("Time to first token") and tips[1] == ""


def test_what_none_of_them_has_is_no_row(qapp: Any) -> None:
    names = [one[0] for one in comparison_rows([run_row(BARE), run_row(BARE)])]
    assert names == ["time", "kind", "bundle", "precision", "cache", "provider", "version", "machine", "run"]
    assert "evaluated against" not in names
    assert row([run("d", drafts="ngram", tokens_per_step=2.5), BARE], "drafts") == ["ngram", ""]
    assert row([run("e", "eval", against="demo:qwen3"), BARE], "evaluated against") == ["demo:qwen3", "–"]


def test_no_more_are_shown_than_can_be_distinguished(qtbot: Any) -> None:
    table = RunComparison()
    qtbot.addWidget(table)
    table.show_items([run_row(run(str(number))) for number in range(MAX_RUNS + 3)])
    assert len(table.columns.headings) == 1 + MAX_RUNS
    assert table.columns.headings[-1] == f"demo-int4 · int4 · cpu · {MAX_RUNS - 1}"
    table.show_items([])
    assert table.columns.headings == [""] and "Select runs" in table.columns.index(0, 0).data()
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance(table.columns.index(0, 0).data()) // 2


def test_every_figure_of_a_run_by_the_command_lines_names(qapp: Any) -> None:
    rows = dict(map(tuple, run_figures(run("r", minute=5, repeats=5, finish_reason="eos", note=None))))
    assert (rows["repeats"], rows["finish_reason"], rows["note"]) == ("5", "eos", "–")
    assert (rows["folder"], rows["digest"]) == ("/b/demo-int4", "d1")
    assert rows["time"] == format_local_time("2026-01-02T03:05:00.000+00:00")
