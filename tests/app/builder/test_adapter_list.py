"""The adapters of the unsaved recipe, as the Source page shows and changes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from app.builder.review_page import recipe_changes
from app.builder.step_page import SOURCE
from app.state.unsaved_recipe import bundle_name, choose_task
from tests.app.test_build_wizard import wizard_of


def source_page(qtbot: Any, make_window: Any) -> Any:
    window = make_window()
    page: Any = wizard_of(window).steps[SOURCE]
    assert not page.adapters.isVisibleTo(page)
    page.cards[2].radio.click()
    qtbot.waitUntil(lambda: page.draft.plan is not None)
    assert page.adapters.isVisibleTo(page)
    return page


def test_adapters_are_chosen_dropped_scaled_and_removed(
    qtbot: Any, make_window: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    page = source_page(qtbot, make_window)
    draft, box = page.draft, page.adapters
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "one"))
    qtbot.mouseClick(box.browse, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(box.browse, Qt.MouseButton.LeftButton)  # the same again
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "two"))])
    nothing = Qt.KeyboardModifier.NoModifier
    box.drop.dropEvent(QDropEvent(QPointF(), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, nothing))
    one, two = {"folder": str(tmp_path / "one"), "scale": 1.0}, {"folder": str(tmp_path / "two"), "scale": 1.0}
    assert draft.options["adapter"] == [one, two]
    assert draft.request("out").options["adapter"] == [one, two]
    spin = box.scales[1]
    spin.setValue(0.25)
    assert draft.options["adapter"] == [one, two | {"scale": 0.25}] and box.scales[1] is spin
    assert bundle_name(draft).startswith("qwen3-demo-one-two-fp32")
    assert dict(recipe_changes(draft))["adapter"] == "one × 1, two × 0.25"  # as the review lists it
    choose_task(draft, "text-generation")
    assert draft.options["adapter"] == [one, two | {"scale": 0.25}]
    box._remove(0)
    assert draft.options["adapter"] == [two | {"scale": 0.25}] and [one.value() for one in box.scales] == [0.25]
    box._remove(0)
    assert draft.options.get("adapter") is None and not box.scales


def test_the_recipe_s_own_text_is_shown_and_its_errors(qtbot: Any, make_window: Any) -> None:
    page = source_page(qtbot, make_window)
    page.draft.set_options({"adapter": [{"folder": "/a/b", "scale": 2}, "nonsense"], "source_length": 9})
    assert [one.value() for one in page.adapters.scales] == [2.0]
    qtbot.waitUntil(lambda: page.draft.plan_error is not None)
    assert page.adapters.problem.text() == page.draft.plan_error.message
    page.draft.set_options({})
    assert not page.adapters.scales and not page.adapters.problem.isVisibleTo(page)


def test_adapters_are_merged_or_switched(qtbot: Any, make_window: Any) -> None:
    """Merging is the default, and no option; the choice stays while the recipe says it, and with another task."""
    page = source_page(qtbot, make_window)
    draft, box = page.draft, page.adapters
    assert not box.use.isVisibleTo(box)
    box.add("/a/one")
    assert box.use.isVisibleTo(box) and box.use.currentData() == "merged" and "adapters" not in draft.options
    box.use.setCurrentIndex(1)
    box.use.activated.emit(1)
    assert draft.options["adapters"] == "runtime"
    choose_task(draft, "text-generation")
    assert draft.options["adapters"] == "runtime" and box.use.currentData() == "runtime"
    box.use.setCurrentIndex(0)
    box.use.activated.emit(0)
    assert draft.options.get("adapters") is None and draft.options["adapter"] == [{"folder": "/a/one", "scale": 1.0}]
