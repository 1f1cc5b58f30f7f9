"""The model: runs read aside, watched, removed and put back; reports asked of a worker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.measure.history.run_views import run_figures
from app.state.measured_runs import RunConfiguration
from app.state.run_history import HistoryModel
from app.state.run_rows import COLUMNS, measure_text, run_row
from tests.fakes.runs import history
from tests.workflows.measure.run_reports import run
from workflows.measure.history import DATABASE_FILE, RunHistory
from workflows.measure.run_measures import MEASURES
from workflows.wire.requests import WriteReport


@pytest.fixture
def model(make_context: Any, home: Path) -> HistoryModel:
    found: HistoryModel = make_context().history
    return found


def test_a_line_says_and_sorts_by_the_same_figure() -> None:
    line = run_row(run("ab12", "build", minute=7, bytes=3 * 2**20, peak_mib=12.0))
    cells = dict(zip(COLUMNS, zip(line.texts, line.values, strict=True), strict=True))
    assert cells["size"] == ("3.0 MiB", 3 * 2**20) and cells["memory"] == ("12.0 MiB", 12 * 2**20)
    assert cells["kl"] == ("", None) and cells["bundle"] == ("demo-int4", "demo-int4") and cells["id"][0] == "ab12"
    assert cells["time"][1] == "2026-01-02T03:07:00.000+00:00" and "demo-int4" in line.searched_text


def test_a_run_with_drafts_is_distinguished_and_found() -> None:
    line = run_row(run("ab12", drafts="ngram", accept_rate=0.513, tokens_per_step=2.74, speedup=1.9))
    cells = dict(zip(COLUMNS, line.texts, strict=True))
    assert [cells[key] for key in ("drafts", "accept", "per_step", "speedup")] == ["ngram", "51.30", "2.74", "1.9"]
    assert "ngram" in line.searched_text and "drafts" not in {row[0] for row in run_figures(run("plain"))}


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [("top1", 0.9934, "99.34 %"), ("decode", 1234.6, "1,235 tok/s"), ("ttft", 15.234, "15.23 ms"),
     ("kl", 0.000412, "0.000412 nats"), ("decode", 50, "50 tok/s"), ("perplexity", 1.5, "1.5"), ("size", None, "–")],
)  # fmt: skip
@pytest.mark.usefixtures("qapp")  # its locale
def test_figures_have_their_units(key: str, value: float | None, text: str) -> None:
    assert measure_text(value, MEASURES[key]) == text


def test_the_runs_are_there_the_newest_first(qtbot: Any, model: HistoryModel, home: Path) -> None:
    runs = history(home)
    with qtbot.waitSignal(model.changed):
        model.read()
    assert {line.run.id for line in model.lines} == {one.id for one in runs}
    times = [line.run.time for line in model.lines]
    assert times == sorted(times, reverse=True)


def test_what_another_writes_appears(qtbot: Any, model: HistoryModel, home: Path) -> None:
    """And while nothing is written, nothing is read."""
    runs = history(home)
    with qtbot.waitSignal(model.changed):
        model.read_if_changed()
    model.read_if_changed()
    model.read_if_changed()
    qtbot.waitUntil(lambda: not model._reading)
    reads = list[None]()
    model.changed.connect(lambda: reads.append(None))
    model.read_if_changed()
    assert not model._reading
    before = {line.key: line for line in model.lines}
    RunHistory(home / DATABASE_FILE).add(replace(runs[0], id="fresh"))
    with qtbot.waitSignal(model.changed):
        model.read_if_changed()
    assert {line.key for line in model.lines} == {*before, "fresh"}
    assert all(before[line.key] is line for line in model.lines if line.key != "fresh"), "made anew"


def test_what_is_requested_while_it_reads_is_read_afterwards(qtbot: Any, model: HistoryModel, home: Path) -> None:
    """What was written after the reading began is there in the end."""
    runs = history(home)
    model.read()
    RunHistory(home / DATABASE_FILE).add(replace(runs[0], id="fresh"))
    model.read()
    model.read()
    qtbot.waitUntil(lambda: not model._reading)
    assert "fresh" in {line.run.id for line in model.lines}


def test_looking_makes_no_file(qtbot: Any, model: HistoryModel, home: Path) -> None:
    with qtbot.waitSignal(model.changed):
        model.read()
    assert model.loaded and model.lines == [] and not (home / DATABASE_FILE).exists()


def test_steps_are_read_once(qtbot: Any, model: HistoryModel, home: Path) -> None:
    runs = [one for one in history(home, steps=3) if one.kind in ("generate", "build")][:2]
    found = list[Any]()
    model.steps(runs, found.append)
    qtbot.waitUntil(lambda: bool(found))
    assert [one.run for one in found[0]] == runs and [len(one.steps) for one in found[0]] == [0, 3]
    model.steps(runs, found.append)  # now at once
    assert found[1] == found[0]


def test_removed_and_put_back(qtbot: Any, model: HistoryModel, home: Path) -> None:
    runs = history(home, steps=4)
    gone = [one.id for one in runs if one.kind == "generate"]
    with qtbot.waitSignals([model.removed, model.changed]):
        model.remove([*gone, "unknown"])
    assert {line.run.id for line in model.lines}.isdisjoint(gone) and len(model.lines) == len(runs) - len(gone)
    with qtbot.waitSignal(model.changed):
        model.undo()
    assert len(model.lines) == len(runs) and len(RunHistory(home / DATABASE_FILE).steps(gone[0])) == 4
    model.undo()  # once
    assert not model._reading


def test_a_damaged_file_is_reported(qtbot: Any, model: HistoryModel, home: Path) -> None:
    (home / DATABASE_FILE).write_bytes(b"no database at all " * 99)
    with qtbot.waitSignal(model.errorOccurred) as said:
        model.read()
    assert "a new one begins" in said.args[0] and model.loaded and model.lines == []


def test_a_newer_file_is_reported(qtbot: Any, model: HistoryModel, home: Path) -> None:
    import sqlite3

    history(home)
    with sqlite3.connect(home / DATABASE_FILE) as base:
        base.execute("PRAGMA user_version = 99")
    with qtbot.waitSignal(model.errorOccurred) as said:
        model.read()
    assert "newer Joinery" in said.args[0]


def test_the_recipe_of_another_bundle_is_not_reported(qtbot: Any, model: HistoryModel, tmp_path: Path) -> None:
    """Nor that of one that is gone."""
    from tests.workflows.bundle.making import draft
    from workflows.bundle import read_bundle
    from workflows.bundle.manifest import MANIFEST, make_manifest
    from workflows.measure.history import short_digest

    folder = draft(tmp_path / "small")
    (folder / "recipe.json").write_text('{"target": "cpu"}')
    (folder / MANIFEST).write_text(make_manifest(folder).model_dump_json(), "utf-8")
    mine = run("a", bundle=str(folder), digest=short_digest(read_bundle(folder).digest))
    told = list[str | None]()
    for one in (mine, replace(mine, digest="other"), replace(mine, bundle=str(tmp_path / "gone"))):
        model.recipe(one, told.append)
    qtbot.waitUntil(lambda: len(told) == 3)
    assert told == ['{"target": "cpu"}', None, None]


def test_a_report_is_written_by_a_worker(qtbot: Any, model: HistoryModel, tmp_path: Path) -> None:
    """One at a time."""
    out = str(tmp_path / "r.html")
    with qtbot.waitSignal(model.written) as said:
        model.write(WriteReport(out, runs=("a",)))
        assert model.writing
        model.write(WriteReport("other", runs=("b",)))
    assert said.args[0].files == [out] and not model.writing


def test_a_report_that_fails_is_reported(qtbot: Any, make_context: Any) -> None:
    failing = {"errors": {"report": {"kind": "request", "message": "No run is called so."}}}
    model = make_context(**failing).history
    with qtbot.waitSignal(model.errorOccurred) as said:
        model.write(WriteReport("r.html", runs=("a",)))
    assert said.args[0] == "No run is called so." and not model.writing


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({}, 400.0),
        ({"provider": "qnn"}, None),
        ({"bundle": "/b/other"}, None),
        ({"kind": "generate"}, None),
        ({"drafts": "ngram"}, None),  # several tokens a step
        ({"minute": 0}, None),  # of the build before
        ({"roofline_share": None}, None),
    ],
)
def test_the_limit_of_decode_is_that_of_the_last_benchmark(
    model: HistoryModel, changes: dict[str, Any], limit: float | None
) -> None:
    measured: dict[str, Any] = {"minute": 9, "decode_tokens_per_s": 200.0, "roofline_share": 0.5}
    model.lines = [run_row(run("new", **{**measured, **changes}))]
    owner = RunConfiguration("/b/demo-int4", "demo", "int4", "cpu", "static", 64, "2026-01-02T03:05:00+00:00")
    assert model.decode_limit(owner) == limit
    assert model.decode_limit(replace(owner, provider="qnn")) is None  # its bandwidth is not measured
