"""The section of the side panel for decoding: drafts, beams, the chain, the form, each folded at first."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.chat.decoding.beam_section import BeamSection
from app.chat.decoding.chain_ops import ChainRow
from app.chat.decoding.chain_section import ChainSection
from app.chat.decoding.decoding_options import DecodingOptions
from app.chat.decoding.draft_section import DraftSection
from app.chat.decoding.form_section import FormSection
from app.chat.sampling import SamplingSettings
from app.text.translatable import tr
from app.widgets import Section


class DecodingSection(Section):
    """`changed` gives changed options, `problemChanged` what prevents sending; `shown`: both may differ."""

    changed = Signal(object)
    shown = Signal()
    problemChanged = Signal(str)  # noqa: N815 - as Qt names signals

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Decoding"), parent=parent)
        self.choice, self._sampling, self._problem = DecodingOptions(), SamplingSettings(), ""
        self.drafts, self.beams, self.chain, self.form = DraftSection(), BeamSection(), ChainSection(), FormSection()
        for part in (self.drafts, self.beams, self.chain, self.form):
            self.body.addWidget(part)
        self.drafts.changed.connect(self._change)
        self.beams.changed.connect(self._change)
        self.chain.changed.connect(self._on_chain)
        self.form.changed.connect(lambda forms: self._change({"forms": forms}))
        self.form.problemChanged.connect(self._emit_problem)

    @property
    def drawn(self) -> bool:
        """Whether tokens are sampled instead of taking the most probable ones."""
        return self.choice.draws(self._sampling)

    @property
    def problem(self) -> str:
        """What is wrong with a typed value, one sentence; empty for nothing."""
        if problem := self.chain.problem.text():
            return self.tr("The chain cannot be used. {0}").format(problem)
        problem = self.form.problem
        return self.tr("The form of the reply cannot be used. {0}").format(problem) if problem else ""

    def show_choice(self, choice: DecodingOptions) -> None:
        """Shows the options without emitting `changed`."""
        self.choice = choice
        self.drafts.show_choice(choice, self.drawn)
        self.beams.show_choice(choice, self.drawn)
        self.chain.show_chain(choice.chain)
        self.form.show_forms(choice.forms)
        self.shown.emit()
        self._emit_problem()

    def set_sampling(self, sampling: SamplingSettings) -> None:
        """Sets the sampling settings."""
        self._sampling = sampling
        self.chain.set_sampling(sampling)
        self._update_parts()

    def _on_chain(self, chain: tuple[ChainRow, ...] | None) -> None:
        self._change({"chain": chain})
        self._emit_problem()

    def _change(self, fields: dict[str, object]) -> None:
        changed = replace(self.choice, **fields)  # type: ignore[arg-type]
        if changed != self.choice:
            self.choice = changed
            self._update_parts()
            self.changed.emit(changed)

    def _update_parts(self) -> None:
        self.drafts.set_drawn(self.drawn)
        self.beams.update_conflicts(self.drawn, self.choice.drafting)
        self.shown.emit()

    def _emit_problem(self) -> None:
        if self.problem != self._problem:
            self._problem = self.problem
            self.problemChanged.emit(self._problem)
