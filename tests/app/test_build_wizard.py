"""The Build page, driven like a person does, over a worker that follows a script."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget, QWizard

from app.builder.page import BuildWizard
from app.builder.precision_table import PrecisionTable
from app.builder.step_page import DONE, OPTIMIZE, QUANTIZE, RECIPE, REVIEW, RUN, SOURCE
from app.state.recent_bundles import bundle_title
from app.state.unsaved_recipe import DEMO, bundle_name, free_output_folder
from app.window import MainWindow
from tests.fakes.plans import NOT_ON_WEBGPU, SLOW
from workflows.wire.goals import Goal
from workflows.wire.reports.plan import PlanOption
from workflows.wire.requests import Build

Make = Callable[..., MainWindow]


def wizard_of(window: MainWindow) -> BuildWizard:
    window.show_page("build")
    return window.stack.page("build").wizard  # type: ignore[attr-defined]


def press(qtbot: Any, wizard: BuildWizard, which: QWizard.WizardButton = QWizard.WizardButton.NextButton) -> None:
    """Click a button of the wizard once it can be."""
    qtbot.waitUntil(lambda: wizard.button(which).isEnabled())
    qtbot.mouseClick(wizard.button(which), Qt.MouseButton.LeftButton)


def cells(table: PrecisionTable, name: str) -> list[str]:
    """The texts of a row of the Quantize page."""
    row = table.names.index(name)
    return [str(table.rows.index(row, column).data()) for column in range(table.rows.columnCount())]


def to_review(qtbot: Any, wizard: BuildWizard) -> None:
    """From an empty wizard to the review of the demo."""
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    for step in (SOURCE, RECIPE, OPTIMIZE, QUANTIZE):
        assert wizard.currentId() == step
        press(qtbot, wizard)
    assert wizard.currentId() == REVIEW


def start_build(qtbot: Any, wizard: BuildWizard) -> None:
    to_review(qtbot, wizard)
    press(qtbot, wizard, QWizard.WizardButton.CommitButton)
    assert wizard.currentId() == RUN


def recipe_step(qtbot: Any, window: Any) -> Any:
    """The wizard's second step, complete, after a demo was chosen."""
    wizard = wizard_of(window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    qtbot.waitUntil(recipe.isComplete)
    return recipe


def test_from_the_demo_to_a_bundle(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard = wizard_of(window)
    assert not wizard.button(QWizard.WizardButton.NextButton).isEnabled()
    start_build(qtbot, wizard)
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    build = window.context.build
    assert [(row.stage, row.state) for row in build.rows] == [
        ("checkpoint", "done"),
        ("export", "done"),
        ("import", "done"),
        ("optimize", "done"),
        ("quantize", "skipped"),
        ("bundle", "done"),
    ]
    done = wizard.steps[DONE]
    qtbot.mouseClick(done.chat, Qt.MouseButton.LeftButton)  # type: ignore[attr-defined]
    assert window.stack.currentWidget() is window.stack.page("chat")
    assert window.context.bundle is not None
    assert window.context.bundle["name"] == "qwen3-demo-fp32-static4096"
    assert [e.path for e in window.context.recents.entries] == [build.outcome.bundle]  # type: ignore[union-attr]


def test_a_tokenizer_is_left_out_by_a_switch(qtbot: Any, make_window: Make) -> None:
    """What `--no-tokenizer` does, for one that cannot be read; again for the default."""
    window = make_window()
    recipe, draft = recipe_step(qtbot, window), window.context.unsaved_recipe
    recipe.no_tokenizer.click()
    assert draft.options["tokenizer"] is False
    assert draft.request("out").options["tokenizer"] is False
    recipe.no_tokenizer.click()
    assert draft.options["tokenizer"] is None


def test_a_cache_in_integers_is_offered_where_it_can_be(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    recipe, draft = recipe_step(qtbot, window), window.context.unsaved_recipe
    assert not recipe.int8_cache.isVisible()
    assert recipe.cost.text().startswith("8.0 MiB of KV cache, 2.0 KiB per token")
    recipe.graphs.setCurrentIndex(recipe.graphs.findData("single"))
    recipe.graphs.activated.emit(recipe.graphs.currentIndex())
    qtbot.waitUntil(recipe.int8_cache.isVisible)
    qtbot.mouseClick(recipe.int8_cache, Qt.MouseButton.LeftButton, pos=recipe.int8_cache.rect().center() * 0.1)
    assert draft.options["kv_dtype"] == "int8"
    qtbot.waitUntil(lambda: recipe.cost.text().startswith("2.0 MiB of KV cache, 512 B per token"))
    press(qtbot, wizard_of(window))
    press(qtbot, wizard_of(window))
    assert wizard_of(window).steps[QUANTIZE].calibration.isVisible()  # type: ignore[attr-defined]
    draft.set_goal(Goal("kl", 0.01))  # as the page's row does
    assert draft.options["kv_dtype"] is None
    wizard_of(window).back()
    wizard_of(window).back()
    qtbot.waitUntil(lambda: not recipe.int8_cache.isChecked() and not recipe.int8_cache.isEnabled())
    assert recipe.int8_cache.accessibleDescription().startswith("Not with a quality goal")
    draft.set_goal(None)
    draft.set_option("kv_dtype", "int8")
    qtbot.waitUntil(lambda: recipe.int8_cache.isChecked() and recipe.int8_cache.isEnabled())
    assert recipe.int8_cache.accessibleDescription().startswith("A quarter of the memory")
    recipe.layouts["window"].radio.click()
    assert "kv_dtype" not in draft.options
    qtbot.waitUntil(lambda: recipe.cost.text().startswith("8.0 MiB"))


def test_choices_reach_the_recipe_and_the_build(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    qtbot.waitUntil(lambda: not recipe.layouts["gqa"].radio.isEnabled())
    assert [n for n, card in recipe.layouts.items() if card.radio.isEnabled()] == ["static", "window", "scatter"]
    assert "cache" not in draft.options  # what the plan shows, nobody chose
    assert "it takes no position bias" in [text.text() for text in recipe.layouts["gqa"].findChildren(QLabel)][-1]
    recipe.layouts["window"].radio.click()
    recipe.variant.setCurrentIndex(recipe.variant.findData("transformer-only"))
    recipe.variant.activated.emit(recipe.variant.currentIndex())
    assert draft.options["variant"] == "transformer-only"
    assert "cache" not in draft.options  # it has a cache of its own
    recipe.variant.setCurrentIndex(recipe.variant.findData("plain"))
    recipe.variant.activated.emit(recipe.variant.currentIndex())
    qtbot.waitUntil(lambda: recipe.isComplete())
    recipe.layouts["window"].radio.click()
    recipe.capacity.setValue(512)
    recipe.graphs.setCurrentIndex(recipe.graphs.findData("single"))
    recipe.graphs.activated.emit(recipe.graphs.currentIndex())
    assert not recipe.isComplete()
    press(qtbot, wizard)
    optimize: Any = wizard.steps[OPTIMIZE]
    assert list(optimize.switches) == ["fold-constants", "deduplicate"]
    optimize.switches["deduplicate"].click()
    press(qtbot, wizard)
    quantize: Any = wizard.steps[QUANTIZE]
    assert cells(quantize.table, "int4") == ["int4", "8.0 MiB", "4 × fp32", "small differences", "Recommended"]
    assert cells(quantize.table, "w8a16")[2:] == ["not measured", "small differences", SLOW]
    assert not quantize.calibration.isVisible()
    quantize.table.choose("w8a16")
    assert quantize.calibration.isVisible()
    quantize.calibration.prompts.setText("prompts.txt")
    quantize.calibration.prompts.editingFinished.emit()
    assert draft.options["quantize"] == {"calibration": {"prompts": "prompts.txt", "method": "minmax"}}
    quantize.table.choose("fp32")
    assert not quantize.calibration.isVisible()
    press(qtbot, wizard)
    qtbot.waitUntil(lambda: wizard.steps[REVIEW].isComplete())
    assert draft.plan is not None
    chosen = draft.plan.chosen
    assert (chosen.cache, chosen.capacity, chosen.graphs) == ("window", 512, "single")
    assert chosen.passes["deduplicate"] is False
    assert '"capacity": 512' in wizard.steps[REVIEW].recipe.text.toPlainText()  # type: ignore[attr-defined]
    press(qtbot, wizard, QWizard.WizardButton.CommitButton)
    assert window.context.build.request is not None
    assert window.context.build.request.options["capacity"] == 512
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)


def test_targets_are_the_engines_with_their_reasons(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard = wizard_of(window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    qtbot.waitUntil(lambda: recipe.isComplete())
    titles = [(recipe.target.itemData(n), recipe.target.itemText(n)) for n in range(recipe.target.count())]
    assert titles == [("cpu", "CPU"), ("qnn", "Qualcomm QNN"), ("webgpu", "WebGPU")]
    assert recipe.target.currentData() == "cpu" and recipe.target_note.text().startswith("The graphs need no change")
    recipe.target.setCurrentIndex(1)
    recipe.target.activated.emit(1)
    qtbot.waitUntil(lambda: recipe.target_note.text().startswith("• QNN takes fixed shapes alone."))
    assert window.context.unsaved_recipe.options["target"] == "qnn" and recipe.target.currentData() == "qnn"
    assert "• QNN computes angles in half precision." in recipe.target_note.text()


def test_components_are_placed_until_there_are_others(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard = wizard_of(window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    qtbot.waitUntil(lambda: recipe.isComplete())
    assert list(recipe.place.boxes) == ["prefill", "decode"] and recipe.place.chosen == {}
    qtbot.mouseClick(recipe.details.head, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(recipe.place.more, Qt.MouseButton.LeftButton)
    box = recipe.place.boxes["decode"]
    assert box.isVisible() and [box.itemText(n) for n in range(4)] == ["as all", "CPU", "Qualcomm QNN", "WebGPU"]
    box.setCurrentIndex(2)
    box.activated.emit(2)
    qtbot.waitUntil(lambda: window.context.unsaved_recipe.plan.chosen.place == {"decode": "qnn"})
    assert recipe.place.chosen == {"decode": "qnn"}
    recipe.graphs.setCurrentIndex(0)
    recipe.graphs.activated.emit(0)
    qtbot.waitUntil(lambda: not recipe.place.isVisible())  # one graph has no other to differ from
    assert "place" not in window.context.unsaved_recipe.options


def test_the_source_length_of_an_encoder(qtbot: Any, make_window: Make) -> None:
    window = make_window(encoder=600)
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    qtbot.waitUntil(recipe.source_field.isVisible)
    assert recipe.source_length.value() == 512 and "are padded" in recipe.source_note.text()
    recipe.source_length.setValue(700)
    qtbot.waitUntil(lambda: draft.plan_error is not None)
    assert recipe.source_note.text() == "A source_length of 700 is beyond the 600 positions of the encoder."
    assert recipe.source_length.value() == 700 and not recipe.isComplete()
    recipe.source_length.setValue(300)
    qtbot.waitUntil(recipe.isComplete)
    assert draft.plan.chosen.source_length == 300 and "are padded" in recipe.source_note.text()
    recipe.graphs.setCurrentIndex(recipe.graphs.findData("single"))
    recipe.graphs.activated.emit(recipe.graphs.currentIndex())
    qtbot.waitUntil(lambda: recipe.isComplete() and not recipe.source_field.isVisible())
    assert draft.plan.chosen.source_length is None and "source_length" not in draft.options


def test_a_decoder_alone_has_no_source_length(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard = wizard_of(window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    recipe.capacity.setValue(512)
    qtbot.waitUntil(recipe.isComplete)
    assert not recipe.source_field.isVisible() and "source_length" not in window.context.unsaved_recipe.options


def test_a_model_without_a_cache_is_asked_nothing_about_one(qtbot: Any, make_window: Make) -> None:
    layouts = [PlanOption(name, False, "this model keeps no cache") for name in ("static", "window", "gqa", "scatter")]
    window = make_window(layouts=layouts, cacheless=True)
    recipe = recipe_step(qtbot, window)
    assert not recipe.cache_section.isVisible() and not recipe.capacity.isEnabled()
    assert recipe.cost.text() == "This model has no cache."


def test_a_model_of_state_alone_has_no_layout_and_no_capacity(qtbot: Any, make_window: Make) -> None:
    """Nor would they change anything; the chunk of its prefill does."""
    window = make_window()
    recipe = recipe_step(qtbot, window)
    draft = window.context.unsaved_recipe
    assert draft.plan is not None and draft.probe_report is not None and draft.probe_report.decoder is not None
    decoder = replace(draft.probe_report.decoder, kv_bytes_per_token=0, state_layers=4)
    draft.probe_report = replace(draft.probe_report, decoder=decoder)
    recipe._show_plan(replace(draft.plan, estimate=replace(draft.plan.estimate, kv_bytes=0)))
    assert not recipe.cache_section.isVisible() and not recipe.capacity.isEnabled() and recipe.chunk.isEnabled()
    assert recipe.cost.text() == "State of fixed size in all 4 layers, at any length."


def test_the_task_of_a_model_of_several_parts(qtbot: Any, make_window: Make) -> None:
    """Its own is the default; another one reaches plan and build without choices made for the first."""
    text, notice = "text-generation", "This is the text part of Gemma3 alone."
    probe = {"tasks": ["image-text-to-text", text], "own_task": "image-text-to-text", "left_out": {text: notice}}
    window = make_window(probe=probe)
    recipe = recipe_step(qtbot, window)
    draft = window.context.unsaved_recipe
    assert recipe.task.isVisible() and "task" not in draft.request("/out").options
    draft.set_option("capacity", 512)
    recipe.task.cards[text].radio.click()
    qtbot.waitUntil(lambda: not draft.planning)
    assert draft.request("/out").options == {"task": text}
    recipe.task.cards["image-text-to-text"].radio.click()
    assert draft.request("/out").options == {}


def test_a_part_of_a_model_is_planned_by_its_own_name(qtbot: Any, make_window: Make) -> None:
    text = "text-generation"
    window = make_window(probe={"own_task": None, "left_out": {text: "This is the text part of X alone."}})
    recipe = recipe_step(qtbot, window)
    draft = window.context.unsaved_recipe
    assert recipe.task.isVisible() and draft.request("/out").options["task"] == text
    assert window.context.unsaved_recipe.supported


def test_a_failed_stage_gives_the_reason_and_retry_goes_on(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(fail_stage="optimize", state=str(tmp_path / "counts"))
    wizard, build = wizard_of(window), window.context.build
    start_build(qtbot, wizard)
    qtbot.waitUntil(lambda: build.state == "failed")
    run: Any = wizard.steps[RUN]
    qtbot.waitUntil(lambda: run.retry.isVisible())
    assert build.failed_row is not None
    assert (build.failed_row.stage, build.failed_row.note) == ("optimize", "An operator is missing.")
    assert run.banner.message == "Stage optimize failed: an operator is missing."
    qtbot.waitUntil(lambda: "Build failed: Stage optimize failed" in window.status.visible_texts[0])
    assert not run.isComplete()
    qtbot.mouseClick(run.retry, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    assert [r.state for r in build.rows] == ["reused", "reused", "done", "skipped", "done"]


def test_edit_recipe_leads_back_from_a_failure(qtbot: Any, make_window: Make) -> None:
    window = make_window(fail_stage="export")
    wizard = wizard_of(window)
    start_build(qtbot, wizard)
    run: Any = wizard.steps[RUN]
    qtbot.waitUntil(lambda: run.edit.isVisible())
    qtbot.mouseClick(run.edit, Qt.MouseButton.LeftButton)
    assert wizard.currentId() == RECIPE
    assert wizard.button(QWizard.WizardButton.BackButton).isEnabled()


def test_edit_recipe_gives_back_the_draft_that_it_took_the_place_of(
    qtbot: Any, make_window: Make, tmp_path: Path
) -> None:
    window = make_window(fail_stage="export")
    wizard, context = wizard_of(window), window.context
    context.unsaved_recipe.probe(str(tmp_path))
    qtbot.waitUntil(lambda: context.unsaved_recipe.plan is not None)
    context.unsaved_recipe.set_option("precision", "int4")
    context.build.start(Build("demo:qwen3", str(tmp_path / "out"), {}))  # as one click on Home does
    qtbot.waitUntil(lambda: context.build.state == "failed" and wizard.currentId() == RUN)
    wizard.edit_recipe()
    assert context.unsaved_recipe.source == "demo:qwen3"
    qtbot.waitUntil(lambda: wizard.currentId() == RECIPE)
    window.status.note.action.click()
    assert (context.unsaved_recipe.source, context.unsaved_recipe.options["precision"]) == (str(tmp_path), "int4")
    qtbot.waitUntil(lambda: wizard.currentId() == RECIPE and context.unsaved_recipe.plan is not None)


def test_cancel_and_resume(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(endless_stage="export", state=str(tmp_path / "counts"))
    wizard, build = wizard_of(window), window.context.build
    start_build(qtbot, wizard)
    run: Any = wizard.steps[RUN]
    qtbot.waitUntil(lambda: build.current is not None and build.current.stage == "export")
    qtbot.mouseClick(run.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: build.state == "cancelled")
    qtbot.waitUntil(lambda: run.retry.isVisible())
    assert run.retry.text() == "Resume"
    assert [r.state for r in build.rows if r.stage == "export"][-1] == "stopped"
    qtbot.mouseClick(run.retry, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    assert build.rows[0].state == "reused"


def test_a_worker_that_is_killed_fails_the_build_with_a_way_on(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(crash_on="build", crash_after=6, state=str(tmp_path / "counts"))
    wizard, build = wizard_of(window), window.context.build
    start_build(qtbot, wizard)
    qtbot.waitUntil(lambda: build.state == "failed")
    assert build.error is not None
    assert "SIGKILL" in build.error.message
    run: Any = wizard.steps[RUN]
    qtbot.waitUntil(lambda: run.retry.isVisible())
    qtbot.mouseClick(run.retry, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)


def test_a_build_goes_on_while_another_page_is_shown(qtbot: Any, make_window: Make) -> None:
    window = make_window(delay=0.02)
    wizard = wizard_of(window)
    start_build(qtbot, wizard)
    window.show_page("home")
    qtbot.waitUntil(lambda: window.status.visible_texts[0].startswith("Build "))
    qtbot.waitUntil(lambda: [chip.end.isVisible() for chip in window.status.chips.values()] == [True])
    qtbot.waitUntil(lambda: window.context.build.state == "done")
    assert wizard.currentId() == DONE


def code_of(folder: Path, **texts: str) -> dict[str, Any]:
    """The scenario of a checkpoint with Python files of its own."""
    folder.mkdir(exist_ok=True)
    files = {f"{name}.py": text.encode() for name, text in texts.items()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return {"remote_code": digests, "probe": {"path": str(folder)}}


def test_remote_code_is_read_before_it_is_agreed_to(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    scenario = code_of(tmp_path / "c", modeling_x="import os\nprint(1)\n", extra="x = 2\n")
    window = make_window(**scenario)
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    source: Any = wizard.steps[SOURCE]
    source.cards[1].radio.click()
    source.hub.setText("owner/name")
    qtbot.keyClick(source.hub, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(draft.probe_report))
    assert source.card.consent.isVisible()
    assert "modeling_x.py" in source.card._code.text()
    assert not source.isComplete() and not source.card.consent.isEnabled()
    qtbot.mouseClick(source.card.open_code, Qt.MouseButton.LeftButton)
    dialog = source.card.code
    assert dialog.status.text() == "Not opened yet: modeling_x.py" and not source.card.consent.isEnabled()
    dialog.list.setCurrentRow(1)
    assert dialog.code.text.toPlainText() == "import os\nprint(1)\n"
    assert dialog.code.numbers.toPlainText().split() == ["1", "2", "3"]
    assert dialog.status.text() == "Every file was opened."
    dialog.close()
    source.card.consent.click()
    qtbot.waitUntil(source.isComplete)
    assert draft.request("/out").consented == tuple(sorted(scenario["remote_code"].values()))


def test_code_that_changed_since_it_was_found_is_not_agreed_to(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window(**code_of(tmp_path / "c", modeling_x="x = 1\n"))
    (tmp_path / "c" / "modeling_x.py").write_text("import evil\n")
    source: Any = wizard_of(window).steps[SOURCE]
    window.context.unsaved_recipe.probe(str(tmp_path / "c"))
    qtbot.waitUntil(lambda: bool(window.context.unsaved_recipe.probe_report))
    qtbot.mouseClick(source.card.open_code, Qt.MouseButton.LeftButton)
    dialog = source.card.code
    assert dialog.status.text() == "modeling_x.py has changed since the source was read: read the source again."
    assert dialog.code.text.toPlainText() == "" and not source.card.consent.isEnabled()
    dialog.close()


def test_an_unsupported_checkpoint_gives_the_reason(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    reason = "No family builds gpt_neo: there are qwen3."
    window = make_window(probe={"supported": False, "reason": reason, "model_type": "gpt_neo"})
    wizard = wizard_of(window)
    window.interop.open_path(tmp_path)
    source: Any = wizard.steps[SOURCE]
    qtbot.waitUntil(lambda: source.card.isVisible())
    assert source.card.reason.text() == reason
    assert source.folder.text() == str(tmp_path)
    assert not wizard.button(QWizard.WizardButton.NextButton).isEnabled()


def test_a_gguf_file_is_a_source(
    qtbot: Any, make_window: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dropped on the window, on the source page, or chosen there."""
    files = [tmp_path / name for name in ("a.gguf", "b.GGUF", "c.gguf")]
    for file in files:
        file.write_bytes(b"GGUF")
    window = make_window()
    source: Any = wizard_of(window).steps[SOURCE]
    window.interop.open_paths([str(files[0])])
    qtbot.waitUntil(lambda: source.folder.text() == str(files[0]))
    assert source.cards[0].radio.isChecked()
    source.drop.dropped.emit(str(files[1]))
    assert window.context.unsaved_recipe.source == str(files[1])
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(files[2]), ""))
    qtbot.mouseClick(source.browse_gguf, Qt.MouseButton.LeftButton)
    assert window.context.unsaved_recipe.source == source.folder.text() == str(files[2])
    assert bundle_name(window.context.unsaved_recipe).split("-")[0] == "c"


def test_a_source_that_cannot_be_read_is_a_banner(qtbot: Any, make_window: Make) -> None:
    message = "nobody/nothing is not on the hub: check the name."
    window = make_window(errors={"probe": {"kind": "hub", "message": message, "reason": "missing"}})
    wizard = wizard_of(window)
    window.context.unsaved_recipe.probe("nobody/nothing")
    source: Any = wizard.steps[SOURCE]
    qtbot.waitUntil(lambda: source.banner.isVisible())
    assert source.banner.message == message


def test_a_refused_recipe_stops_at_the_recipe(qtbot: Any, make_window: Make) -> None:
    window = make_window(errors={"recipe": {"kind": "recipe", "message": "A chunk of 64 does not fit."}})
    wizard = wizard_of(window)
    window.context.unsaved_recipe.probe(DEMO)
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    qtbot.waitUntil(lambda: recipe.banner.isVisible())
    assert recipe.banner.message == "A chunk of 64 does not fit."
    assert not recipe.isComplete()


def test_the_output_folder_is_checked_as_it_is_typed(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    wizard = wizard_of(window)
    to_review(qtbot, wizard)
    review: Any = wizard.steps[REVIEW]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    commit = wizard.button(QWizard.WizardButton.CommitButton)
    for text in ("", "relative/path", str(tmp_path / "full"), str(tmp_path / "full" / "file")):
        review.out.setText(text)
        assert review.problem.text()
        assert not commit.isEnabled()
    review.out.setText(str(tmp_path / "new" / "bundle"))
    qtbot.waitUntil(commit.isEnabled)
    assert not review.problem.isVisible()


def test_skip_to_review_takes_the_defaults(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard = wizard_of(window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    qtbot.waitUntil(wizard.steps[RECIPE].isComplete)
    press(qtbot, wizard, QWizard.WizardButton.CustomButton2)
    assert wizard.currentId() == REVIEW


def test_no_step_is_wider_than_a_small_window(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    from tests.app.test_window import sideways

    window = make_window(**code_of(tmp_path / "c", modeling_x="x = 1\n"))
    window.resize(1024, 700)
    wizard = wizard_of(window)
    window.context.unsaved_recipe.probe(DEMO)
    qtbot.waitUntil(lambda: bool(window.context.unsaved_recipe.probe_report))
    assert not sideways(window.stack.page("build"))
    found: Any = wizard.steps[SOURCE].card  # type: ignore[attr-defined]
    found.open_code.click()
    found.code.close()
    found.consent.click()
    for _ in (RECIPE, OPTIMIZE, QUANTIZE, REVIEW):
        press(qtbot, wizard)
        assert not sideways(window.stack.page("build")), wizard.currentId()
    press(qtbot, wizard, QWizard.WizardButton.CommitButton)
    assert not sideways(window.stack.page("build"))
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    assert not sideways(window.stack.page("build"))


def test_escape_leaves_the_wizard_where_it_is(qtbot: Any, make_window: Make) -> None:
    wizard = wizard_of(make_window())
    qtbot.keyClick(wizard, Qt.Key.Key_Escape)
    assert wizard.isVisible()


def focus_is_in(page: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and focus.isVisible() and (focus is page or page.isAncestorOf(focus))


def test_a_path_can_be_typed_at_once(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    window = make_window()
    qtbot.mouseClick(window.stack.page("home").convert, Qt.MouseButton.LeftButton)  # type: ignore[attr-defined]
    (tmp_path / "mine").mkdir()
    qtbot.keyClicks(QApplication.focusWidget(), str(tmp_path / "mine"))
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert window.context.unsaved_recipe.source == str(tmp_path / "mine")
    qtbot.waitUntil(wizard_of(window).steps[SOURCE].isComplete)


def test_the_focus_stays_in_the_wizard_and_enter_means_next(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard = wizard_of(window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    for step in (RECIPE, OPTIMIZE, QUANTIZE):
        assert wizard.currentId() == step
        qtbot.waitUntil(wizard.button(QWizard.WizardButton.NextButton).isEnabled)
        qtbot.waitUntil(lambda: focus_is_in(wizard.currentPage()))
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert wizard.currentId() == REVIEW


def test_a_folder_and_a_title_say_what_was_built(qtbot: Any, make_window: Make, home: Path) -> None:
    window = make_window()
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: draft.plan is not None)
    for name, value in (("precision", "int4"), ("cache", "window"), ("capacity", 512), ("target", "qnn")):
        draft.set_option(name, value)
    qtbot.waitUntil(lambda: draft.plan is not None and draft.plan.chosen.target == "qnn")
    assert free_output_folder(draft) == home / "bundles" / "qwen3-demo-int4-window512-qnn"
    free_output_folder(draft).mkdir(parents=True)
    assert free_output_folder(draft).name == "qwen3-demo-int4-window512-qnn-2"  # really the same
    for name, value in (("graphs", "single"), ("target", "cpu"), ("kv_dtype", "int8")):
        draft.set_option(name, value)
    qtbot.waitUntil(lambda: draft.plan is not None and draft.plan.recipe["kv_dtype"] == "int8")
    assert free_output_folder(draft).name == "qwen3-demo-int4-window512-int8-cache"
    facts = {"name": "qwen3-demo", "precision": "int4", "layout": "window", "capacity": 512}
    assert bundle_title(facts) == "qwen3-demo · int4 · window 512"
    assert bundle_title(facts | {"layout": "", "capacity": None}) == "qwen3-demo · int4"


def test_what_was_built_is_offered_and_among_the_recent(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    start_build(qtbot, wizard_of(window))
    window.show_page("home")
    qtbot.waitUntil(lambda: window.context.build.state == "done")
    outcome = window.context.build.outcome
    assert outcome is not None and window.context.bundle is None
    assert [entry.path for entry in window.context.recents.entries] == [outcome.bundle]
    assert window.stack.current_name == "home" and "is built" in window.status.note.message


def test_a_capacity_below_the_chunk_is_refused_beside_both(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    recipe = recipe_step(qtbot, window)
    assert recipe.chunk_note.text() == "Prompt tokens that one prefill run reads."
    recipe.capacity.setValue(1)
    words = "The recipe's settings do not go together: a chunk of 64 does not fit a capacity of 1."
    qtbot.waitUntil(lambda: recipe.cost.text() == words)
    assert recipe.chunk_note.text() == words and recipe.capacity.value() == 1
    assert not recipe.wizard().button(QWizard.WizardButton.NextButton).isEnabled()
    recipe.chunk.setValue(1)
    qtbot.waitUntil(recipe.isComplete)
    assert "of KV cache" in recipe.cost.text() and recipe.chunk_note.text().startswith("Prompt tokens")


def test_texts_at_once_multiply_the_cache(qtbot: Any, make_window: Make) -> None:
    """Where the layout has no rows of their own, the reason stands beside the number."""
    window = make_window()
    recipe, draft = recipe_step(qtbot, window), window.context.unsaved_recipe
    assert recipe.batch_note.text().startswith("How many texts a step continues")
    assert recipe.cost.text().startswith("8.0 MiB of KV cache, 2.0 KiB per token")
    recipe.batch.setValue(4)
    assert recipe.cost.text().startswith("32.0 MiB of KV cache, 8.0 KiB per token")
    qtbot.waitUntil(lambda: recipe.batch_note.text().startswith("A batch needs --cache gqa"))
    assert draft.options["batch"] == 4 and not recipe.isComplete() and recipe.details.unfolded
    recipe.batch.setValue(1)
    qtbot.waitUntil(recipe.isComplete)
    assert draft.options["batch"] is None


def test_the_table_is_of_the_chosen_target_and_greys_what_it_refuses(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    for _ in (SOURCE, RECIPE, OPTIMIZE):
        press(qtbot, wizard)
    table: PrecisionTable = wizard.steps[QUANTIZE].table  # type: ignore[attr-defined]
    for target, title, remark in (
        ("qnn", "Speed on Qualcomm QNN", ""),
        ("webgpu", "Speed on WebGPU", f"Not for WebGPU: {NOT_ON_WEBGPU}."),
        ("cpu", "Speed on CPU", SLOW),
    ):
        draft.set_option("target", target)  # as the recipe's text at Review does
        qtbot.waitUntil(lambda: not draft.planning)
        assert table.rows.headings[2] == title and table.current == "fp32"
        assert cells(table, "int4")[2] == ("4 × fp32" if target == "cpu" else "not measured")
        assert cells(table, "w8a16")[4] == remark
        for _ in range(2):  # the arrow goes past a row that cannot be chosen
            qtbot.keyClick(table, Qt.Key.Key_Down)
        assert table.current == draft.options["precision"] if target != "webgpu" else table.current == "goal"
        assert (table.current == "w8a16") is (target != "webgpu")
        table.choose("fp32")


def test_blocks_have_their_settings_in_the_window(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    for _ in (SOURCE, RECIPE, OPTIMIZE):
        press(qtbot, wizard)
    quantize: Any = wizard.steps[QUANTIZE]
    assert not quantize.blocks.isVisible()
    quantize.table.choose("int4")
    blocks = quantize.blocks
    assert blocks.isVisible() and blocks.block.currentData() == 32
    assert (blocks.symmetric.isChecked(), blocks.roles["head"].currentData()) == (False, None)
    blocks.block.setCurrentIndex(blocks.block.findData(128))
    blocks.block.activated.emit(blocks.block.currentIndex())
    blocks.symmetric.click()
    head = blocks.roles["head"]
    head.setCurrentIndex(head.findData("fp32"))
    head.activated.emit(head.currentIndex())
    qtbot.keyClicks(blocks.exclude, "*/down_proj, model/layers/0/*")
    blocks.exclude.editingFinished.emit()
    wanted = {"block_size": 128, "symmetric": True, "head": "fp32", "exclude": ["*/down_proj", "model/layers/0/*"]}
    assert draft.options["quantize"] == wanted
    qtbot.waitUntil(lambda: draft.plan is not None and draft.plan.recipe["quantize"] == wanted)
    assert blocks.block.currentData() == 128 and head.currentData() == "fp32"
    assert cells(quantize.table, "int4")[1] == "7.3 MiB" and cells(quantize.table, "fp32")[1] == "32.0 MiB"


@pytest.mark.parametrize("option", ["variant", "graphs", "target"])
def test_the_caption_under_a_choice_is_that_of_the_choice(qtbot: Any, make_window: Make, option: str) -> None:
    """Of every choice of every field of the page; each comes back with its choice. Two targets may change nothing."""
    recipe = recipe_step(qtbot, make_window())
    combo, note = getattr(recipe, option), getattr(recipe, f"{option}_note")
    seen: dict[str, str] = {}
    for place in [*range(combo.count()), *range(combo.count())]:
        combo.setCurrentIndex(place)
        combo.activated.emit(place)
        value = combo.itemData(place)
        qtbot.waitUntil(
            lambda value=value: recipe.isComplete() and recipe.draft.plan.recipe.get(option, value) == value
        )
        assert note.text() and seen.setdefault(value, note.text()) == note.text()
    assert len(seen) == combo.count() and len(set(seen.values())) >= len(seen) - (option == "target")


def test_the_names_of_the_steps_lead_to_them(qtbot: Any, make_window: Make) -> None:
    """Back to any step, and forward as far as each step before is complete; not while a build runs."""
    window = make_window(endless_stage="optimize", delay=0.01)
    wizard, page = wizard_of(window), window.stack.page("build")
    line: Any = page.line  # type: ignore[attr-defined]
    qtbot.mouseClick(line.steps[REVIEW], Qt.MouseButton.LeftButton)
    assert wizard.currentId() == SOURCE  # there is no source yet
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    qtbot.mouseClick(line.steps[REVIEW], Qt.MouseButton.LeftButton)  # it waits for the source and the plan
    qtbot.waitUntil(lambda: wizard.currentId() == REVIEW)
    qtbot.mouseClick(line.steps[OPTIMIZE], Qt.MouseButton.LeftButton)
    assert wizard.currentId() == OPTIMIZE and line.steps[OPTIMIZE].property("role") == "step-now"
    qtbot.mouseClick(line.steps[RECIPE], Qt.MouseButton.LeftButton)
    assert wizard.currentId() == RECIPE
    qtbot.mouseClick(line.steps[REVIEW], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: wizard.currentId() == REVIEW)
    assert not line.steps[DONE].isEnabled()
    press(qtbot, wizard, QWizard.WizardButton.CommitButton)
    qtbot.waitUntil(lambda: wizard.currentId() == RUN)
    assert not any(step.isEnabled() for step in line.steps)
