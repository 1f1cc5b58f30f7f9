"""What a preflight found, as a person reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.state.preflights import SavedPreflight
from app.text.formatting import format_local_time
from app.widgets.basics import PillLabel
from app.widgets.preflight_view import PreflightView, difference_text
from tests.fakes.preflights import LEFT, report
from workflows.wire.reports.preflight import PreflightReport

AT = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def view(qtbot: Any) -> Any:
    def make(found: PreflightReport) -> PreflightView:
        made = PreflightView(SavedPreflight("/b/demo", "built", AT, found), "Qualcomm QNN")
        qtbot.addWidget(made)
        made.show()
        return made

    return make


def texts(view: PreflightView) -> list[str]:
    return [one.text() for one in view.findChildren(QLabel)]


def test_a_table_by_component_says_how_fully_and_how_rightly(view: Any) -> None:
    said = texts(view(report("qnn")))
    assert f"checked {format_local_time(AT)}" in said and "runs" in said and "6 nodes run on the CPU provider." in said
    first = said.index("prefill")
    assert said[first : first + 8] == [
        "prefill", "104 of 107", "logits 0.0084, KV 0.0021", "–", "decode", "104 of 107", "–", "logits 0.0042, KV 0.001"
    ]  # fmt: skip
    assert "Nodes on Qualcomm QNN" in said


def test_what_is_left_is_listed_on_demand_with_the_reason_where_there_is_one(qtbot: Any, view: Any) -> None:
    found = view(report("qnn"))
    assert found.more.text() == "6 nodes run on the CPU" and not found.cpu_nodes.isVisible()
    qtbot.mouseClick(found.more, Qt.MouseButton.LeftButton)
    assert found.cpu_nodes.isVisible() and found.cpu_nodes.toPlainText().splitlines()[:2] == [
        "prefill: model.rotary_emb.Cos_2 (Cos): Cos of two axes has no kernel.",
        "prefill: model.layers.0.self_attn.Softmax_33 (Softmax)",
    ]
    qtbot.mouseClick(found.more, Qt.MouseButton.LeftButton)
    assert not found.cpu_nodes.isVisible()


def test_one_node_is_one(view: Any) -> None:
    whole = report("qnn")
    part = replace(whole.components[0], elsewhere=LEFT[:1])
    assert view(replace(whole, components=[part])).more.text() == "1 node runs on the CPU"


def test_all_on_it_needs_no_list(view: Any) -> None:
    found = view(report("cpu"))
    assert found.verdict.text() == "All nodes run on this device, and the results are correct."
    assert not hasattr(found, "left")


def test_what_is_not_to_be_run_gives_the_reason_and_shows_no_figures(view: Any) -> None:
    found = view(PreflightReport("qnn", [], False, "The graph is too large."))
    (pill,) = found.findChildren(PillLabel)
    assert (pill.text(), pill.property("tint")) == ("does not run", "error")
    assert found.verdict.text() == "The graph is too large." and "Component" not in texts(found)


@pytest.mark.parametrize(("value", "text"), [(None, "–"), (0.0, "0"), (1.25e-07, "1.2e-07"), (float("inf"), "inf")])
def test_a_difference_in_short(value: float | None, text: str) -> None:
    assert difference_text(value) == text
