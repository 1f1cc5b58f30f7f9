"""Thumbnails: their size and colours, and what stands for a file that cannot be shown."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.widgets import thumbnail
from app.widgets.thumbnail import Thumbnail, read_thumbnail, thumbnail_size


def save(path: Path, width: int, height: int) -> str:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    assert image.save(str(path))
    return str(path)


@pytest.mark.parametrize(("width", "height", "wanted"), [
    (400, 200, (128, 64)), (100, 200, (32, 64)), (4000, 100, (128, 3)), (10, 10, (64, 64)),
])  # fmt: skip
def test_the_picture_fits_into_its_height(tmp_path: Path, width: int, height: int, wanted: tuple[int, int]) -> None:
    image = read_thumbnail(save(tmp_path / "a.png", width, height), 64)
    assert (image.width(), image.height()) == wanted and image.pixelColor(1, 1) == QColor("teal")
    assert (
        read_thumbnail(save(tmp_path / "b.png", width, height), 64, 2.0).deviceIndependentSize().height() == wanted[1]
    )


def test_what_cannot_be_shown_is_a_placeholder(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.png").write_text("no picture")
    monkeypatch.setattr(thumbnail, "MOST_PIXELS", 1000)
    large = save(tmp_path / "large.png", 40, 40)
    for path, missing in ((tmp_path / "text.png", False), (large, False), (tmp_path / "gone.png", True)):
        shown = Thumbnail(str(path), 64)
        qtbot.addWidget(shown)
        shown.show()
        assert (shown.shown, shown.missing, shown.width(), shown.height()) == (False, missing, 64, 64)
        assert not shown.grab().isNull()  # it is painted
    monkeypatch.setattr(thumbnail, "MOST_BYTES", 10)
    assert read_thumbnail(save(tmp_path / "a.png", 9, 9), 64).isNull()
    assert read_thumbnail(str(tmp_path), 64).isNull()


@pytest.mark.parametrize(("width", "height", "wanted"), [(200, 100, (32, 64)), (100, 400, (128, 32))])
def test_a_turned_photograph_is_upright(tmp_path: Path, width: int, height: int, wanted: tuple[int, int]) -> None:
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (width, height), "red").save(tmp_path / "a.jpg", exif=exif)
    image = read_thumbnail(str(tmp_path / "a.jpg"), 64)
    assert image.size().toTuple() == thumbnail_size(str(tmp_path / "a.jpg"), 64).toTuple() == wanted


def test_the_window_does_not_wait_for_a_picture(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The widget has its size at once, and its picture when another thread has decoded it."""
    path, decode = save(tmp_path / "a.png", 400, 200), threading.Event()
    threads = list[str]()

    def read(*arguments: Any) -> QImage:
        threads.append(threading.current_thread().name)
        assert decode.wait(10)
        return read_thumbnail(*arguments)

    monkeypatch.setattr(thumbnail, "read_thumbnail", read)
    shown = Thumbnail(path, 64)
    qtbot.addWidget(shown)
    shown.show()
    assert (shown.width(), shown.height(), shown.shown) == (128, 64, False)
    shown.grab()
    decode.set()
    qtbot.waitUntil(lambda: shown.shown)
    assert threads == ["background"] and shown.grab().toImage().pixelColor(64, 32) == QColor("teal")
