"""Find the divergence: asked, followed, stopped, failed, shown, and led into the graph."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.measure.divergence.dialog import DivergenceDialog
from app.state.inspection import InspectTarget
from app.state.machines import MachinesModel
from tests.app.conftest import make_bundle
from tests.fakes.divergence import FIRST, report
from tests.fakes.inspections import BUNDLE, FUSED
from tests.fakes.worker import QNN, program
from workflows.process.machines import RemoteMachine, add_machine
from workflows.wire.codec import dumps, to_fields
from workflows.wire.requests import Diverge, DivergenceSide

ASKED = Diverge(DivergenceSide("/a"), DivergenceSide("/b", "", "qnn"), "Hello")


@pytest.fixture
def dialog(qtbot: Any, make_context: Any, tmp_path: Path) -> Any:
    def make(**scenario: Any) -> DivergenceDialog:
        context = make_context(**scenario)
        context.open_bundle(make_bundle(tmp_path / "mine"))
        made = DivergenceDialog(context)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(made)
        made.show()
        return made

    return make


def test_from_the_form_to_the_node(qtbot: Any, dialog: Any, tmp_path: Path) -> None:
    found: DivergenceDialog = dialog()
    form, results = found.form, found.results
    mine = str(tmp_path / "mine")
    assert form.a.side == form.b.side == DivergenceSide(mine)
    assert not form.start_button.isEnabled()
    qtbot.waitUntil(lambda: form.b.provider.count() > 1)
    form.b.provider.setCurrentIndex(form.b.provider.findData("qnn"))
    form.prompt.setText("What is")
    qtbot.keyClick(form.prompt, Qt.Key.Key_Return)
    assert form.start_button.text() == "Stop"
    qtbot.waitUntil(lambda: found.model.state == "done")
    assert found.model.request == Diverge(DivergenceSide(mine), DivergenceSide(mine, "", "qnn"), "What is")
    assert found.stack.currentWidget() is results
    assert results.summary.text() == "B first differs at MatMul, node_matmul_9_1."
    assert results.facts.text().startswith(
        "In model/layers/9/self_attn/q_proj: difference 0.012, largest value of A 3.5. "
        "Nodes compared: 112; tokens: 6. The two take prompts in different chunks"
    )
    assert results.chosen == report().first
    assert results.table.rows.rowCount() == 112
    assert results.chart is not None
    x, y = results.chart.line.getData()  # of a chart of powers of ten
    assert list(x) == list(range(1, 113))
    assert y[FIRST - 1] == pytest.approx(np.log10(0.012))
    assert list(results.chart.dots.getData()[0]) == [FIRST]
    assert results.chart.first.value() == FIRST


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake worker stands for the machine `npu`, and an end of its process for `off`."""
    for name in ("npu", "off"):
        add_machine(RemoteMachine(name, f"ssh://{name}.lan"))
    there = {"npu": program(reply="npu's", devices=[to_fields(QNN)]), "off": [sys.executable, "-c", "exit(1)"]}
    monkeypatch.setattr(MachinesModel, "program", lambda self, name=None: there.get(name or self.current))


def test_each_side_has_its_machine_and_its_providers(qtbot: Any, dialog: Any, machines: None, tmp_path: Path) -> None:
    """A runs on one machine, what it computed is a file for the run of B on the other, and then nothing is left."""
    found: DivergenceDialog = dialog()
    form = found.form
    assert form.machines == ("", "") and form.a.machine.isVisible()
    qtbot.waitUntil(lambda: form.a.provider.count() > 1 and form.b.provider.count() > 1)
    form.a.machine.setCurrentText("npu")
    qtbot.waitUntil(lambda: form.a.provider.currentData() == "qnn")
    assert (form.a.provider.count(), form.b.provider.currentData()) == (1, "cpu")
    form.prompt.setText("What is")
    qtbot.keyClick(form.prompt, Qt.Key.Key_Return)
    assert not form.a.machine.isEnabled() and found.model._folder is not None
    folder = Path(found.model._folder.name)
    qtbot.waitUntil(lambda: found.model.state == "done")
    mine = str(tmp_path / "mine")
    assert found.model.request == Diverge(DivergenceSide(mine, "", "qnn"), DivergenceSide(mine), "What is")
    assert found.results.facts.text().endswith("A is npu's.")
    assert not folder.exists()


def test_a_machine_that_cannot_be_used_is_reported(qtbot: Any, dialog: Any, machines: None) -> None:
    found: DivergenceDialog = dialog()
    found.form.a.machine.setCurrentText("off")
    qtbot.waitUntil(lambda: bool(found.banner.message))
    found.banner.clear()
    found.form.prompt.setText("What is")
    found.form.start()
    assert found.model._folder is not None
    folder = Path(found.model._folder.name)
    qtbot.waitUntil(lambda: found.model.state == "failed")
    assert found.banner.message and not folder.exists() and found.stack.currentWidget() is found.empty


def test_a_is_the_last_other_bundle(qtbot: Any, dialog: Any, tmp_path: Path) -> None:
    context = dialog().context
    context.open_bundle(make_bundle(tmp_path / "newer"))
    both = DivergenceDialog(context)
    qtbot.addWidget(both)
    assert (both.form.a.side.bundle, both.form.b.side.bundle) == (str(tmp_path / "mine"), str(tmp_path / "newer"))


def test_a_alone_is_the_same_bundle_as_it_was_exported(qtbot: Any, dialog: Any, tmp_path: Path) -> None:
    form = dialog(inspection=json.loads(dumps(BUNDLE))).form
    qtbot.waitUntil(lambda: form.a.stage.count() > 1 and form.b.stage.count() > 1)
    mine = str(tmp_path / "mine")
    assert (form.a.side, form.b.side) == (DivergenceSide(mine, "export"), DivergenceSide(mine))


def test_a_row_leads_into_the_graph(qtbot: Any, dialog: Any) -> None:
    """By Enter on any row, and by the button on the one that is chosen."""
    found: DivergenceDialog = dialog()
    found.start(ASKED)
    qtbot.waitUntil(lambda: found.model.state == "done")
    looks: list[InspectTarget] = []
    pages: list[str] = []
    found.context.inspectRequested.connect(looks.append)
    found.context.navigate.connect(pages.append)
    qtbot.mouseClick(found.results.show_button, Qt.MouseButton.LeftButton)
    assert found.isHidden()  # it lay over the node
    found.show()
    found.results.table.selectRow(0)
    found.results.table.setFocus()
    qtbot.keyClick(found.results.table, Qt.Key.Key_Return)
    assert looks == [
        InspectTarget("/b", component="decoder", node="node_matmul_9_1"),
        InspectTarget("/b", component="decoder", node="node_rmsnormalization_0_0"),
    ]
    assert pages == ["inspect", "inspect"]


def test_no_divergence_is_reported(dialog: Any) -> None:
    results = dialog().results
    equal = report()
    equal.first = None
    for node in equal.nodes:
        node.parts = False
    results.show_report(equal)
    assert results.summary.text() == "No divergence: the outputs of all nodes are equal within rounding."
    assert results.chosen is None
    assert not results.show_button.isEnabled()
    assert not results.chart.first.isVisible()


def test_what_is_no_number_is_written_and_not_drawn(dialog: Any) -> None:
    results = dialog().results
    odd = report()
    odd.curve[3] = (4, None)
    odd.nodes[3].max_abs_diff = None
    results.show_report(odd)
    assert results.table.rows.index(3, 6).data() == "NaN, ∞"
    assert 4 not in list(results.chart.line.getData()[0])


def test_a_failure_is_reported_and_the_form_is_free(qtbot: Any, dialog: Any) -> None:
    found: DivergenceDialog = dialog(diverge_fails="A has no tokenizer.")
    found.start(ASKED)
    qtbot.waitUntil(lambda: found.model.state == "failed")
    assert found.banner.message == "A has no tokenizer."
    assert found.stack.currentWidget() is found.empty
    assert found.form.prompt.isEnabled()


def test_it_is_stopped_and_closing_stops_it(qtbot: Any, dialog: Any) -> None:
    found: DivergenceDialog = dialog(delay=0.2)
    assert found.model.start(ASKED)
    assert not found.model.start(ASKED)
    qtbot.mouseClick(found.form.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: found.model.state == "cancelled")
    assert found.banner.message == "The search was stopped without a result."
    found.start(ASKED)
    found.close()
    assert found.isHidden()
    qtbot.waitUntil(lambda: found.model.state == "cancelled")


def test_stages_are_those_of_the_bundle(qtbot: Any, dialog: Any, tmp_path: Path) -> None:
    found: DivergenceDialog = dialog(inspection=json.loads(dumps(BUNDLE)))
    side = found.form.b
    qtbot.waitUntil(lambda: side.stage.count() > 1)
    names = [side.stage.itemText(place) for place in range(side.stage.count())]
    assert names == ["As it runs", "export", FUSED.name]
    side.stage.setCurrentIndex(2)
    assert side.side.stage == FUSED.name
    side.bundle.choose("elsewhere")
    assert [side.stage.itemText(place) for place in range(side.stage.count())] == ["As it runs"]


def test_the_palette_opens_it(qtbot: Any, make_window: Any) -> None:
    window = make_window()
    asked = [one for one in window.every_action() if one.text() == "Find the divergence of two runs …"]
    asked[0].trigger()
    shown = window.findChild(DivergenceDialog)
    assert shown is not None
    assert shown.isVisible()
    shown.hide()  # as for the graph
    asked[0].trigger()
    assert shown.isVisible() and window.findChildren(DivergenceDialog) == [shown]
    shown.close()
