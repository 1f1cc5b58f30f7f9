"""A recording in the transcript: its waveform, a button that plays it, and where it is.

SoundReport ──▶ waveform;   cursor, button ──requested──▶ MoveSound, PlaySound
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.chat.intents import MoveSound, PlaySound
from app.chat.speech.waveform import Waveform
from app.text.formatting import format_position
from app.widgets import label
from app.widgets.actions import tool_button
from app.widgets.layouts import hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon
from workflows.wire.reports.sound import SoundReport


class RecordingView(QWidget):
    """The recording of a prompt. message: the prompt's id."""

    requested = Signal(object)  # MoveSound or PlaySound

    def __init__(self, message: int, path: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message, self.path = message, path
        self._name = Path(path).name
        self._problem = ""
        self._playing = False
        self.play = tool_button("play", "", "accent", clicked=lambda: self.requested.emit(PlaySound(message)))
        self.waveform = Waveform(self._name)
        self.time = label("", "muted", selectable=False)
        self.note = label(self.tr("Reading the recording …"), "muted", wrap=True)
        self.waveform.sought.connect(lambda seconds: self.requested.emit(MoveSound(message, seconds)))
        row = hbox(self.play, (self.waveform, 1), self.time, spacing=G)
        vbox(row, self.note, spacing=G // 2, parent=self)
        self._show_play()
        self._show_parts(read=False)

    def show_report(self, report: SoundReport) -> None:
        """Shows the waveform."""
        self.waveform.show_peaks(report.peaks, report.seconds)
        set_tool_tip(
            self.waveform,
            self.tr("{0} · {1} · {2} Hz").format(self._name, format_position(report.seconds), report.rate),
        )
        self._show_parts(read=True)
        self.show_position(self.waveform.position)

    def show_error(self, why: str) -> None:
        """Shows why the recording cannot be read."""
        self.note.setText(why)
        self._show_parts(read=False)

    def show_position(self, seconds: float) -> None:
        """Moves the cursor."""
        self.waveform.show_position(seconds)
        self.time.setText(f"{format_position(self.waveform.position)} / {format_position(self.waveform.seconds)}")

    def show_playing(self, playing: bool) -> None:
        """Shows Pause while it plays, else Play."""
        self._playing = playing
        self._show_play()

    def set_problem(self, why: str) -> None:
        """Sets why it cannot be heard; empty: it can."""
        self._problem = why
        self._show_play()

    def _show_play(self) -> None:
        set_icon(self.play, "pause" if self._playing else "play", "accent")
        name = self.tr("Pause {0}") if self._playing else self.tr("Play {0}")
        self.play.setAccessibleName(name.format(self._name))
        self.play.setAccessibleDescription(self._problem)
        set_tool_tip(self.play, self._problem or name.format(self._name))
        self.play.setEnabled(not self._problem)

    def _show_parts(self, read: bool) -> None:
        for one in (self.play, self.waveform, self.time):
            one.setVisible(read)
        self.note.setVisible(not read)
