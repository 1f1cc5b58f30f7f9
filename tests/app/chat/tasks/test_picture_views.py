"""The pages of bundles that read a picture, over the fake worker: labels, depths, refusals, files, the next start."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.chat.examples import shipped_files
from app.chat.page import ChatPage
from app.chat.tasks.depth_view import DepthView
from app.chat.tasks.picture_label_view import PictureLabelView
from tests.app.chat.test_attachments import dropped

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
Make = Callable[..., ChatPage]
FILES = [str(path) for path in shipped_files("vision-pictures", ".png")]


def labels_page(page: ChatPage) -> PictureLabelView:
    view = page.views.currentWidget()
    assert isinstance(view, PictureLabelView)
    return view


def depth_page(page: ChatPage) -> DepthView:
    view = page.views.currentWidget()
    assert isinstance(view, DepthView)
    return view


def drop(view: PictureLabelView | DepthView, *files: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(file) for file in files])
    dropped(view.pictures, data)


def rows(view: PictureLabelView) -> list[list[str]]:
    return [*csv.reader(view.result.as_csv().splitlines())]


def test_a_dropped_picture_is_classified_at_once(make_page: Make, qtbot: QtBot, tmp_path: Path) -> None:
    page = make_page("digits")
    view = labels_page(page)
    assert view.heading.text() == "Classify pictures with digits · fp32" and view.pictures.hint.isVisible()
    drop(view, FILES[0])
    assert view.model.running and view.pictures.stop.isVisible() and not view.pictures.hint.isVisible()
    qtbot.waitUntil(lambda: not view.model.running)
    name = Path(FILES[0]).name
    heading, first, *rest = rows(view)
    assert heading == ["Picture", "Rank", "Label", "Probability"] and first == [name, "1", "cat", "0.5900"]
    assert len(rest) == 6  # of a single picture all labels
    assert view.summary.text() == "1 picture read · on cpu"
    drop(view, *FILES[1:3])
    qtbot.waitUntil(lambda: not view.model.running)
    assert len(rows(view)) == 1 + 3 * 5 and view.pictures.count.text() == "3 pictures"
    view.result.copy()
    assert QGuiApplication.clipboard().text().splitlines()[1] == f"{name}\t1\tcat\t0.5900"
    view.result.save(tmp_path / "labels.csv")
    assert len((tmp_path / "labels.csv").read_text("utf-8-sig").splitlines()) == 16
    view.pictures.show_files(FILES[:1])
    assert view.pictures.count.text() == "1 picture · changed since they were read"


def test_an_example_is_used_by_a_click(make_page: Make, qtbot: QtBot) -> None:
    view = labels_page(make_page("digits"))
    assert len(view.pictures.examples) == len(FILES) > 3
    assert view.pictures.examples[1].accessibleName().startswith("Use the picture 2-")
    qtbot.mouseClick(view.pictures.examples[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: view.model.report is not None)
    assert view.pictures.files == (FILES[1],)


def test_what_is_wrong_is_one_sentence_and_escape_cancels(make_page: Make, qtbot: QtBot, tmp_path: Path) -> None:
    page = make_page("digits", no_labels="The picture is damaged.")
    view = labels_page(page)
    view.pictures.start.click()
    assert view.pictures.banner.message == "There is no picture: choose or drop one."
    drop(view, FILES[0])
    qtbot.waitUntil(lambda: view.pictures.banner.message == "The picture is damaged.")
    view.pictures.start.click()
    page.views.escape()
    assert not view.model.running and view.pictures.start.hasFocus()
    gone = tmp_path / "gone.png"
    view.pictures.show_files([str(gone)])
    view.pictures.start.click()
    assert view.pictures.banner.message == "The picture gone.png is missing: remove it, or put it back."
    view.pictures.show_files([f"{gone}{number}" for number in range(501)])
    view.pictures.start.click()
    assert view.pictures.banner.message.startswith("There are 501 pictures, and at most 500 are read")


def test_what_is_not_a_picture_is_not_taken(make_page: Make) -> None:
    view = labels_page(make_page("digits"))
    drop(view, "/b/notes.txt")
    assert view.pictures.files == ()


def test_pictures_come_back_at_the_next_start_and_are_not_read_by_themselves(make_page: Make) -> None:
    page = make_page("digits")
    labels_page(page).pictures.show_files(FILES[:2])
    page.context.closing.emit()
    view = labels_page(make_page("digits"))
    assert view.pictures.files == tuple(FILES[:2]) and not view.model.running
    view_of_chat = make_page("chat")
    assert view_of_chat.views.currentWidget() is view_of_chat.frame


def test_depths_stand_beside_the_picture(
    make_page: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = make_page("rooms", depth_notes=["The graph takes pictures of 56 × 56 pixels alone."])
    view = depth_page(page)
    assert view.heading.text() == "Estimate depths with rooms · fp32" and not view.saves.isEnabled()
    drop(view, FILES[0], FILES[2])  # the last one counts
    qtbot.waitUntil(lambda: not view.model.running)
    assert view.pictures.files == (FILES[2],) and view.before.path == FILES[2]
    assert view.summary.text() == f"{Path(FILES[2]).name} · 640 × 480 pixels · on cpu"
    assert view.legend.text() == "From 0.5 m (dark) to 12.25 m (light)"
    assert view.note.isVisible() and "56 × 56" in view.note.text()
    qtbot.waitUntil(lambda: not view.after.image.isNull() and not view.before.image.isNull())
    view.copy()
    assert QGuiApplication.clipboard().image().size() == view.after.image.size()
    asked: list[str] = []

    def choose(*arguments: object) -> tuple[str, str]:
        asked.append(str(arguments[3]))
        return str(tmp_path / "mine"), "Numbers for numpy (*.npy)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    view.saves.click()
    assert (tmp_path / "mine.npy").read_bytes() == Path(FILES[2]).read_bytes()  # what the fake worker wrote
    assert asked == ["Picture in colours (*.png);;Grey picture of 16 bits (*.png);;Numbers for numpy (*.npy)"]
    view.save(Path(FILES[2]), tmp_path / "mine.npy" / "below.png")
    assert "cannot read or write" in view.pictures.banner.message
    page.context.open_bundle("/b/tiles")
    assert view.before.path == "" and view.legend.text() == "" and not view.copies.isEnabled()


def test_an_inverse_depth_says_what_light_means(make_page: Make, qtbot: QtBot) -> None:
    view = depth_page(make_page("rooms", unit="inverse"))
    view.pictures.examples[0].click()
    qtbot.waitUntil(lambda: view.model.report is not None)
    assert view.legend.text() == "Light is near, dark is far; the numbers (0.5 to 12.25) have no unit"


def test_a_failure_of_depths_stands_once(make_page: Make, qtbot: QtBot) -> None:
    view = depth_page(make_page("rooms", no_depth="The picture is too narrow."))
    view.pictures.examples[0].click()
    qtbot.waitUntil(lambda: view.pictures.banner.message == "The picture is too narrow.")
    assert view.before.path == "" and view.model.report is None
