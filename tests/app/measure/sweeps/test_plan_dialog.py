"""A plan of a sweep made in the window: what is saved is what `joinery sweep` reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.measure.sweeps.plan_dialog import SweepChoices, plan_text, sweep_estimate
from tests.app.conftest import make_bundle
from tests.fakes.plans import plan_of
from workflows.service.sweep.plan import read_plan


@pytest.mark.parametrize(
    "choices",
    [
        SweepChoices("demo:qwen3", ("fp32",)),
        SweepChoices('/a "b"/c\\d é 模', ("int4", "w8a16"), ("static", "gqa"), ("cpu", "qnn")),
        SweepChoices("org/name", ("int8",), (), ("cpu",), evaluates=False, measures=False),
    ],
)
def test_the_command_line_reads_what_is_written(tmp_path: Path, choices: SweepChoices) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(plan_text(choices), "utf-8")
    plan = read_plan(file)
    assert [one.source for one in plan.source_entries] == [choices.source]
    assert [one.precision for one in plan.recipe] == list(choices.precisions)
    assert list(plan.layouts or ()) == list(choices.layouts)
    assert ("eval" in plan.steps, "bench" in plan.steps) == (choices.evaluates, choices.measures)
    if choices.measures:
        assert [one.name for one in plan.provider_entries] == list(choices.providers)


def test_the_estimate_shares_an_export_among_precisions() -> None:
    """24 s, of which 22 are checkpoint, export and passes; fp32 takes 32 MiB and int4 8 MiB of weights."""
    plan = plan_of("demo:qwen3", {"precision": "int4"}, encoder=False)
    one, both = SweepChoices("s", ("int4",)), SweepChoices("s", ("int4", "fp32"))
    assert sweep_estimate(one, plan) == (24.0, plan.estimate.disk_bytes)
    assert sweep_estimate(both, plan) == (26.0, 2 * plan.estimate.disk_bytes + (24 << 20))
    layouts = SweepChoices("s", ("int4", "fp32"), ("static", "gqa"))
    assert layouts.builds == 4 and sweep_estimate(layouts, plan)[0] == 52.0


def test_a_plan_is_made_of_the_open_bundle(qtbot: Any, make_window: Any, tmp_path: Path) -> None:
    window = make_window()
    folder = make_bundle(tmp_path / "b")
    window.context.recents.add(str(folder), "demo:qwen3")
    window.context.open_bundle(folder)
    window.show_page("measure")
    page = window.stack.page("measure")
    page.show_sweep()
    dialog = page.tabs.currentWidget().make_plan()
    assert dialog.source.text() == "demo:qwen3" and dialog.choices.precisions == ("fp32", "int8", "int4")
    assert dialog.estimate.text() == "Estimating …"
    qtbot.waitUntil(lambda: dialog.estimate.text().startswith("Bundles: 3 · about "))
    for box in dialog.precisions.values():
        box.setChecked(False)
    assert not dialog.save_button.isEnabled() and dialog.estimate.text().startswith("Choose a source")
    dialog.precisions["int4"].setChecked(True)
    dialog.layouts["gqa"].setChecked(True)
    dialog.save(tmp_path / "night.toml")
    form = page.tabs.currentWidget().form
    assert form.plan.text() == str(tmp_path / "night.toml") and form.runs.text() == str(tmp_path / "night-runs")
    assert form.ready and read_plan(tmp_path / "night.toml").layouts == ["gqa"]


def test_every_field_has_a_name(qtbot: Any, make_window: Any) -> None:
    """For a screen reader: a box by its text, a field by its accessible name."""
    window = make_window()
    window.show_page("measure")
    page = window.stack.page("measure")
    page.show_sweep()
    dialog = page.tabs.currentWidget().make_plan()
    assert dialog.source.accessibleName() and dialog.providers.accessibleName()
    boxes = [*dialog.precisions.values(), *dialog.layouts.values(), dialog.evaluates, dialog.measures]
    assert all(box.text() for box in boxes)
    dialog.close()
