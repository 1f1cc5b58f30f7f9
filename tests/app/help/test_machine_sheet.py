"""What this machine can do, in the help: facts, devices with reasons, and the models that fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.builder.page import BuildPage
from app.help.machine_sheet import MachineSheet
from app.window import MainWindow

Make = Callable[..., MainWindow]


def opened(qtbot: Any, window: MainWindow) -> MachineSheet:
    next(one for one in window.every_action() if one.text() == "What this machine can do").trigger()
    sheet = window.help.dialog.machine
    qtbot.waitUntil(lambda: not window.context.capabilities.running)
    return sheet


def test_facts_devices_and_models(qtbot: Any, make_window: Make) -> None:
    sheet = opened(qtbot, make_window())
    assert sheet.facts.text() == (
        "AMD EPYC 9654 · 2 cores · avx2 · 16.0 GiB of memory, 9.0 GiB free · 38.0 GiB of disk free"
    )
    shown = [part.text() for part in sheet.findChildren(QLabel)]
    assert any("onnxruntime-ep-webgpu is not installed. Install it" in text for text in shown)
    assert shown.count("available") == 2 and shown.count("not available") == 2
    assert sheet.table is not None
    sheet.table.selectAll()
    rows = [line.split("\t") for line in sheet.table.selected_text().splitlines()]
    assert rows[0] == ["Qwen3-0.6B", "596 M", "1.1 GiB", "2.0 GiB", "320 MiB · 40,960", "391 MiB · 40,960",
                       "604 MiB · 40,960"]  # fmt: skip
    assert rows[1][4] == "4.3 GiB · 9,216" and rows[1][6] == "8.1 GiB · (6,144)"
    assert rows[2][4:] == ["37.0 GiB · too large", "45.2 GiB · too large", "69.8 GiB · too large"]


def test_a_model_can_be_taken_to_the_build_page_which_fetches_nothing(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    sheet = opened(qtbot, window)
    assert sheet.table is not None and not sheet.convert.isEnabled()
    sheet.table.selectRow(1)
    qtbot.mouseClick(sheet.convert, Qt.MouseButton.LeftButton)
    page = window.stack.page("build")
    assert isinstance(page, BuildPage) and window.stack.current_name == "build"
    source = page.wizard.source_page
    assert source.hub.text() == "Qwen/Qwen3-8B" and source.cards[1].radio.isChecked()
    assert not window.context.unsaved_recipe.probing and not window.context.unsaved_recipe.source
    assert not window.help.dialog.isVisible()


def test_a_failure_is_said_and_can_be_tried_again(qtbot: Any, make_window: Make, tmp_path: Path) -> None:
    failure = {"kind": "request", "message": "tunings.json holds no tunings: remove it.", "details": ""}
    window = make_window(errors={"capabilities": failure})
    sheet = opened(qtbot, window)
    assert sheet.banner.message == failure["message"] and not sheet.facts.isVisible()
    assert sheet.again.isEnabled()
