"""The table of precisions: each remark has the lines that it needs, at any width."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from app.builder.precision_table import REMARK, PrecisionTable
from tests.fakes.plans import plan_of

LONG = "w8a16 ist für NPUs: auf dem CPU-Provider sind seine Ganzzahlen etwa 13-mal langsamer als fp32, also int8. " * 2


@pytest.mark.parametrize("width", [560, 700, 1100])
def test_no_remark_is_cut(qtbot: Any, width: int) -> None:
    plan = plan_of("demo:qwen3", {}, encoder=False)
    plan.precisions[:] = [replace(one, trap=LONG.strip(), recommended=False, refused="") for one in plan.precisions]
    table = PrecisionTable()
    qtbot.addWidget(table)
    table.resize(width, 900)
    table.show()
    table.show_plan(plan, goal=False)
    qtbot.wait(50)
    text = QLabel(table.rows.index(0, REMARK).data())
    text.setFont(table.font())
    text.setWordWrap(True)
    text.setMargin(0)
    needed = text.heightForWidth(table.columnWidth(REMARK) - 12)
    assert needed > 2 * text.fontMetrics().lineSpacing() or width > 1000
    heights = [table.rowHeight(row) for row in range(len(plan.precisions))]
    assert min(heights) >= needed + 4, (heights, needed)
