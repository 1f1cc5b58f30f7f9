"""The run tab over the fake worker: sizes of axes, a run, its figures, and what is wrong in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.inspect.run_tab import RunTab, read_sizes
from app.state.context import AppContext
from app.state.inspection import Inspection
from tests.fakes.worker import program
from workflows.wire.reports.inspection import ComponentReport, TensorFacts

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
COMPONENT = ComponentReport(
    "model", "model.onnx", "model",
    [TensorFacts("ids", ["batch", "sequence"], "int64"), TensorFacts("x", ["batch", 3, "height", "width"], "float32")],
    [TensorFacts("y", ["batch", 2], "float32")], {"Add": 1}, {"ai.onnx": 23}, 10,
)  # fmt: skip
Make = Callable[..., RunTab]


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    contexts: list[AppContext] = []

    def build(**scenario: Any) -> RunTab:
        context = AppContext(tmp_path / "home", program(**scenario))
        contexts.append(context)
        tab = RunTab(context.new_idle_worker)
        qtbot.addWidget(tab)
        tab.set_inspection(Inspection("/b/net", "net", True, (), (COMPONENT,), (), (), ()))
        tab.set_component(COMPONENT)
        tab.show()
        return tab

    yield build
    for context in contexts:
        context.close()


def test_a_run_shows_what_went_in_and_what_came_out(make: Make, qtbot: QtBot) -> None:
    tab = make()
    assert tab.sizes.text() == "batch=1, sequence=16, height=224, width=224"
    qtbot.mouseClick(tab.start, Qt.MouseButton.LeftButton)
    assert tab.stop.isVisible() and not tab.start.isEnabled()
    qtbot.waitUntil(lambda: tab.table.rows.rowCount() == 3)
    model = tab.table.rows
    cells = [[model.index(row, column).data() for column in range(model.columnCount())] for row in range(3)]
    assert [row[:4] for row in cells] == [
        ["in", "a", "float32", "1 × 2"], ["in", "b", "float32", "1 × 2"], ["out", "y", "float32", "1 × 2"],
    ]  # fmt: skip
    assert cells[2][4:] == ["-1", "0.5", "1", "1"] and "random: b" in tab.summary.text()
    assert tab.card.isVisible() and tab.card.name.accessibleName() == "y"  # the first output is chosen
    tab.set_component(COMPONENT)
    assert model.rowCount() == 0 and not tab.card.isVisible() and tab.summary.text() == ""


def test_what_is_wrong_is_one_sentence(make: Make, qtbot: QtBot) -> None:
    tab = make(no_run="ids is int32 and the graph takes int64: convert it first.")
    tab.sizes.setText("batch=0")
    qtbot.keyClick(tab.sizes, Qt.Key.Key_Return)
    assert tab.banner.message == "'batch=0' is no size of an axis: write name=number, such as sequence=16."
    tab.sizes.setText("batch=2")
    tab.run()
    qtbot.waitUntil(lambda: "convert it first" in tab.banner.message)
    assert tab.start.isEnabled() and not tab.stop.isVisible()


def test_a_run_is_cancelled(make: Make) -> None:
    tab = make(delay=5)
    tab.run()
    tab.cancel()
    assert tab.start.isEnabled() and not tab.working.isVisible()


def test_sizes_are_read() -> None:
    assert read_sizes("") == {} and read_sizes(" a = 1 ,b=22,") == {"a": 1, "b": 22}
    for text in ("a", "=3", "a=x", "a=-1", "a=1.5"):
        with pytest.raises(ValueError, match="is no size of an axis"):
            read_sizes(text)
