"""What a prompt has besides its text, as widgets: pictures, or a recording."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.chat.attached_file import attached_file
from app.chat.speech.recording_view import RecordingView
from app.state.conversation import ChatMessage
from app.widgets.layouts import FlowLayout
from app.widgets.theme import G

PICTURE_HEIGHT = 160
"""The height of a picture in the transcript, in pixels."""


def files_of(message: ChatMessage) -> QWidget | None:
    """The pictures of a prompt, and the names of its recordings; None where there are none."""
    if not message.files:
        return None
    files = QWidget()
    flow = FlowLayout(files)
    flow.setSpacing(G)
    for path in message.files:
        flow.addWidget(attached_file(path, PICTURE_HEIGHT))
    return files


def recording_of(message: ChatMessage) -> RecordingView | None:
    """The recording of a prompt; None for a prompt of text."""
    return RecordingView(message.id, message.sound.path) if message.sound is not None else None
