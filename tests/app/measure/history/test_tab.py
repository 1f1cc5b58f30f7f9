"""The tab: filled, filtered, sorted, selected, removed, compared, drawn, told of, and live."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from app.measure.history.tab import HistoryTab, RunFilters
from app.state.run_rows import COLUMNS, RunRow, run_row
from app.widgets.theme import theme
from tests.app.conftest import make_bundle
from tests.fakes.runs import BUILDS, history
from tests.workflows.measure.run_reports import run
from workflows.measure.history import DATABASE_FILE, RunHistory
from workflows.wire.reports.runs import RunRecord
from workflows.wire.requests import WriteReport

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
Make = Callable[..., HistoryTab]


@pytest.fixture
def tab(qtbot: Any, make_context: Any) -> Make:
    """A tab that is shown, with its runs, if there are any."""

    def make(**scenario: Any) -> HistoryTab:
        made = HistoryTab(make_context(**scenario))
        qtbot.addWidget(made)
        made.resize(950, 640)
        made.show()
        qtbot.waitUntil(lambda: made.model.loaded)
        return made

    return make


def ids(tab: HistoryTab) -> list[str]:
    return [item.key for item in tab.table.lines.shown if isinstance(item, RunRow)]


def column(tab: HistoryTab, key: str) -> list[str]:
    return [line.texts[COLUMNS.index(key)] for line in tab.table.lines.matches]


def select(qtbot: Any, tab: HistoryTab, runs: list[RunRecord]) -> None:
    tab.table.select({one.id for one in runs})
    qtbot.waitUntil(lambda: not tab._settle.isActive())


def test_without_runs_the_first_step_is_offered(tab: Make) -> None:
    page = tab()
    assert page.stack.currentIndex() == 0 and page.empty.action.text() == "Go to Chat"


def test_every_run_is_a_row_with_its_figures(tab: Make, home: Path) -> None:
    runs = history(home)
    page = tab()
    assert page.stack.currentIndex() == 1 and page.run_actions.count.text() == "15 runs"
    assert len(page.table.lines.shown) == 6 and ids(page) == []  # three bundles on two providers
    page.table.select({one.id for one in runs})
    assert sorted(ids(page)) == sorted(one.id for one in runs)
    evals = [line for line in page.table.lines.matches if line.run.kind == "eval" and "int4" in line.texts]
    cells = dict(zip(COLUMNS, evals[0].texts, strict=True))
    assert (cells["kind"], cells["precision"], cells["top1"], cells["kl"]) == ("evaluation", "int4", "96.20",
                                                                               "0.021")  # fmt: skip


def test_numbers_are_sorted_as_numbers_and_unknown_ones_stand_last(tab: Make, home: Path) -> None:
    kept = RunHistory(home / DATABASE_FILE)
    for ident, rate in (("a", 9.0), ("b", 100.0), ("c", None), ("d", 20.5)):
        kept.add(run(ident, digest=ident, decode_tokens_per_s=rate))
    page = tab()
    page.table.select({"a", "b", "c", "d"})
    at = COLUMNS.index("decode")
    page.table.sortByColumn(at, Qt.SortOrder.AscendingOrder)
    assert ids(page) == ["a", "d", "b", "c"]
    page.table.sortByColumn(at, Qt.SortOrder.DescendingOrder)
    assert ids(page) == ["b", "d", "a", "c"]


def test_words_and_choices_narrow_the_table(qtbot: Any, tab: Make, home: Path) -> None:
    history(home)
    page = tab()
    page.filters.field.setText("INT4 qnn")
    assert column(page, "precision") == ["int4"] and column(page, "provider") == ["qnn"]
    qtbot.waitUntil(lambda: page.run_actions.count.text() == "1 of 15 runs")
    page.filters.field.setText("96.20")  # a figure, too
    assert column(page, "kind") == ["evaluation"]
    page.filters.clear()
    box = page.filters.boxes["bundle"]
    assert [box.itemText(n) for n in range(box.count())] == ["All bundles", *sorted(one[0] for one in BUILDS)]
    box.setCurrentIndex(1)
    page.filters.boxes["kind"].setCurrentText("measurement")
    assert set(column(page, "bundle")) == {"qwen3-demo-fp32"}
    assert set(column(page, "kind")) == {"measurement"} and len(column(page, "kind")) == 2


def test_a_new_run_appears_and_the_selection_stays(qtbot: Any, tab: Make, home: Path) -> None:
    runs = history(home)
    page = tab()
    select(qtbot, page, runs[2:4])
    RunHistory(home / DATABASE_FILE).add(replace(runs[0], id="fresh", time="2027-01-01T00:00:00.000+00:00"))
    page.model.read_if_changed()
    qtbot.waitUntil(lambda: page.table.lines.matches[0].key == "fresh")
    assert page.table.lines.shown[0].runs[0].id == "fresh" and {one.id for one in page.table.selected} == {
        one.id for one in runs[2:4]
    }


def test_the_keyboard_selects_removes_and_the_banner_puts_back(qtbot: Any, tab: Make, home: Path) -> None:
    history(home)
    page = tab()
    page.table.setFocus()
    page.filters.field.setText("build")
    count = len(page.table.lines.matches)
    qtbot.keyClick(page.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(page.table.selected) == count == 3
    with qtbot.waitSignal(page.model.removed):
        qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert page.banner.message == "3 runs were removed."
    qtbot.waitUntil(lambda: not page.table.lines.matches)
    qtbot.mouseClick(page.banner._action, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(page.table.lines.matches) == 3)
    assert page.banner.isHidden()


def test_selected_runs_stand_side_by_side(qtbot: Any, tab: Make, home: Path) -> None:
    runs = [one for one in history(home) if one.kind == "bench" and one.provider == "cpu"]
    page = tab()
    qtbot.waitUntil(lambda: "Select runs" in str(page.views.compare.columns._rows))
    select(qtbot, page, runs)
    qtbot.waitUntil(lambda: len(page.views.compare.columns.headings) == 4)
    rows = {row[0]: row[1:] for row in page.views.compare.columns._rows}
    best = [text for text in rows["decode"] if text.endswith("(best)")]
    assert best == ["214 tok/s (best)"] and rows["precision"] == [one.precision for one in page.table.selected]
    assert rows["peak memory"] == ["240 MiB"] * 3  # none is best where all are the same


def test_an_evaluation_says_against_what(qtbot: Any, tab: Make, home: Path) -> None:
    runs = [one for one in history(home) if one.kind in ("eval", "build")][:2]
    page = tab()
    select(qtbot, page, runs)
    qtbot.waitUntil(lambda: len(page.views.compare.columns.headings) == 3)
    rows = {row[0]: row[1:] for row in page.views.compare.columns._rows}
    assert rows["evaluated against"] == ["demo:qwen3", "–"] and rows["size"][1] == "8.5 MiB"


def test_curves_are_drawn_over_each_other(qtbot: Any, tab: Make, home: Path) -> None:
    """Each in a look of its own, named with bundle, precision, provider and id."""
    runs = [one for one in history(home, steps=30) if one.kind == "generate"]
    page = tab()
    page.views.setCurrentIndex(1)
    assert "Select runs of the kind generation" in page.views.hint.text()
    select(qtbot, page, runs[:2])
    below = page.views
    qtbot.waitUntil(lambda: below.curves is not None and len(below.curves.legend.names) == 2)
    curves = below.curves
    assert curves is not None and below.lines.currentWidget() is curves
    x, y = curves.slots[0][0].getData()
    kept = RunHistory(home / DATABASE_FILE).steps(page.table.selected[0].id)
    assert list(y) == [step.latency_ms for step in kept[1:]] and list(x) == list(range(29))
    first = page.table.selected[0]
    assert curves.legend.names[0] == f"{Path(first.bundle).name} · {first.precision} · cpu · {first.id}"
    shapes = [marks.opts["symbol"] for _, marks in curves.slots]
    assert len(set(shapes)) == 2
    select(qtbot, page, runs[:1])
    qtbot.waitUntil(lambda: len(curves.legend.names) == 1)
    assert len(curves.slots[1][0].getData()[0]) == 0
    theme().set_mode("dark")
    assert curves.slots[0][0].opts["pen"].color() == theme().color("accent")
    curves.grab()


def test_runs_without_steps_are_reported(qtbot: Any, tab: Make, home: Path) -> None:
    runs = [one for one in history(home) if one.kind == "build"]
    page = tab()
    page.views.setCurrentIndex(1)
    select(qtbot, page, runs)
    qtbot.waitUntil(lambda: "have no steps" in page.views.hint.text())


def test_accuracy_against_speed(qtbot: Any, tab: Make, home: Path) -> None:
    """A point a build and device; the front is said in a column, and what the filter hides is left out."""
    history(home)
    page = tab()
    page.views.setCurrentIndex(2)
    scatter = page.views.scatter
    qtbot.waitUntil(lambda: scatter.dots is not None and bool(scatter.dots._points))
    rows = {row[0]: row[1:] for row in scatter.table.rows._rows}
    assert len(rows) == 6 and rows["qwen3-demo-int8 · int8 · qnn"] == ("461.7 tok/s", "99.40 %", "yes")
    assert [name for name, row in rows.items() if row[2] == "yes"] and rows["qwen3-demo-int4 · int4 · cpu"][2] == "–"
    scatter.table.selectRow(0)
    assert scatter.dots is not None and scatter.dots._marked == {0}
    scatter.accuracy.setCurrentIndex(scatter.accuracy.findData("kl"))
    scatter.speed.setCurrentIndex(scatter.speed.findData("size"))
    assert len(scatter.scatter_data.points) == 3 and all(one.on_front for one in scatter.scatter_data.points)
    page.filters.boxes["kind"].setCurrentText("evaluation")
    qtbot.waitUntil(lambda: not scatter.scatter_data.points)
    assert "No points" in scatter.status.text()


def test_what_has_no_accuracy_is_named(qtbot: Any, tab: Make, home: Path) -> None:
    history(home)
    RunHistory(home / DATABASE_FILE).add(run("alone", digest="d9", bundle="/b/alone", decode_tokens_per_s=5.0))
    page = tab()
    page.views.setCurrentIndex(2)
    qtbot.waitUntil(lambda: bool(page.views.scatter.scatter_data.points))
    assert page.views.scatter.status.text() == "1 run is not shown: alone · int4 · cpu · alone has no top-1"


def test_a_run_reports_everything_and_opens_its_bundle(qtbot: Any, tab: Make, home: Path) -> None:
    runs = history(home, steps=5)
    bundle = make_bundle(home / "bundles" / "mine")
    there = replace(runs[2], id="there", bundle=str(bundle), time="2027-01-01T00:00:00.000+00:00")
    RunHistory(home / DATABASE_FILE).add(there, RunHistory(home / DATABASE_FILE).steps(runs[2].id))
    page = tab()
    page.table.selectRow(0)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(page.table, key)
    details = page.views.details
    assert page.views.currentWidget() is details and details.run == there
    rows = dict(details.figures.rows._rows)
    assert rows["folder"] == str(bundle) and rows["finish_reason"] == "eos" and rows["bundle"] == "mine"
    qtbot.waitUntil(lambda: details.steps.rows.rowCount() == 5 and "Reading" not in details.recipe.toPlainText())
    assert details.steps.rows._rows[1][1] == "decode" and "recipe is unknown" in details.recipe.toPlainText()
    with qtbot.waitSignal(page.context.bundleChanged) as opened:
        qtbot.mouseClick(details.open, Qt.MouseButton.LeftButton)
    assert opened.args[0]["path"] == str(bundle)
    details.show_run(runs[0])
    assert not details.open.isEnabled() and "no longer contains this bundle" in details.open.toolTip()


def test_reports_of_the_selection_and_of_its_bundle(
    qtbot: Any, tab: Make, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = history(home)
    page, asked = tab(), list[WriteReport]()
    assert not page.run_actions.export.isEnabled() and not page.run_actions.bundle_report.isEnabled()
    select(qtbot, page, [runs[0]])
    qtbot.waitUntil(page.run_actions.export.isEnabled)
    monkeypatch.setattr(page.model, "write", asked.append)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args: (str(home / Path(args[2]).name), ""))
    page.run_actions.choose_export("md")
    page.run_actions.choose_report()
    name = Path(runs[0].bundle).name
    assert asked == [
        WriteReport(str(home / "runs.md"), runs=(runs[0].id,)),
        WriteReport(str(home / f"{name}.html"), bundle=runs[0].bundle),
    ]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    page.run_actions.choose_export("csv")
    assert len(asked) == 2


def test_a_written_report_is_reported(qtbot: Any, tab: Make, home: Path) -> None:
    page = tab()
    page.run_actions.write(WriteReport(str(home / "r.html"), bundle="/b"))
    assert page.banner.message == "Writing r.html …"
    qtbot.waitUntil(lambda: page.banner.message == "Written: r.html")


def test_the_menu_offers_what_can_be_done(qtbot: Any, tab: Make, home: Path) -> None:
    runs = history(home)
    page = tab()
    for chosen, enabled in (([], [False] * 5), (runs[:1], [True] * 5), (runs, [False, False, False, True, True])):
        select(qtbot, page, chosen)
        assert [entry.isEnabled() for entry in page.run_actions.menu(page.views.show_run).actions()] == enabled


def test_the_palette_brings_it_to_the_front(qtbot: Any, make_window: Any, home: Path) -> None:
    history(home)
    window = make_window()
    page = window.stack.page("measure")
    for build in page.slices():  # type: ignore[attr-defined]
        build()  # as a window does ahead
    found = {one.text(): one for one in window.every_action()}
    found["History: filter the runs"].trigger()
    assert window.stack.current_name == "measure" and page.tabs.currentWidget() is page.history
    qtbot.waitUntil(lambda: page.history.filters.field.hasFocus())
    assert not page.history.model.writing


def test_nothing_is_looked_at_while_it_is_not_seen(tab: Make, home: Path) -> None:
    page = tab()
    assert page.model._watch.isActive()
    page.hide()
    assert not page.model._watch.isActive()


def test_the_table_fits_a_small_window(qtbot: Any, tab: Make, home: Path) -> None:
    """The page gives way, and the table scrolls by itself."""
    history(home)
    page = tab()
    assert page.minimumSizeHint().width() <= 900


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


@pytest.mark.parametrize("key", ["kind", "bundle", "precision", "provider"])
def test_each_choice_is_reported(qtbot: Any, filters: RunFilters, key: str) -> None:
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
