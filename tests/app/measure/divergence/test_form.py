"""What is to be compared: when it can begin, what is asked for, which providers can be chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.measure.divergence.form import DivergenceForm
from tests.fakes.worker import CPU, DML, QNN
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.inspection import InspectReport
from workflows.wire.requests import Diverge, DivergenceSide


class Quiet:
    """A worker that never answers; what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def request(self, asked: object) -> Quiet:
        self.asked.append(asked)
        return self

    def on_answer(self, _answer: Callable[[object], object], _owner: object = None) -> None:
        return None


@pytest.fixture
def form(qtbot: Any, make_context: Any, monkeypatch: pytest.MonkeyPatch) -> DivergenceForm:
    context = make_context()
    monkeypatch.setattr(context, "probe_worker", Quiet())
    made = DivergenceForm(context)
    qtbot.addWidget(made)
    made.show()
    return made


def show(form: DivergenceForm, devices: list[Any]) -> None:
    for side in (form.a, form.b):
        side.show_devices(DevicesReport(devices))


def fill(form: DivergenceForm, a: str = "/a", b: str = "/b", prompt: str = "Hello") -> None:
    form.a.bundle.choose(a)
    form.b.bundle.choose(b)
    form.prompt.setText(prompt)


@pytest.mark.parametrize(
    ("given", "ready"),
    [({}, True), ({"a": ""}, False), ({"b": " "}, False), ({"prompt": ""}, False), ({"prompt": " \t"}, False)],
)
def test_two_bundles_and_a_prompt_are_needed(
    qtbot: Any, form: DivergenceForm, given: dict[str, str], ready: bool
) -> None:
    asked = list[Diverge]()
    form.requested.connect(asked.append)
    fill(form, **given)
    assert form.start_button.isEnabled() == form.ready == ready
    qtbot.keyClick(form.prompt, Qt.Key.Key_Return)
    assert asked == [Diverge(DivergenceSide("/a"), DivergenceSide("/b"), "Hello")] * ready


def test_the_prompt_is_given_as_it_was_typed(qtbot: Any, form: DivergenceForm) -> None:
    """A blank at its end is a token of its own."""
    fill(form, prompt="  Hello ")
    with qtbot.waitSignal(form.requested) as told:
        qtbot.mouseClick(form.start_button, Qt.MouseButton.LeftButton)
    assert told.args[0].prompt == "  Hello "


def test_while_it_runs_the_button_ends_it(qtbot: Any, form: DivergenceForm) -> None:
    fill(form)
    form.set_running(True)
    assert form.start_button.text() == form.start_button.accessibleName() == "Stop" and not form.prompt.isEnabled()
    with qtbot.assertNotEmitted(form.requested):
        form.start()
    with qtbot.waitSignal(form.stopped):
        qtbot.mouseClick(form.start_button, Qt.MouseButton.LeftButton)
    form.prompt.clear()
    assert form.start_button.isEnabled()  # what runs can always be ended
    form.set_running(False)
    assert form.start_button.text() == "Find" and form.prompt.isEnabled() and not form.start_button.isEnabled()


@pytest.mark.parametrize(
    ("later", "kept"), [([CPU, QNN], "qnn"), ([CPU, DML], "cpu"), ([CPU, DML, replace(QNN, title="NPU")], "qnn")]
)
def test_a_provider_stays_while_there_is_one_of_its_name(form: DivergenceForm, later: list[Any], kept: str) -> None:
    show(form, [CPU, QNN])
    form.b.provider.setCurrentIndex(form.b.provider.findData("qnn"))
    show(form, later)
    assert form.b.side.provider == kept and form.a.side.provider == "cpu"


def test_what_cannot_be_used_is_greyed_with_the_reason(form: DivergenceForm) -> None:
    show(form, [CPU, DML])
    cell = form.a.provider.model().index(1, 0)
    assert not cell.flags() & Qt.ItemFlag.ItemIsEnabled
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == f"{DML.reason} {DML.remedy}"


def test_stages_are_asked_of_bundles_alone_and_an_answer_that_comes_late_is_dropped(form: DivergenceForm) -> None:
    worker: Any = form.a._context.probe_worker
    before = len(worker.asked)
    fill(form, a="/half/typ", b="/half/typed")
    assert len(worker.asked) == before  # no bundle is there
    late = InspectReport.__new__(InspectReport)  # nothing of it is looked at
    form.a._on_stages("/another", late)
    assert form.a.stage.count() == 1 and form.a.side == DivergenceSide("/half/typ")


def test_each_field_says_whose_it_is(form: DivergenceForm) -> None:
    names = [part.accessibleName() or part.field.accessibleName() for part in form.b.fields]
    assert names == ["Bundle B", "Stage of the build of B", "Machine of B", "Provider of B"]
