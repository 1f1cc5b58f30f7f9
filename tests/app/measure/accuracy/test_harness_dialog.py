"""Tasks of lm-eval in the window: asked, followed, stopped, refused, and reached from the accuracy tab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.measure.accuracy.harness_dialog import HarnessDialog
from app.measure.page import MeasurePage
from tests.app.conftest import make_bundle
from workflows.wire.requests import EvalTasks


@pytest.fixture
def dialog(qtbot: Any, make_context: Any, tmp_path: Path) -> Any:
    def make(**scenario: Any) -> HarnessDialog:
        context = make_context(**scenario)
        context.open_bundle(make_bundle(tmp_path / "mine"))
        made = HarnessDialog(context)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(made)
        made.show()
        return made

    return make


def test_from_the_names_to_the_scores(qtbot: Any, dialog: Any, tmp_path: Path) -> None:
    made: HarnessDialog = dialog()
    assert not made.form.start_button.isEnabled() and not made.scores.isVisible()
    made.form.tasks.setText(" hellaswag,arc_easy ,")
    made.form.limit.setValue(0)
    assert made.form.request() == EvalTasks(str(tmp_path / "mine"), ("hellaswag", "arc_easy"), None)
    made.form.limit.setValue(50)
    qtbot.keyClick(made.form.tasks, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: made.model.state == "done")
    assert made.status.text() == "lm-eval 0.4.13, 100 samples"
    rows = [[made.scores.rows.index(row, column).data() for column in range(4)] for row in range(4)]
    assert rows[:2] == [["hellaswag", "acc", "0.3125", "0.0125"], ["hellaswag", "acc_norm", "0.375", "0.0125"]]
    assert [row[0] for row in rows[2:]] == ["arc_easy"] * 2
    with qtbot.waitSignal(made.history_requested):
        qtbot.mouseClick(made.show_history, Qt.MouseButton.LeftButton)


def test_requests_are_counted_and_stop_ends_them(qtbot: Any, dialog: Any) -> None:
    made: HarnessDialog = dialog(delay=0.2)
    made.form.tasks.setText("gsm8k")
    made.form.start()
    qtbot.waitUntil(lambda: made.status.text() == "gsm8k · 1 / 8")
    assert made.bar.value() == 125 and not made.form.tasks.isEnabled()
    qtbot.mouseClick(made.form.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: made.model.state == "cancelled")
    assert "nothing was saved" in made.banner.message


def test_a_missing_package_is_said(qtbot: Any, dialog: Any) -> None:
    message = "Tasks of lm-eval need its package: install it with pip install lm-eval."
    made: HarnessDialog = dialog(errors={"eval_tasks": {"kind": "package", "message": message}})
    made.form.tasks.setText("gsm8k")
    made.form.start()
    qtbot.waitUntil(made.banner.isVisible)
    assert made.banner.message == message


def test_the_tab_opens_one_dialog(qtbot: Any, make_window: Any, tmp_path: Path) -> None:
    window = make_window(hang_on="eval_tasks")
    page: Any = window.stack.page("measure")
    assert isinstance(page, MeasurePage) and not page.accuracy.form.tasks_button.isEnabled()
    window.context.open_bundle(make_bundle(tmp_path / "mine"))
    page.accuracy.form.tasks_button.click()
    (made,) = window.findChildren(HarnessDialog)
    made.form.tasks.setText("gsm8k")
    made.form.start()
    assert made.model.running and page.accuracy.score_tasks() is made
    made.close()
    assert made.isHidden()
