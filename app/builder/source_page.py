"""Source page: where the checkpoint comes from, and the result of the probe."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from app.builder.adapter_list import AdapterList
from app.builder.checkpoint_card import CheckpointCard
from app.builder.drop_zone import DropZone
from app.builder.step_page import ChoiceCard, StepPage, button_group
from app.state.context import AppContext
from app.state.unsaved_recipe import DEMO
from app.text.formatting import format_bytes
from app.widgets.basics import EmptyState, button, label
from app.widgets.fields import combo_box, line_edit, progress_bar
from app.widgets.layouts import STRETCH, hbox, stack, vbox
from app.widgets.theme import G
from workflows.wire.events import ErrorEvent, ProgressEvent


def is_hub_id(source: str) -> bool:
    """Whether `source` has the form owner/name and no such folder or file exists."""
    return re.fullmatch(r"[\w.-]+/[\w.-]+", source) is not None and not Path(source).exists()


class SourcePage(StepPage):
    """Folder, hub id or demo. Complete once the probe found a supported checkpoint."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Source"),
            self.tr("The checkpoint to convert: config.json, safetensors weights and a tokenizer, or a GGUF file."),
        )
        self.cards = [
            ChoiceCard(self.tr("Folder or GGUF file"), self.tr("A checkpoint on this machine")),
            ChoiceCard(self.tr("Hub id"), self.tr("Downloaded from the Hugging Face hub")),
            ChoiceCard(self.tr("Demo"), self.tr("A small trained model that ships with Joinery")),
        ]
        self._group = button_group(self, self.cards)
        self.body.addLayout(hbox(*((card, 1) for card in self.cards), spacing=2 * G))
        self.inputs = stack(self._folder_input(), self._hub_input(), self._demo_input())
        self.body.addWidget(self.inputs)
        self.body.addWidget(self._busy_row())
        self.card = CheckpointCard()
        self.card.consented.connect(self._on_consent)
        self.body.addWidget(self.card)
        self.adapters = AdapterList(self.draft)
        self.body.addWidget(self.adapters)
        self.hint = EmptyState(
            self.tr("Nothing chosen yet"),
            self.tr(
                "Architecture, parameters, tokenizer and code of the checkpoint appear here before anything is "
                "converted."
            ),
            icon="search",
        )
        self.body.addWidget(self.hint)
        self.body.addStretch(1)
        for index, card in enumerate(self.cards):
            card.radio.toggled.connect(lambda on, index=index: self._choose(index) if on else None)
        self.cards[0].radio.setChecked(True)
        self.draft.changed.connect(self.refresh)
        self.refresh()

    def _folder_input(self) -> QWidget:
        self.folder = self._field(self.tr("Path of the folder or the GGUF file"), self._look_folder)
        self.browse = button(self.tr("Browse"), "folder", clicked=self._browse)
        self.browse_gguf = button(self.tr("GGUF file"), "file", clicked=self._browse_gguf)
        self.drop = DropZone(self.tr("or drop a folder or a GGUF file here"))
        self.drop.dropped.connect(self._take_folder)
        box = QWidget()
        look = button(self.tr("Look"), "search", clicked=self._look_folder)
        row = hbox((self.folder, 1), self.browse, self.browse_gguf, look)
        vbox(row, self.drop, parent=box)
        return box

    def _hub_input(self) -> QWidget:
        self.hub = self._field(self.tr("owner/name"), self._look_hub)
        self.look_hub = button(self.tr("Look"), "hub", clicked=self._look_hub)
        box = QWidget()
        row = hbox((self.hub, 1), self.look_hub)
        note = self.tr("Only this downloads files. They are saved in the Hugging Face cache of this machine.")
        vbox(row, label(note, "muted", wrap=True), STRETCH, parent=box, spacing=None)
        return box

    def _demo_input(self) -> QWidget:
        demos = (
            (self.tr("Qwen3: a chat about sums, capitals and opposites"), DEMO),
            (self.tr("Qwen3.5: the same chat; three of four layers keep state of fixed size"), "demo:qwen3_5"),
            (self.tr("Qwen3 draft: a small model that proposes tokens for the chat"), "demo:qwen3-draft"),
            (self.tr("T5: a phrase book from English to French, and short summaries"), "demo:t5"),
            (self.tr("Mu: settings in five languages; includes Python code"), "demo:mu"),
            (self.tr("Whisper: spoken digits in English and German"), "demo:whisper"),
            (self.tr("Vision: colour, shape and number of drawn shapes"), "demo:vision"),
        )
        self.demo = combo_box(self.tr("Demo"), demos)
        self.demo.activated.connect(lambda: self.draft.probe(self.demo.currentData()))
        box = QWidget()
        vbox(self.demo, STRETCH, parent=box)
        return box

    def _field(self, hint: str, act: object) -> QLineEdit:
        field = line_edit(hint, hint)
        field.returnPressed.connect(act)
        return field

    def _busy_row(self) -> QWidget:
        self._bar = progress_bar(self.tr("Progress of reading the source"))
        self._message = label("", "muted")
        self.stop = button(self.tr("Stop"), "stop", clicked=self._stop)
        self._busy = QWidget()
        hbox((vbox(self._message, self._bar, spacing=G // 2), 1), self.stop, parent=self._busy, spacing=2 * G)
        return self._busy

    def _choose(self, index: int) -> None:
        self.inputs.setCurrentIndex(index)
        if index == 2 and self.demo.findData(self.draft.source) < 0:
            self.draft.probe(self.demo.currentData())

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Choose a checkpoint's folder"), self.folder.text())
        if folder:
            self._take_folder(folder)

    def _browse_gguf(self) -> None:
        file, _ = QFileDialog.getOpenFileName(
            self, self.tr("Choose a model in GGUF"), self.folder.text(), self.tr("GGUF models (*.gguf)")
        )
        if file:
            self._take_folder(file)

    def _take_folder(self, folder: str) -> None:
        self.folder.setText(folder)
        self._look_folder()

    def _look_folder(self) -> None:
        if self.folder.text().strip():
            self.draft.probe(self.folder.text())

    def _look_hub(self) -> None:
        if self.hub.text().strip():
            self.draft.probe(self.hub.text())

    def _stop(self) -> None:
        self.draft.cancel_requests()
        self.refresh()

    def _on_consent(self, trusted: bool) -> None:
        self.draft.probe(self.draft.source, trusted)

    def refresh(self) -> None:
        draft = self.draft
        self._show_source()
        self._busy.setVisible(draft.probing)
        progress = draft.progress
        self._bar.setRange(0, 1000 if progress and progress.total else 0)
        if progress and progress.total:
            self._bar.setValue(round(1000 * progress.done / progress.total))
        self._message.setText(_progress_text(self.tr("Reading {0}").format(draft.source), progress))
        shown = draft.probe_report is not None or bool(draft.remote_code)
        self.card.setVisible(shown)
        if shown:
            self.card.set_report(draft.probe_report, draft.remote_code, draft.trusted)
        self.adapters.setVisible(draft.supported)
        self.hint.setVisible(not draft.source)
        self._show_error(draft.probe_error)
        self.completeChanged.emit()

    def _show_source(self) -> None:
        source = self.draft.source
        demo = self.demo.findData(source)
        index = 2 if demo >= 0 else None
        if index is not None:
            self.demo.setCurrentIndex(demo)
        elif source:
            index = 1 if is_hub_id(source) else 0
            field = self.hub if index else self.folder
            if field.text().strip() != source:
                field.setText(source)
        if index is not None and not self.cards[index].radio.isChecked():
            self.cards[index].radio.setChecked(True)

    def begin(self) -> None:
        """Focus the field of the chosen kind while there is no source."""
        kind = self.inputs.currentIndex()
        if not self.draft.source and kind < 2:
            (self.hub if kind else self.folder).setFocus()

    def offer_hub(self, name: str) -> None:
        """Fill in a hub id; nothing is fetched before the person looks."""
        self.cards[1].radio.setChecked(True)
        self.hub.setText(name)
        self.look_hub.setFocus()

    def _show_error(self, error: ErrorEvent | None) -> None:
        if error is None or error.kind in ("remotecode", "cancelled"):
            self.banner.clear()
        elif self.banner.message != error.message:
            again = self.tr("Try again")
            self.banner.error(error.message, error.details, again, lambda: self.draft.probe(self.draft.source))

    def isComplete(self) -> bool:
        return self.draft.supported


def _progress_text(start: str, progress: ProgressEvent | None) -> str:
    if progress is None:
        return start
    if progress.total and progress.unit in ("B", "bytes"):
        return f"{progress.message}  {format_bytes(progress.done)} / {format_bytes(progress.total)}"
    return str(progress.message)
