"""What is to be compared: when it can begin, what is asked for, what changes while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton

from app.measure.accuracy.form import STEPS, SUGGESTIONS, AccuracyForm
from app.state.recent_bundles import RecentBundles
from tests.app.conftest import fake_summary
from workflows.wire.requests import Eval


@pytest.fixture
def form(qtbot: Any, home: Path) -> AccuracyForm:
    made = AccuracyForm(RecentBundles(home, fake_summary))
    qtbot.addWidget(made)
    made.show()
    return made


def asked(qtbot: Any, form: AccuracyForm) -> Eval:
    with qtbot.waitSignal(form.requested) as told:
        form.start()
    request: Eval = told.args[0]
    return request


@pytest.mark.parametrize(
    ("candidate", "reference", "ready"),
    [("", "", False), ("/b/one", "", False), ("", "demo:qwen3", False), ("/b/one", "  ", False),
     ("/b/one", "demo:qwen3", True)],
)  # fmt: skip
def test_both_must_be_named(qtbot: Any, form: AccuracyForm, candidate: str, reference: str, ready: bool) -> None:
    form.candidate.choose(candidate)
    form.reference.choose(reference)
    assert form.start_button.isEnabled() == ready
    if not ready:
        with qtbot.assertNotEmitted(form.requested):
            form.start()


def test_what_is_requested_is_what_stands_there(qtbot: Any, form: AccuracyForm) -> None:
    form.fill_in("/b/one", "demo:qwen3")
    assert asked(qtbot, form) == Eval("/b/one", "demo:qwen3", "", STEPS)
    form.prompts.setText("  prompts.txt ")
    form.steps.setValue(8)
    form.suggest.setChecked(True)
    assert asked(qtbot, form) == Eval("/b/one", "demo:qwen3", "prompts.txt", 8, SUGGESTIONS)


def test_consent_is_for_the_reference_that_it_was_given_for(qtbot: Any, form: AccuracyForm) -> None:
    form.fill_in("/b/one", "/checkpoint", ["ab12"])
    assert asked(qtbot, form).consented == ("ab12",)
    form.reference.choose("/another")
    assert asked(qtbot, form).consented == ()
    form.reference.choose("/checkpoint")
    assert asked(qtbot, form).consented == ("ab12",)


@pytest.mark.parametrize(("reference", "focus"), [("demo:qwen3", "start_button"), ("", "reference")])
def test_the_focus_is_on_what_comes_next(qtbot: Any, form: AccuracyForm, reference: str, focus: str) -> None:
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    form.fill_in("/b/one", reference)
    part = getattr(form, focus)
    assert (part.focusProxy() or part).hasFocus()


def test_names_that_are_empty_leave_what_is_there(form: AccuracyForm) -> None:
    form.fill_in("/b/one", "demo:qwen3")
    form.fill_in(candidate="/b/two")
    assert (form.candidate.path, form.reference.path) == ("/b/two", "demo:qwen3")


def test_while_it_runs_the_button_ends_it_and_nothing_can_be_changed(qtbot: Any, form: AccuracyForm) -> None:
    form.fill_in("/b/one", "demo:qwen3")
    form.set_running(True)
    fields = (form.candidate, form.reference, form.prompts, form.steps, form.suggest)
    assert (
        form.start_button.text() == form.start_button.accessibleName() == "Stop"
        and form.start_button.property("role") == "danger"
    )
    assert not any(field.isEnabled() for field in fields)
    with qtbot.assertNotEmitted(form.requested):
        form.start()  # Ctrl+Enter
    with qtbot.waitSignal(form.stopped):
        qtbot.mouseClick(form.start_button, Qt.MouseButton.LeftButton)
    form.set_running(False)
    assert (
        form.start_button.text() == "Compare"
        and form.start_button.isEnabled()
        and all(field.isEnabled() for field in fields)
    )


def test_one_token_is_one(form: AccuracyForm) -> None:
    for value, text in ((1, "1 token"), (2, "2 tokens"), (512, "512 tokens")):
        form.steps.setValue(value)
        assert form.steps.text() == text


@pytest.mark.parametrize(("answer", "then"), [("/prompts.txt", "/prompts.txt"), ("", "mine.txt")])
def test_a_file_of_prompts_is_requested(
    form: AccuracyForm, monkeypatch: pytest.MonkeyPatch, answer: str, then: str
) -> None:
    form.prompts.setText("mine.txt")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (answer, ""))
    browse = next(one for one in form.findChildren(QPushButton) if one.accessibleName() == "Choose a file of prompts")
    browse.click()
    assert form.prompts.text() == then
