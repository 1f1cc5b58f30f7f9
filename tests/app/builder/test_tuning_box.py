"""The formats are timed by a click; what was found is shown and planned with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.builder.tuning_box import TuningBox
from app.state.unsaved_recipe import UnsavedRecipe
from tests.app.test_build_wizard import Make, wizard_of


def box_of(window: Any) -> tuple[TuningBox, UnsavedRecipe]:
    (box,) = wizard_of(window).findChildren(TuningBox)
    return box, box._draft


@pytest.mark.parametrize(("others", "threads"), [(0.01, None), (0.4, 9)])
def test_a_click_times_the_formats_and_plans_anew(
    qtbot: QtBot, make_window: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: float, threads: int | None
) -> None:
    window = make_window(others=others, threads=threads, width=256)
    box, draft = box_of(window)
    planned: list[bool] = []
    monkeypatch.setattr(draft, "request_plan", lambda: planned.append(True))
    draft.source = "demo:qwen3"
    assert box.button.text() == "Time the formats"
    box.button.click()
    assert box.button.text() == "Cancel"
    qtbot.waitUntil(lambda: not box._model.running)
    assert box.found.text().startswith(
        "Symmetric blocks of 32: 90 % of the default's time a token, on Made Up 3000, 2 cores, avx2."
    )
    assert ("Other programs used 40 % of the processor" in box.found.text()) == (others > 0.1)
    assert "Prompts go in runs of 256 tokens." in box.found.text()
    assert ("9 threads are faster than one for each core." in box.found.text()) == (threads == 9)
    assert planned == [True] and box.button.text() == "Time the formats"
