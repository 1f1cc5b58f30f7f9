"""What a prompt has besides its text, as widgets: pictures, or a recording."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.chat.speech.recording_view import RecordingView
from app.state.conversation import ChatMessage
from app.widgets.layouts import FlowLayout
from app.widgets.theme import G
from app.widgets.thumbnail import Thumbnail

PICTURE_HEIGHT = 160
"""The height of a picture in the transcript, in pixels."""


def pictures_of(message: ChatMessage) -> QWidget | None:
    """The pictures of a prompt; None where there are none."""
    if not message.pictures:
        return None
    pictures = QWidget()
    flow = FlowLayout(pictures)
    flow.setSpacing(G)
    for path in message.pictures:
        flow.addWidget(Thumbnail(path, PICTURE_HEIGHT))
    return pictures


def recording_of(message: ChatMessage) -> RecordingView | None:
    """The recording of a prompt; None for a prompt of text."""
    return RecordingView(message.id, message.sound.path) if message.sound is not None else None
