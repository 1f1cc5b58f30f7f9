"""The comparison of two bundles in the window: asked, followed, stopped, failed, shown, written to files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat

from app.measure.accuracy.tab import AccuracyTab
from app.state.accuracy import AccuracyModel, AccuracyResult, AccuracySubjects, ComparedModel, as_csv, as_json
from app.state.recent_bundles import RecentBundles
from tests.app.conftest import fake_summary, make_bundle
from tests.fakes.accuracy import report
from tests.fakes.worker import program
from workflows.wire.codec import read
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.requests import Eval

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window
ASKED = Eval("/bundles/b", "demo:qwen3", "", 8)


def test_a_report_is_written() -> None:
    found = report()
    assert (found.same, found.greedy[3].tokens_equal) == (9, 5)
    of = AccuracySubjects(
        ComparedModel("b", "/b", "int4", "t"),
        ComparedModel("demo:qwen3", "demo:qwen3", "fp32", ""),
        "cpu",
        "",
        8,
        "now",
    )
    written = json.loads(as_json(AccuracyResult(of, found)))
    compared = written.pop("compared")
    assert read(EvalReport, written) == found
    assert (compared["candidate"], compared["provider"], compared["began"]) == (
        {"name": "b", "path": "/b", "precision": "int4", "built_at": "t"},
        "cpu",
        "now",
    )
    first, second, *_ = as_csv(AccuracyResult(of, found)).splitlines()
    whose = "candidate,candidate_precision,reference,reference_precision,provider,began"
    assert first == f"{whose},part,layer,hidden_cosine,key_cosine,value_cosine"
    assert second == "b,int4,demo:qwen3,fp32,cpu,now,decoder,0,0.999,0.9995,0.9992"


def test_an_answer_that_goes_on_is_not_the_same() -> None:
    one = report().greedy[0]
    assert one.same and not replace(one, candidate=[*one.reference, (5, "more")]).same


@pytest.fixture
def tab(qtbot: Any, make_context: Any) -> Any:
    def make(**scenario: Any) -> AccuracyTab:
        made = AccuracyTab(make_context(**scenario))
        qtbot.addWidget(made)
        made.resize(900, 600)
        made.show()
        return made

    return make


def test_from_the_form_to_the_figures(qtbot: Any, tab: Any, tmp_path: Path) -> None:
    page: AccuracyTab = tab()
    assert page.stack.currentIndex() == 0 and not page.form.start_button.isEnabled()
    bundle = make_bundle(tmp_path / "mine")
    page.context.open_bundle(bundle)
    assert page.form.candidate.path == str(bundle) and page.form.candidate.field.currentText().startswith("mine · ")
    page.form.reference.choose("demo:qwen3")
    assert page.form.start_button.isEnabled()
    qtbot.mouseClick(page.form.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.model.state == "done")
    assert page.model.request == Eval(str(bundle), "demo:qwen3", "", 16)
    rows = dict(page.figures.rows._rows)
    assert (rows["top-1 agreement"], rows["KL divergence, mean"]) == ("97.40 %", "0.012346 nats")
    assert rows["200 questions, candidate"] == "98.50 %"
    assert page.summary.text().endswith(". Prompts: 12 of the 600 held-back questions of demo:qwen3.")
    assert page.chart is not None
    x, y = page.chart.lines["key"].getData()
    assert list(x[:2]) == [0, 1] and y[17] == pytest.approx((0.001 + 0.0004 * 17 + 0.006) / 2)


def test_a_result_keeps_its_names(qtbot: Any, tab: Any, tmp_path: Path) -> None:
    """Another bundle is opened, the form says something else, the bundle is built anew: the result is whose it was."""
    page: AccuracyTab = tab(delay=0.02)
    mine, other = make_bundle(tmp_path / "mine"), make_bundle(tmp_path / "other")
    page.compare(Eval(str(mine), "demo:qwen3", "", 8))
    assert page.bundles.text() == "mine (fp32) compared with demo:qwen3 (fp32)"
    page.context.open_bundle(other)
    qtbot.waitUntil(lambda: page.model.state == "done")
    page.context.open_bundle(mine)
    page.context.open_bundle(other)
    page.form.reference.choose(str(mine))
    assert page.form.candidate.path == str(other)
    assert page.title.text() == "mine (fp32) compared with demo:qwen3 (fp32)"
    assert page.summary.text().startswith("cpu · up to 8 tokens per prompt · ")
    page.export(tmp_path / "a.json")
    of = json.loads((tmp_path / "a.json").read_text())["compared"]
    assert (of["candidate"]["path"], of["candidate"]["built_at"]) == (str(mine), "2026-01-02T03:04:05+00:00")
    page.compare(Eval(str(other), str(mine)))
    qtbot.waitUntil(lambda: page.model.state == "done")
    assert page.title.text() == "other (fp32) compared with mine (fp32)"


def test_the_first_token_that_differs_is_marked(qtbot: Any, tab: Any) -> None:
    page: AccuracyTab = tab()
    page.compare(ASKED)
    qtbot.waitUntil(lambda: page.model.state == "done")
    answers = page.answers
    assert answers.summary.text() == "9 of 12 answers have the same tokens"
    lines = answers.text.toPlainText().splitlines()
    assert len(lines) == 9  # the three that differ, three lines each
    assert lines[1].strip() == "reference  The capital of France is Paris.<|im_end|>"
    marks = {}
    for word in ("France", "Paris", "Lyon", "think"):
        cursor = answers.text.document().find(word)
        marks[word] = cursor.charFormat().underlineStyle()
    style = QTextCharFormat.UnderlineStyle
    assert marks == {
        "France": style.NoUnderline,
        "Paris": style.WaveUnderline,
        "Lyon": style.WaveUnderline,
        "think": style.SingleUnderline,
    }
    answers.only.setChecked(False)
    assert len(answers.text.toPlainText().splitlines()) == 9 * 2 + 3 * 3


def test_suggestions(qtbot: Any, tab: Any) -> None:
    page: AccuracyTab = tab()
    page.form.candidate.choose("/bundles/b")
    page.form.reference.choose("demo:qwen3")
    page.form.suggest.setChecked(True)
    page.form.start_button.click()
    qtbot.waitUntil(lambda: page.model.state == "done")
    assert page.model.request == Eval("/bundles/b", "demo:qwen3", "", 16, 5)
    rows = dict(page.figures.rows._rows)
    assert (rows["KL without node_linear_17"], rows["KL without all of these"]) == ("0.0087 nats", "0.0061 nats")
    assert "leave node_linear_17, MatMul.linear_4.gate_up unquantized" in page.summary.text()
    assert not page.build_without.isVisible()  # what the bundle was built of is not known


def test_the_checkpoint_is_offered_and_suggestions_lead_to_the_wizard(
    qtbot: Any, make_window: Any, tmp_path: Any
) -> None:
    """Of a bundle that was built here, also after a restart; its own checkpoint stands before the recent bundles."""
    window = make_window()
    context = window.context
    folder, source = make_bundle(tmp_path / "b"), tmp_path / "checkpoint"
    source.mkdir()
    context.recents.add(str(folder), str(source))
    assert RecentBundles(context.home, fake_summary).entries[0].checkpoint == str(source)
    context.open_bundle(folder)
    window.show_page("measure")
    window.stack.page("measure").show_accuracy(str(folder), "", ())
    page = window.stack.page("measure").findChild(AccuracyTab)
    field = page.form.reference.field
    assert (field.itemText(0), field.itemData(0)) == (f"its checkpoint: {source}", str(source))
    assert page.form.request().against == str(source)  # chosen from the start
    itself = field.model().item(field.findData(str(folder)))
    assert not itself.isEnabled() and "It is the bundle itself" in itself.toolTip()
    page.form.reference.choose(str(folder))
    assert not page.form.start_button.isEnabled()
    page.form.reference.choose("demo:qwen3")
    page.form.candidate.choose("/b/other")
    assert page.form.reference.path == "demo:qwen3"  # what a person chose stays
    page.form.candidate.choose(str(folder))
    page.form.reference.choose(str(source))
    page.form.suggest.setChecked(True)
    page.form.start_button.click()
    qtbot.waitUntil(page.build_without.isVisible)
    page.build_without.click()
    recipe = context.unsaved_recipe
    assert window.stack.current_name == "build" and recipe.source == str(source)
    excluded = ["node_linear_17", "MatMul.linear_4.gate_up"]
    assert recipe.options == {"precision": "fp32", "quantize": {"exclude": excluded}}


def test_stopping(qtbot: Any, tab: Any) -> None:
    page: AccuracyTab = tab(delay=0.2)
    page.compare(ASKED)
    qtbot.waitUntil(lambda: page.model.done > 0)
    assert page.stack.currentIndex() == 1 and page.form.start_button.text() == "Stop"
    assert not page.model.start(ASKED)
    qtbot.mouseClick(page.form.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.model.state == "cancelled")
    assert page.stack.currentIndex() == 0 and not page.banner.message
    assert page.form.start_button.text() == "Compare"


def test_a_failure_can_be_tried_again(qtbot: Any, tab: Any) -> None:
    error = {"kind": "request", "message": "The prompt file p.txt is empty.", "details": "Traceback"}
    page: AccuracyTab = tab(errors={"eval": error})
    page.compare(ASKED)
    qtbot.waitUntil(lambda: page.model.state == "failed")
    assert page.banner.message == "The prompt file p.txt is empty."
    page.context.program = program()
    page._again()
    qtbot.waitUntil(lambda: page.model.state == "done")
    assert not page.banner.message


def test_a_worker_that_dies_is_reported(qtbot: Any, make_context: Any) -> None:
    context = make_context(crash_on="eval")
    model = AccuracyModel(context.new_worker, context.describe)
    model.start(ASKED)
    qtbot.waitUntil(lambda: model.state == "failed")
    assert model.error is not None and model.error.kind == "crashed"


def test_no_layers_is_reported(qtbot: Any, tab: Any) -> None:
    page: AccuracyTab = tab(eval={"layers": []})
    page.compare(ASKED)
    qtbot.waitUntil(lambda: page.model.state == "done")
    assert page.no_layers.isVisible() and page.chart is None


def test_files(qtbot: Any, tab: Any, tmp_path: Path) -> None:
    page: AccuracyTab = tab()
    page.compare(ASKED)
    qtbot.waitUntil(lambda: page.model.state == "done")
    page.export(tmp_path / "a.csv")
    page.export(tmp_path / "a.json")
    assert (tmp_path / "a.csv").read_text().startswith("candidate,candidate_precision,reference,")
    assert json.loads((tmp_path / "a.json").read_text())["positions"] == 192
    page.export(tmp_path / "none" / "a.json")
    assert page.banner.message == "The file could not be written."


def test_from_done_to_the_comparison(qtbot: Any, make_window: Any, tmp_path: Path) -> None:
    window = make_window()
    bundle = make_bundle(tmp_path / "built")
    window.context.open_bundle(bundle)
    window.context.accuracyRequested.emit(str(bundle), "demo:qwen3", ["ab12"])
    page = window.stack.page("measure")
    assert window.stack.current_name == "measure" and page.tabs.currentWidget() is page.accuracy
    assert page.accuracy.form.candidate.path == str(bundle)
    assert page.accuracy.form.reference.path == "demo:qwen3"
    assert page.accuracy.form.start_button.hasFocus()
    page.accuracy.form.start_button.click()
    assert page.accuracy.model.request == Eval(str(bundle), "demo:qwen3", "", 16, 0, ("ab12",))
    qtbot.waitUntil(lambda: page.accuracy.model.state == "done")
