"""Files of pictures and sounds: which ones a chat takes, and where pictures without a file are saved.

clipboard, dropped data ──save_picture──▶ chats/pictures/SHA-256.png
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from workflows.common.files import write_atomically

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
SOUND_SUFFIXES = (".wav", ".flac", ".ogg", ".mp3", ".aiff", ".aif")
FOLDER = "pictures"
"""The folder of saved pictures in that of the chats."""


def of_kind(paths: Iterable[str], suffixes: tuple[str, ...]) -> list[str]:
    """The paths that end in one of these suffixes."""
    return [path for path in paths if Path(path).suffix.lower() in suffixes]


def file_filter(name: str, suffixes: tuple[str, ...]) -> str:
    """The filter of a file dialog."""
    return f"{name} ({' '.join(f'*{one}' for one in suffixes)})"


def save_picture(image: QImage, folder: Path) -> Path:
    """Saves a picture as a PNG named by its content, unless it is there; returns its path. Raises OSError."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if image.isNull() or not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # a device and a format
        raise OSError("The picture is damaged or empty: copy it again.")
    data = bytes(buffer.data().data())
    path = folder / f"{hashlib.sha256(data).hexdigest()}.png"
    if not path.is_file():
        write_atomically(path, data)
    return path
