"""The note about a window that died, and its report: shown, copied, deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication

from app.help.crash_dialog import CrashDialog, note_crash
from app.startup.crash_reports import FOLDER
from app.text.formatting import format_local_time
from app.window import MainWindow
from tests.app.test_notes import Make

STACKS = 'Fatal Python error: Segmentation fault\n\n  File "<frozen runpy>", line 97 in main\n'


@pytest.fixture
def dead(home: Path) -> Path:
    """What a window left that a signal ended; the path of its report."""
    (home / FOLDER).mkdir(parents=True)
    (home / FOLDER / "one.running").write_text(f"Joinery 1\n\n{STACKS}")
    return home / FOLDER / "one.txt"


def shown(window: MainWindow) -> CrashDialog | None:
    return window.findChild(CrashDialog)


def test_nothing_is_noted_where_nothing_died(make_window: Make) -> None:
    window = make_window()
    note_crash(window.context, window)
    assert window.status.note.message == ""


def test_show_opens_the_report(qtbot: Any, make_window: Make, dead: Path) -> None:
    window = make_window()
    note_crash(window.context, window)
    when = format_local_time(dead.read_text().split("Ended ")[1].split()[0])
    assert window.status.note.message == f"Joinery's window ended by a fault on {when}."
    window.show_page("chat")  # of any page
    window.status.note.action.click()
    dialog = shown(window)
    assert dialog is not None and dialog.isVisible() and dialog.text.isReadOnly()
    assert dialog.text.toPlainText() == dead.read_text() and STACKS in dead.read_text()
    assert window.status.note.message == ""
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == dead.read_text()
    dialog.delete_button.click()
    assert not dead.exists() and list(dead.parent.iterdir()) == []
    qtbot.waitUntil(lambda: shown(window) is None)


def test_the_folder_can_be_opened(make_window: Make, dead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = list[str]()
    monkeypatch.setattr("app.help.crash_dialog.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile()))
    window = make_window()
    note_crash(window.context, window)
    window.status.note.action.click()
    dialog = shown(window)
    assert dialog is not None
    dialog.open_button.click()
    assert opened == [str(dead.parent)] and dead.exists()
    dialog.close()


def test_a_dismissed_note_does_not_return_and_the_report_stays(make_window: Make, dead: Path) -> None:
    window = make_window()
    note_crash(window.context, window)
    window.status.note.close_button.click()
    note_crash(window.context, window)
    assert window.status.note.message == "" and dead.exists()
