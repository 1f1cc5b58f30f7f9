"""A dialog that is closed while its work runs: out of sight at once, gone when the work has stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication

import app
from app.widgets.work_dialog import WorkDialog


class Work:
    """It stops when it is told that it has."""

    def __init__(self, running: bool) -> None:
        self.running, self.cancelled = running, 0

    def cancel(self) -> None:
        self.cancelled += 1


@pytest.mark.parametrize("running", [True, False])
def test_closing_stops_what_runs_first(qtbot: Any, running: bool) -> None:
    dialog, work = WorkDialog(), Work(running)
    dialog.model = work
    gone = list[None]()
    dialog.destroyed.connect(lambda: gone.append(None))
    dialog.show()
    dialog.settle()
    assert dialog.isVisible()
    dialog.close()
    assert not dialog.isVisible() and work.cancelled == running
    if running:
        dialog.settle()  # it is still at it
        QCoreApplication.processEvents()
        assert not gone
        work.running = False
        dialog.settle()
    qtbot.waitUntil(lambda: bool(gone))


def test_no_dialog_waits_for_its_work_in_its_own_way() -> None:
    """`event.ignore()` in a closeEvent is what would tell one; the main window asks a person instead."""
    root = Path(app.__file__).parent
    texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in root.rglob("*.py")}
    closing = {name: text.partition("def closeEvent")[2].split("\n    def ")[0] for name, text in texts.items()}
    waiting = {name for name, text in closing.items() if "event.ignore()" in text}
    assert waiting == {"window.py", "widgets/work_dialog.py"}
