"""Which files a chat takes, and pictures that are saved by their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from app.state.media_files import PICTURE_SUFFIXES, SOUND_SUFFIXES, file_filter, of_kind, save_picture


def test_kinds_go_by_the_ending() -> None:
    paths = ["/a.PNG", "/b.wav", "/c.txt", "/d.jpeg", "/png"]
    assert of_kind(paths, PICTURE_SUFFIXES) == ["/a.PNG", "/d.jpeg"] and of_kind(paths, SOUND_SUFFIXES) == ["/b.wav"]
    assert file_filter("Sounds", (".a", ".b")) == "Sounds (*.a *.b)"


def test_the_same_picture_has_one_file(tmp_path: Path) -> None:
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    path = save_picture(image, tmp_path)
    assert path.name == f"{hashlib.sha256(path.read_bytes()).hexdigest()}.png"
    assert save_picture(image.copy(), tmp_path) == path
    image.setPixelColor(0, 0, QColor("blue"))
    assert save_picture(image, tmp_path) != path and len(list(tmp_path.iterdir())) == 2
    with pytest.raises(OSError, match="damaged or empty"):
        save_picture(QImage(), tmp_path)
