"""Joins the recordings of the transcript with their waveforms and with what is heard.

Transcript ──shown(MessageView)──▶ Recordings ──DescribeSound──▶ worker ──SoundReport──▶ RecordingView
intents ──do──▶ Playback ──moved, changed──▶ RecordingView, SegmentText
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from app.chat.controller import ChatController
from app.chat.intents import MoveSound, OfSounds, PlaySegment, PlaySound
from app.chat.message_view import MessageView
from app.chat.speech import sound_device
from app.chat.speech.playback import Playback
from app.chat.speech.recording_view import RecordingView
from app.chat.transcript import Transcript
from app.jobs.worker_client import WorkerClient
from workflows.wire.reports.sound import SoundReport
from workflows.wire.requests import DescribeSound


class Recordings(QObject):
    """Performs the intents of recordings and keeps their views up to date. worker: decodes the files."""

    def __init__(
        self, controller: ChatController, transcript: Transcript, worker: WorkerClient, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._controller, self._transcript, self._worker = controller, transcript, worker
        self._reports: dict[str, SoundReport] = {}
        self.playback = Playback(lambda owner: sound_device.open_player(owner), self)
        self.playback.changed.connect(self._show_playing)
        self.playback.moved.connect(self._show_position)
        transcript.shown.connect(self._attach)
        self._chat = controller.chat
        controller.reset.connect(self._on_reset)

    def do(self, intent: OfSounds) -> None:
        """Performs an intent; ignores one of a message that is no recording."""
        match intent:
            case PlaySound(message):
                if path := self._path(message):
                    self.playback.toggle(message, path)
            case MoveSound(message, seconds):
                if path := self._path(message):
                    self.playback.move(message, path, seconds)
            case PlaySegment(reply, place):
                self._play_segment(reply, place)

    def _play_segment(self, reply: int, place: int) -> None:
        message = self._controller.chat[reply]
        prompt = message.parent
        if prompt is None or message.reply is None or not (path := self._path(prompt)):
            return
        segment = message.reply.segments[place]
        if (view := self._view(prompt)) is not None:
            view.waveform.show_span((segment.start, segment.end))
            self._transcript.ensureWidgetVisible(view)
        self.playback.play_from(prompt, path, segment.start)

    def _path(self, message: int) -> str:
        chat = self._controller.chat
        sound = chat[message].sound if message in chat else None
        return sound.path if sound is not None else ""

    def _view(self, message: int) -> RecordingView | None:
        view = self._transcript.view(message)
        return view.recording if view is not None else None

    def _attach(self, view: MessageView) -> None:
        """Fills the view of a recording."""
        recording = view.recording
        if recording is None:
            return
        self.playback.check()
        recording.set_problem(self.playback.problem)
        if (known := self._reports.get(recording.path)) is not None:
            self._show_report(recording, known)
            return
        job = self._worker.request(DescribeSound(recording.path))
        job.on_answer(partial(self._show_report, recording), recording)
        job.on_error(lambda error: recording.show_error(error.message), recording)

    def _show_report(self, recording: RecordingView, report: SoundReport) -> None:
        self._reports[recording.path] = report
        recording.show_report(report)
        recording.show_position(self.playback.position(recording.message))
        recording.show_playing(self.playback.playing == recording.message)

    def _show_playing(self) -> None:
        for view in self._transcript.views:
            if view.recording is not None:
                view.recording.set_problem(self.playback.problem)
                view.recording.show_playing(self.playback.playing == view.message.id)

    def _show_position(self, message: int, seconds: float) -> None:
        for view in self._transcript.views:
            if view.recording is not None and view.message.id == message:
                view.recording.show_position(seconds)
            elif view.segments is not None and view.message.parent == message:
                view.segments.mark_at(seconds)

    def _on_reset(self) -> None:
        if self._controller.chat is not self._chat:
            self._chat = self._controller.chat
            self.playback.forget()
