"""Review: the recipe edited as text, with the engine's word on it, and the disk of the folder that was chosen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWizard

from app.builder import review_page as module
from app.builder.review_page import free_space, output_problem
from app.builder.step_page import OPTIMIZE, QUANTIZE, REVIEW
from app.window import MainWindow
from tests.app.test_build_wizard import to_review, wizard_of

Make = Callable[..., MainWindow]


@pytest.fixture
def review(qtbot: Any, make_window: Make) -> Any:
    wizard = wizard_of(make_window())
    to_review(qtbot, wizard)
    page = wizard.steps[REVIEW]
    qtbot.waitUntil(page.isComplete)
    return page


def edit(page: Any, old: str, new: str) -> None:
    """As a person who types."""
    text = page.recipe.text.toPlainText()
    assert text.count(old) == 1
    cursor = page.recipe.text.textCursor()
    cursor.setPosition(text.index(old))
    cursor.setPosition(text.index(old) + len(old), cursor.MoveMode.KeepAnchor)
    cursor.insertText(new)


def test_what_is_typed_is_what_is_built(qtbot: Any, review: Any) -> None:
    edit(review, '"capacity": 4096', '"capacity": 777')
    assert not review.isComplete()  # it was not looked at yet
    qtbot.waitUntil(review.isComplete)
    assert review.draft.request("/out").options["capacity"] == 777
    assert review.out.text().endswith("qwen3-demo-fp32-static777")
    assert review.draft.options["capacity"] == 777 and "opset" not in review.draft.options


def test_no_json_is_reported_with_its_line(qtbot: Any, review: Any) -> None:
    edit(review, '"capacity": 4096,', '"capacity": 4096')
    qtbot.waitUntil(lambda: review.recipe.problem == "Line 6: Expecting ',' delimiter.")
    assert not review.isComplete()
    commit = review.wizard().button(QWizard.WizardButton.CommitButton)
    assert not commit.isEnabled()
    qtbot.mouseClick(review.recipe.undo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(commit.isEnabled)
    assert review.recipe.problem == "" and '"capacity": 4096,' in review.recipe.text.toPlainText()


def test_the_engines_message_is_shown_with_the_line(qtbot: Any, review: Any) -> None:
    edit(review, '"capacity": 4096', '"capacity": 3')
    words = "The recipe's settings do not go together: a chunk of 64 does not fit a capacity of 3."
    qtbot.waitUntil(lambda: review.recipe.status.text() == f"Line 5: {words}")
    assert not review.isComplete() and '"capacity": 3' in review.recipe.text.toPlainText()
    edit(review, '"capacity": 3', '"capacity": 4096')
    qtbot.waitUntil(review.isComplete)
    assert review.draft.options.get("capacity", 4096) == 4096


def test_a_setting_that_is_taken_out_is_at_its_default(qtbot: Any, review: Any) -> None:
    edit(review, '"capacity": 4096', '"capacity": 777')
    qtbot.waitUntil(lambda: review.draft.options.get("capacity") == 777 and review.isComplete())
    edit(review, '  "capacity": 777,\n', "")
    qtbot.waitUntil(lambda: "capacity" not in review.draft.options and review.isComplete())
    assert json.loads(review.recipe.text.toPlainText())["capacity"] == 4096


def test_a_sentence_and_what_differs_come_first(qtbot: Any, review: Any) -> None:
    assert review.sentence.text() == "Qwen3 901 K → fp32, 2 graphs, static 4,096, for CPU"
    assert review.unchanged.isVisible() and not review.changes.isVisible() and not review.recipe.unfolded
    passes = {"deduplicate": False, "fold-constants": True}
    review.draft.set_options(
        {"precision": "int4", "capacity": 2048, "target": "qnn", "graphs": "single", "passes": passes}
    )
    qtbot.waitUntil(lambda: review.sentence.text().endswith("→ int4, one graph, static 2,048, for Qualcomm QNN"))
    rows = [[review.changes.rows.index(row, column).data() for column in (0, 1)] for row in range(5)]
    others = [["precision", "int4"], ["capacity", "2048"], ["target", "qnn"], ["graphs", "single"]]
    assert rows == [*others, ["passes.deduplicate", "off"]]
    assert review.changes.rows.rowCount() == 5 and not review.unchanged.isVisible()


def test_the_estimate_says_whence_it_is_and_what_the_disk_needs(review: Any) -> None:
    assert review.notes["seconds"].text().startswith("Estimated from 2 earlier builds on this machine.")
    text = "39.1 KiB of it are snapshots of the graphs; the stages need 6.9 MiB more while building."
    assert review.figures["disk"].text() == "8.6 MiB" and review.notes["stages"].text() == text


def test_undo_ends_at_the_own_edits(qtbot: Any, review: Any) -> None:
    """Undo took back the precision that was chosen on another page."""
    review.draft.set_option("precision", "int4")  # as the Quantize page does
    qtbot.waitUntil(lambda: '"precision": "int4"' in review.recipe.text.toPlainText())
    assert not review.recipe.undo.isEnabled()
    edit(review, '"capacity": 4096', '"capacity": 777')
    qtbot.waitUntil(lambda: review.draft.options.get("capacity") == 777 and review.isComplete())
    while review.recipe.undo.isEnabled():
        review.recipe.text.undo()
    qtbot.waitUntil(lambda: review.draft.options["capacity"] == 4096 and review.isComplete())
    assert review.draft.options["precision"] == "int4"
    assert json.loads(review.recipe.text.toPlainText())["precision"] == "int4"


def test_a_recipe_is_saved_and_loaded(qtbot: Any, review: Any, tmp_path: Path) -> None:
    file = tmp_path / "recipe.json"
    review.recipe.save(file)
    kept = json.loads(file.read_text())
    assert kept == review.draft.plan.recipe
    file.write_text(json.dumps(kept | {"source": "somebody/else", "precision": "int4", "capacity": 99}))
    review.recipe.load(file)
    qtbot.waitUntil(lambda: review.isComplete() and review.draft.plan.chosen.precision == "int4")
    assert review.draft.source == "demo:qwen3" and review.draft.plan.chosen.capacity == 99
    review.recipe.load(tmp_path / "missing.json")
    assert review.recipe.problem == f"{tmp_path / 'missing.json'} cannot be read: No such file or directory."


def test_the_free_disk_is_that_of_the_folder(review: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "small").mkdir()

    def usage(folder: Path) -> SimpleNamespace:
        return SimpleNamespace(free=1 << 20 if "small" in str(folder) else 50 << 30)

    monkeypatch.setattr(module.shutil, "disk_usage", usage)
    review.out.setText(str(tmp_path / "new" / "bundle"))
    assert review.notes["disk"].text() == f"of 50.0 GiB free ({tmp_path})"
    review.out.setText(str(tmp_path / "small" / "bundle"))
    assert review.notes["disk"].text() == f"more than the free 1.0 MiB ({tmp_path / 'small'})"
    review.out.setText("nowhere")
    assert review.notes["disk"].text() == ""


def test_a_build_without_enough_memory_is_announced_as_refused(review: Any) -> None:
    price = review.draft.plan.estimate
    price.memory_bytes, price.free_memory_bytes = 30 << 30, 20 << 30
    review._show_plan()
    assert review.notes["memory"].text() == "more than the free 20.0 GiB"
    assert review.notes["memory"].property("role") == "warning"
    price.memory_short = True
    review._show_plan()
    assert review.notes["memory"].text().startswith("more than the free 20.0 GiB. The build will be refused: close")
    assert review.notes["memory"].property("role") == "error"


def test_free_bytes_are_of_the_folder_above_that_is_there(tmp_path: Path) -> None:
    found = free_space(f" {tmp_path}/a/b/c ")
    assert found is not None and found[1] == f"({tmp_path})"
    assert abs(found[0] - shutil.disk_usage(tmp_path).free) < 1 << 30
    assert free_space("") is None and free_space("relative") is None


@pytest.mark.parametrize("text", ["~nobody-of-this-name", "~nobody-of-this-name/out"])
def test_a_person_whom_nobody_knows_is_no_folder(text: str) -> None:
    """As it is typed, letter by letter, towards a name that there is."""
    assert output_problem(text) == "The path must be absolute." and free_space(text) is None


def test_the_steps_before_show_what_the_text_says(qtbot: Any, review: Any) -> None:
    """And what is changed there then takes nothing of it back."""
    wizard = review.wizard()
    edit(review, '"opset": 23', '"opset": 23, "passes": {"deduplicate": false}')
    edit(review, '"precision": "fp32"', '"precision": "int4"')
    assert not review.isComplete()
    qtbot.waitUntil(review.isComplete)
    wizard.back()
    assert wizard.steps[QUANTIZE].table.current == "int4"
    assert review.draft.options["precision"] == "int4"
    wizard.back()
    switches = wizard.steps[OPTIMIZE].switches
    assert {name: one.isChecked() for name, one in switches.items()} == {"fold-constants": True, "deduplicate": False}
    switches["fold-constants"].click()
    assert review.draft.options["passes"] == {"fold-constants": False, "deduplicate": False}
    qtbot.waitUntil(lambda: not review.draft.planning)
    assert not switches["fold-constants"].isChecked()
