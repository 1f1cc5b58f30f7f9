"""Files of pictures and sounds: which ones a chat takes, where those without a file are saved, when they are removed.

clipboard, dropped data ──save_picture──▶ chats/pictures/SHA-256.png ──remove_media, with the last chat that names it
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from workflows.common.files import write_atomically

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
SOUND_SUFFIXES = (".wav", ".flac", ".ogg", ".mp3", ".aiff", ".aif")
FOLDER = "pictures"
"""The folder of saved pictures in that of the chats."""
RECORDING_FOLDER = "recordings"
"""The folder of recordings in that of the chats."""


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


def remove_media(folder: Path, deleted: Sequence[Path]) -> None:
    """Removes the pictures and recordings in a folder of chats that its `deleted` files name, and no other file does.

    Files that a person attached from elsewhere are not touched. Raises OSError for a file that cannot be read.
    """
    removed = b"".join(path.read_bytes() for path in deleted)
    saved = [path for name in (FOLDER, RECORDING_FOLDER) for path in (folder / name).glob("*")]
    named = [path for path in saved if path.name.encode() in removed]
    others = b"".join(path.read_bytes() for path in folder.glob("*.json") if path not in deleted) if named else b""
    for path in named:
        if path.name.encode() not in others:
            path.unlink(missing_ok=True)
