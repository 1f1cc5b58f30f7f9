"""What is attached to the prompt that is being written: pictures, recordings, or a sound file that is sent at once.

button, drop, paste ──take──▶ files │ image data ──save_picture──▶ AttachmentRow.files ──Send
                                └─ a sound ──▶ SendSound
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from app.chat.attached_file import attached_file
from app.chat.speech import sound_device
from app.chat.speech.speech_row import SpeechRow
from app.chat.speech.voice_recorder import VoiceRecorder
from app.jobs.background_tasks import BackgroundTasks
from app.state.media_files import FOLDER as PICTURE_FOLDER
from app.state.media_files import (
    PICTURE_SUFFIXES,
    RECORDING_FOLDER,
    SOUND_SUFFIXES,
    file_filter,
    of_kind,
    save_picture,
)
from app.widgets.actions import tool_button
from app.widgets.drops import accept_as_copy
from app.widgets.layouts import FlowLayout, clear_layout, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.events import SpeechChoices

HEIGHT = 64
"""The height of a thumbnail above the text, in pixels."""


class AttachmentRow(QWidget):
    """The pictures and recordings of the prompt, each with a button that removes it; hidden while there are none."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Attached files"))
        self.files: tuple[str, ...] = ()
        self._row = FlowLayout(self)
        self.hide()

    def show_files(self, files: Sequence[str]) -> None:
        """Shows these files, each once."""
        files = tuple(dict.fromkeys(files))
        if files == self.files:
            return
        self.files = files
        clear_layout(self._row)
        for path in files:
            self._row.addWidget(self._item(path))
        self.setVisible(bool(files))
        self.changed.emit()

    def _item(self, path: str) -> QWidget:
        item = QWidget()
        remove = tool_button("close", self.tr("Remove {0}").format(Path(path).name), "muted")
        remove.clicked.connect(partial(self._remove, path))
        hbox(attached_file(path, HEIGHT), (remove, 0, Qt.AlignmentFlag.AlignTop), spacing=0, parent=item)
        return item

    def _remove(self, path: str, _checked: bool = False) -> None:
        parent = self.parentWidget()
        if parent is not None:
            parent.setFocus()  # the pressed button is deleted
        self.show_files([one for one in self.files if one != path])


class Attachments(QObject):
    """Takes pictures and sounds from buttons, drops and the clipboard, as far as the open bundle takes them.

    folder: of pictures without a file; None until the page sets it, and till then no image data is taken.
    """

    sound = Signal(str)  # the path of a sound to send
    failed = Signal(str)  # why a picture cannot be attached, or a sound not be recorded or sent

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._page = parent
        self._tasks = BackgroundTasks(self)
        self.folder: Path | None = None
        self.sees = self.takes_sound = self.listens = False
        self.row = AttachmentRow()
        self.picture_button = tool_button("picture", self.tr("Attach pictures (Ctrl+Shift+P)"), clicked=self.choose)
        self.recorder = VoiceRecorder(lambda owner: sound_device.open_microphone(owner), self)
        self.speech = SpeechRow()
        self.speech.record.clicked.connect(lambda _checked=False: self.recorder.toggle())
        self.recorder.changed.connect(self._show_recording)
        self.recorder.saved.connect(self.sound)
        self.recorder.failed.connect(self.failed)
        self.speech.choose.clicked.connect(lambda _checked=False: self.choose())
        self.set_senses(False, None)

    def set_senses(self, sees: bool, speech: SpeechChoices | None, takes_sound: bool = False) -> None:
        """Shows the buttons of what the open bundle takes. takes_sound: recordings beside a prompt."""
        begins = speech is not None and not self.listens
        self.sees, self.takes_sound, self.listens = sees, takes_sound, speech is not None
        self.picture_button.setVisible(sees or takes_sound)
        text = self.tr("Attach pictures (Ctrl+Shift+P)") if sees else self.tr("Attach recordings (Ctrl+Shift+P)")
        set_tool_tip(self.picture_button, text)
        self.picture_button.setAccessibleName(text)
        self.speech.setVisible(speech is not None)
        if speech is None:
            self.recorder.finish()  # nothing is recorded that is not shown
        else:
            self.speech.show_choices(speech)
        if begins:
            self.recorder.check()

    def _show_recording(self) -> None:
        one = self.recorder
        self.speech.show_recording(one.recording, one.seconds, one.level, one.problem)

    def set_folder(self, folder: Path) -> None:
        """Sets the folder of the chats, below which pasted pictures and recordings are saved."""
        self.folder, self.recorder.folder = folder / PICTURE_FOLDER, folder / RECORDING_FOLDER

    def set_enabled(self, enabled: bool, free: bool) -> None:
        """Disables the buttons without a bundle; a sound waits until the running reply has ended, and it is `free`."""
        self.picture_button.setEnabled(enabled)
        self.speech.set_enabled(enabled, free)

    def choose(self) -> None:
        """Asks for files of what the open bundle takes; does nothing where it takes none."""
        if self.sees or self.takes_sound:
            filters = [file_filter(self.tr("Pictures"), PICTURE_SUFFIXES)] if self.sees else []
            filters += [file_filter(self.tr("Recordings"), SOUND_SUFFIXES)] if self.takes_sound else []
            title = self.tr("Attach pictures") if self.sees else self.tr("Attach recordings")
            names, _kind = QFileDialog.getOpenFileNames(self._page, title, "", ";;".join(filters))
            self.add(names)
        elif self.listens:
            kinds = file_filter(self.tr("Recordings"), SOUND_SUFFIXES)
            name, _kind = QFileDialog.getOpenFileName(self._page, self.tr("Transcribe a recording"), "", kinds)
            if name:
                self.sound.emit(name)

    def add(self, files: Sequence[str]) -> None:
        """Attaches files of pictures or recordings."""
        self.row.show_files([*self.row.files, *files])

    def takes(self, data: QMimeData) -> bool:
        """Whether dropped or pasted data is something that can be attached now."""
        pictures, sounds = _files(data)
        listens = self.listens and not self.recorder.recording
        return bool((self.sees and (pictures or _is_image(data))) or ((listens or self.takes_sound) and sounds))

    def take(self, data: QMimeData) -> None:
        """Attaches dropped or pasted data: files as they are, an image as a file beside the chats."""
        pictures, sounds = _files(data)
        if self.listens and sounds:
            self.sound.emit(sounds[0])
        elif attached := [*(pictures if self.sees else []), *(sounds if self.takes_sound else [])]:
            self.add(attached)
        elif self.sees and _is_image(data) and self.folder is not None:
            image = QImage(data.imageData())
            self._tasks.run(partial(save_picture, image, self.folder), self._on_saved, self.failed.emit)

    def _on_saved(self, path: Path) -> None:
        self.add([str(path)])


class DropTarget(Protocol):
    """What takes dropped data."""

    def takes(self, data: QMimeData) -> bool:
        """Whether the data is something that can be taken now."""

    def take(self, data: QMimeData) -> None:
        """Takes it."""


class AttachmentDrop(QObject):
    """Lets `area` receive what can be attached; other data goes on to the window."""

    def __init__(self, area: QWidget, attachments: DropTarget) -> None:
        super().__init__(area)
        self._attachments = attachments
        area.setAcceptDrops(True)
        area.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        if isinstance(event, QDropEvent) and self._attachments.takes(event.mimeData()):
            accept_as_copy(event)
            if not isinstance(event, QDragEnterEvent) and event.type() == QEvent.Type.Drop:
                self._attachments.take(event.mimeData())
            return True
        if event.type() == QEvent.Type.DragEnter:
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def attachment_column(attachments: Attachments) -> QVBoxLayout:
    """What is above the text box: the attached pictures."""
    return vbox(attachments.row, spacing=G // 2)


def dropped_pictures(data: QMimeData) -> list[str]:
    """The local picture files of dropped or pasted data."""
    return _files(data)[0]


def _files(data: QMimeData) -> tuple[list[str], list[str]]:
    """The local pictures and sounds of dropped or pasted data."""
    paths = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return of_kind(paths, PICTURE_SUFFIXES), of_kind(paths, SOUND_SUFFIXES)


def _is_image(data: QMimeData) -> bool:
    """Whether it is an image alone: programs for text offer a picture of copied text, too."""
    return data.hasImage() and not data.hasText()
