"""The recent bundles on the Home page: what is wrong with one, and what is offered for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from app.home.page import HomePage
from app.home.recent_row import RecentRow
from app.state.settings import existing_parent
from app.window import MainWindow
from tests.app.conftest import make_bundle
from workflows.wire.reports.accuracy import PairedFigure
from workflows.wire.reports.cost import QuantizationCost

Make = Callable[..., MainWindow]


@pytest.fixture
def home_page(make_window: Make, tmp_path: Path) -> HomePage:
    window = make_window()
    window.context.open_bundle(make_bundle(tmp_path / "one"))
    window.show_page("home")
    page = window.stack.page("home")
    assert isinstance(page, HomePage)
    return page


def offered(page: HomePage) -> list[str]:
    return [one.text() for one in page.rows[0].findChildren(QAbstractButton) if one.text()]


def test_a_bundle_that_went_is_missing_and_can_be_located(
    home_page: HomePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered(home_page) == ["Chat", "Inspect"]
    shutil.move(tmp_path / "one", tmp_path / "moved")
    home_page.hide()
    home_page.show()
    assert offered(home_page) == ["Locate …", "Remove from list"]
    start: list[str] = []

    def choose(_parent: object, _title: str, folder: str) -> str:
        start.append(folder)
        return str(tmp_path / "moved")

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", choose)
    next(one for one in home_page.rows[0].findChildren(QAbstractButton) if one.text() == "Locate …").click()
    assert start == [str(tmp_path)]
    assert offered(home_page) == ["Chat", "Inspect"]
    assert [row.entry.path for row in home_page.rows] == [str(tmp_path / "moved")]


def test_what_is_no_bundle_leaves_the_missing_one_in_the_list(
    home_page: HomePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = home_page._context
    context.recents.note_speed(str(tmp_path / "one"), 42.0, "cpu")
    shutil.move(tmp_path / "one", tmp_path / "moved")
    (tmp_path / "empty").mkdir()
    for folder, expected in (("empty", "one"), ("moved", "moved")):
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, name=folder: str(tmp_path / name))
        home_page._locate(str(tmp_path / "one"))
        assert [(entry.path, entry.speed) for entry in context.recents.entries] == [(str(tmp_path / expected), 42.0)]


def test_a_damaged_bundle_cannot_be_located(home_page: HomePage, tmp_path: Path) -> None:
    (tmp_path / "one" / "damaged").write_text("")
    home_page._context.recents.refresh()
    assert offered(home_page) == ["Remove from list"]


def test_ctrl_z_undoes_a_removal(home_page: HomePage, qtbot: QtBot) -> None:
    home_page.rows[0].remove.emit(home_page.rows[0].entry.path)
    assert not home_page.rows
    focus = QApplication.focusWidget()
    assert focus is not None
    qtbot.keyClick(focus, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(home_page.rows) == 1


def test_a_dialog_begins_in_a_folder_that_exists(tmp_path: Path) -> None:
    assert existing_parent(tmp_path / "not" / "there") == tmp_path
    assert existing_parent(tmp_path) == tmp_path


def test_a_bundle_that_went_is_missing_once_the_window_is_active_again(home_page: HomePage, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "one")
    assert offered(home_page) == ["Chat", "Inspect"]
    QApplication.sendEvent(home_page, QEvent(QEvent.Type.WindowActivate))
    assert offered(home_page) == ["Locate …", "Remove from list"]


def test_what_quantizing_cost_is_on_the_card(home_page: HomePage) -> None:
    """Where it was measured: the share, and all of it in the tool tip."""
    entry, poor = home_page.rows[0].entry, PairedFigure(54.9, 84.2)

    def texts() -> dict[str, str]:
        row = RecentRow(entry)
        return {one.text(): one.toolTip() for one in row.findChildren(QLabel)}

    assert "Same tokens" not in texts()
    entry.summary["cost"] = QuantizationCost(reason="the bundle has no tokenizer")
    assert "Same tokens" not in texts()
    entry.summary["cost"] = QuantizationCost(1024, 0.612, 0.531, poor, "a text")
    shown = texts()
    assert "Same tokens" in shown and "over 1,024 positions of a text" in shown["61.2 %"]
