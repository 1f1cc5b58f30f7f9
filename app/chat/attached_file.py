"""A file that comes before a prompt's text, as a widget: a picture's thumbnail, or a recording's name."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.state.media_files import SOUND_SUFFIXES, of_kind
from app.widgets import label
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon
from app.widgets.thumbnail import Thumbnail

LONGEST = 32
"""Characters of a recording's name that are shown; the tool tip has the whole path."""


def attached_file(path: str, height: int) -> QWidget:
    """A picture `height` pixels high, or the name of a recording."""
    return _recording(path) if of_kind([path], SOUND_SUFFIXES) else Thumbnail(path, height)


def _recording(path: str) -> QWidget:
    name, missing = Path(path).name, not Path(path).is_file()
    gone = QCoreApplication.translate("attached_file", "The recording {0} is missing; it is not sent.").format(name)
    there = QCoreApplication.translate("attached_file", "Recording {0}").format(name)
    icon, text = label(), label(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…", "muted")
    set_icon(icon, "warning" if missing else "sound", "muted", 16)
    shown = QWidget()
    hbox(icon, text, spacing=G // 2, margins=(G, G // 2, G, G // 2), parent=shown)
    shown.setAccessibleName(gone if missing else there)
    set_tool_tip(shown, gone if missing else path)
    return shown
