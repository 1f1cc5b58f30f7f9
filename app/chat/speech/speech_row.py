"""What a bundle that listens takes in place of a text: a recording, its language, and what its transcript is to be.

SpeechChoices of the open bundle ──▶ fields ──prompt(path)──▶ SoundPrompt
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from app.text.formatting import format_position
from app.widgets import button, label, set_role
from app.widgets.fields import combo_box, progress_bar
from app.widgets.layouts import STRETCH, FlowLayout, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.events import SpeechChoices
from workflows.wire.requests import SoundPrompt

MOST_CHARACTERS = 14
"""The width of the list of languages, in characters."""


def language_name(code: str) -> str:
    """The name that a language has for those who speak it, with its code; the code alone for an unknown one."""
    known = QLocale.codeToLanguage(code)
    if known == QLocale.Language.AnyLanguage:
        return code
    name = QLocale(known, QLocale.Country.World).nativeLanguageName()  # else English would be American English
    return f"{name} ({code})" if name else code


class SpeechRow(QWidget):
    """Shows only the fields in which the open bundle leaves a choice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = SpeechChoices()
        note = label(self.tr("This bundle transcribes recordings: choose or drop a sound file."), "muted")
        note.setWordWrap(True)
        self.language = ignore_wheel(combo_box(self.tr("Language of the recording"), width=MOST_CHARACTERS))
        set_tool_tip(self.language, self.tr("The language that is spoken; the model finds it out where none is chosen"))
        self.task = ignore_wheel(combo_box(self.tr("What is written")))
        self.times = QCheckBox(self.tr("Show times"))
        set_tool_tip(self.times, self.tr("Shows when each part of the transcript was said"))
        self.choose = button(self.tr("Transcribe a recording …"), "sound")
        set_role(self.choose, "primary")
        set_icon(self.choose, "sound", "accent_text", 16)
        fields = QWidget()
        flow = FlowLayout(fields)
        flow.setSpacing(G)
        self.times.setMinimumHeight(4 * G)  # as high as the boxes beside it
        self.record = button("", "microphone")
        self.level = progress_bar(self.tr("Loudness of the microphone"), height=G, total=100)
        self.level.setFixedWidth(8 * G)
        self.length = label("", "muted", selectable=False)
        for high in (self.length, self.record):
            high.setMinimumHeight(4 * G)
        for one in (self.language, self.task, self.times):
            flow.addWidget(one)
        buttons = hbox(self.choose, self.record, self.length, self.level, STRETCH)
        vbox(note, fields, buttons, parent=self)
        self._free = self._recording = False
        self._problem = ""
        self._fill()
        self.show_recording(False, 0.0, 0.0, "")

    def show_choices(self, choices: SpeechChoices) -> None:
        """Offers what a bundle leaves open; a choice that it has, too, stays."""
        if choices != self._choices:
            self._choices = choices
            self._fill()

    def prompt(self, path: str) -> SoundPrompt:
        """The request for the transcript of a file."""
        return SoundPrompt(
            path,
            language=self.language.currentData(),
            task=self.task.currentData(),
            timestamps=self.times.isChecked() and self._choices.times,
        )

    def set_enabled(self, enabled: bool, free: bool) -> None:
        """enabled: there is a bundle. free: it can transcribe now."""
        for one in (self.language, self.task, self.times):
            one.setEnabled(enabled)
        self._free = free
        self._enable()

    def show_recording(self, recording: bool, seconds: float, level: float, problem: str) -> None:
        """Shows a recording that is being made, or why none can be made. level: loudness from 0 to 1."""
        changed = (recording, problem) != (self._recording, self._problem) or not self.record.text()
        self._recording, self._problem = recording, problem
        self.length.setText(format_position(seconds))
        self.level.setValue(round(100 * level))
        if changed:
            self.record.setText(self.tr("Stop and transcribe") if recording else self.tr("Record"))
            self.record.setAccessibleName(self.record.text())
            self.record.setAccessibleDescription(problem)
            set_icon(self.record, "stop" if recording else "microphone", "text", 16)
            tip = self.tr("Records from the microphone and transcribes it; Esc drops the recording")
            set_tool_tip(self.record, problem or tip)
            for one in (self.length, self.level):
                one.setVisible(recording)
        self._enable()

    def _enable(self) -> None:
        self.choose.setEnabled(self._free and not self._recording)
        self.record.setEnabled(self._recording or (self._free and not self._problem))

    def _fill(self) -> None:
        choices = self._choices
        languages: list[tuple[str, str | None]] = [(language_name(code), code) for code in choices.languages]
        languages.sort(key=lambda one: one[0].casefold())
        self._replace(self.language, [(self.tr("Detect the language"), None), *languages])
        words = {"transcribe": self.tr("Transcribe"), "translate": self.tr("Translate into English")}
        others = [(words[task], task) for task in choices.tasks if task != choices.task]
        self._replace(self.task, [(words[choices.task], None), *others])
        self.language.setVisible(len(languages) > 1)
        self.task.setVisible(bool(others))
        self.times.setVisible(choices.times)

    def _replace(self, box: QComboBox, entries: Sequence[tuple[str, object]]) -> None:
        chosen = box.currentData()
        box.clear()
        for text, value in entries:
            box.addItem(text, value)
        box.setCurrentIndex(max(box.findData(chosen), 0))
