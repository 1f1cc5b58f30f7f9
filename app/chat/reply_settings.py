"""What the next answer is made with, as chips: read from what holds, and changed where the side panel changes it.

panel, controller, Keeper ──changed──▶ ReplySettings ──settings──▶ ChipRow ──remove, restore──▶ panel, Keeper
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from app.chat.chips import ChipRow, Setting
from app.chat.choices import Choices
from app.chat.controller import ChatController
from app.chat.decoding.choice import Decoding
from app.chat.panel import SettingsPanel
from app.chat.presets import apply
from app.chat.sampling import Sampling
from app.widgets.format import counted


class ReplySettings(QObject):
    """Fills `row`. show: brings a widget of the side panel into view."""

    def __init__(
        self,
        panel: SettingsPanel,
        controller: ChatController,
        choices: Choices,
        row: ChipRow,
        show: Callable[[QWidget], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._panel, self._controller, self._choices, self._row = panel, controller, choices, row
        self._key = controller.chat.key
        row.opened.connect(lambda setting: show(setting.place))
        for changed in (panel.system_changed, panel.opening.changed, choices.sampling_shown, choices.decoding.held):
            changed.connect(self.refresh)
        controller.reset.connect(self._on_reset)
        controller.appended.connect(lambda _id: row.forget_removed())
        self.refresh()

    def refresh(self, *_: object) -> None:
        """The chips of what holds now."""
        self._row.show_settings([*self._texts(), *self._sampling(), *self._decoding()])

    def _on_reset(self) -> None:
        key = self._controller.chat.key
        if key != self._key:
            self._key = key
            self._row.forget_removed()
        self.refresh()

    def _texts(self) -> list[Setting]:
        panel = self._panel
        fields: list[tuple[str, QLineEdit | QPlainTextEdit]] = [
            (self.tr("System prompt"), panel.system),
            (self.tr("Begins with"), panel.opening.prefill),
            (self.tr("Tools"), panel.opening.tools),
        ]
        found = []
        for name, edit in fields:
            text = edit.text() if isinstance(edit, QLineEdit) else edit.toPlainText()
            write = edit.setText if isinstance(edit, QLineEdit) else edit.setPlainText
            if text.strip() or (text and isinstance(edit, QLineEdit)):
                found.append(Setting(name, text, edit, edit.clear, partial(write, text)))
        return found

    def _sampling(self) -> list[Setting]:
        now, default = self._controller.sampling, self._choices.default_sampling
        chain, set_sampling = self._controller.decoding.chain, self._choices.set_sampling
        found = []
        drawn, rest = apply(now, default), apply(default, now)
        if drawn != default and chain is None:  # a chain stands in place of these
            shown = self._panel.presets.box.currentText()
            found.append(
                Setting(
                    self.tr("Sampling"),
                    shown,
                    self._panel.presets.box,
                    partial(self._change_sampling, partial(apply, default)),
                    partial(self._change_sampling, partial(apply, now)),
                )
            )
        if rest != default:
            remove = partial(set_sampling, apply(now, default))
            place = self._panel.spin("max_new_tokens")
            found.append(
                Setting(self.tr("Limits"), self._limits(now, default), place, remove, partial(set_sampling, now))
            )
        return found

    def _change_sampling(self, change: Callable[[Sampling], Sampling]) -> None:
        self._choices.set_sampling(change(self._controller.sampling))

    def _limits(self, now: Sampling, default: Sampling) -> str:
        parts = []
        if now.max_new_tokens != default.max_new_tokens:
            parts.append(counted(now.max_new_tokens, self.tr("1 token"), self.tr("{0} tokens")))
        if now.seed != default.seed:
            parts.append(self.tr("seed {0}").format("–" if now.seed is None else now.seed))
        if now.stop != default.stop:
            parts.append(counted(len(now.stop), self.tr("1 stop string"), self.tr("{0} stop strings")))
        return ", ".join(parts)

    def _decoding(self) -> list[Setting]:
        held, default, part = self._controller.decoding, Decoding(), self._panel.decoding
        found = []
        if held.forms.kind is not None:
            kind = part.form.kind
            title = kind.itemText(kind.findData(held.forms.kind))
            found.append(self._choice(self.tr("Form"), title, kind, forms=replace(held.forms, kind=None)))
        if held.chain is not None:
            ops = counted(len(held.chain), self.tr("1 op"), self.tr("{0} ops"))
            found.append(self._choice(self.tr("Chain"), ops, part.chain.list, chain=None))
        if held.drafts != default.drafts:
            source = part.drafts.source
            named = Path(held.draft).name if held.drafts == "bundle" else source.itemText(source.findData(held.drafts))
            found.append(self._choice(self.tr("Drafts"), named, source, drafts=default.drafts, draft=default.draft))
        if held.num_beams != default.num_beams:
            found.append(self._choice(self.tr("Beams"), str(held.num_beams), part.beams.count, num_beams=1))
        return found

    def _choice(self, name: str, value: str, place: QWidget, **default: Any) -> Setting:
        """default: fields of Decoding; what they are now is what Undo brings back."""
        now = {field: getattr(self._controller.decoding, field) for field in default}
        return Setting(name, value, place, partial(self._change, default), partial(self._change, now))

    def _change(self, fields: dict[str, Any]) -> None:
        self._choices.decoding.choose(replace(self._controller.decoding, **fields))
