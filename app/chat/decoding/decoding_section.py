"""The side panel's part about decoding: drafts, beams, the chain, the form of the reply, each folded at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.chat.decoding.beam_section import BeamSection
from app.chat.decoding.chain_ops import ChainRow
from app.chat.decoding.chain_section import ChainSection
from app.chat.decoding.decoding_options import DecodingOptions, ReplyForms
from app.chat.decoding.draft_section import DraftSection
from app.chat.decoding.form_section import FormSection
from app.chat.sampling import SamplingSettings
from app.widgets import Section


class DecodingSection(Section):
    """`changed` gives the Decoding that a person changed, `problemChanged` what keeps a prompt from being sent.

    shown: it may be another one, or tokens may be drawn now that were not.
    """

    changed = Signal(object)
    shown = Signal()
    problemChanged = Signal(str)  # noqa: N815 - as Qt names signals

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.heading.setText(self.tr("Decoding"))
        self.choice, self._sampling, self._problem = DecodingOptions(), SamplingSettings(), ""
        self.drafts, self.beams, self.chain, self.form = DraftSection(), BeamSection(), ChainSection(), FormSection()
        for part in (self.drafts, self.beams, self.chain, self.form):
            self.body.addWidget(part)
        self.drafts.changed.connect(self._change)
        self.beams.changed.connect(self._change)
        self.chain.changed.connect(self._on_chain)
        self.form.changed.connect(self._on_forms)
        self.form.problemChanged.connect(self._tell_problem)

    @property
    def drawn(self) -> bool:
        """Whether tokens are drawn, and not the most probable ones taken."""
        return self.choice.draws(self._sampling)

    @property
    def problem(self) -> str:
        """What is wrong with what was typed, one sentence; empty for nothing."""
        said = self.chain.problem.text()
        if said:
            return self.tr("The chain cannot be used. {0}").format(said)
        said = self.form.problem
        return self.tr("The form of the reply cannot be used. {0}").format(said) if said else ""

    def show_choice(self, choice: DecodingOptions) -> None:
        """Shows what is chosen, without telling of a change."""
        self.choice = choice
        self.drafts.show_choice(choice, self.drawn)
        self.beams.show_choice(choice, self.drawn)
        self.chain.show_chain(choice.chain)
        self.form.show_forms(choice.forms)
        self.shown.emit()
        self._tell_problem()

    def set_sampling(self, sampling: SamplingSettings) -> None:
        """What is set under Sampling."""
        self._sampling = sampling
        self.chain.set_sampling(sampling)
        self._follow()

    def set_model(self, ops: Sequence[Mapping[str, object]]) -> None:
        """The chain that the bundle has."""
        self.chain.set_ops(ops)

    def _on_chain(self, chain: tuple[ChainRow, ...] | None) -> None:
        self._change({"chain": chain})
        self._tell_problem()

    def _on_forms(self, forms: ReplyForms) -> None:
        self._change({"forms": forms})

    def _change(self, fields: dict[str, object]) -> None:
        changed = replace(self.choice, **fields)  # type: ignore[arg-type]
        if changed != self.choice:
            self.choice = changed
            self._follow()
            self.changed.emit(changed)

    def _follow(self) -> None:
        self.drafts.set_drawn(self.drawn)
        self.beams.follow(self.drawn, self.choice.drafting)
        self.shown.emit()

    def _tell_problem(self) -> None:
        if self.problem != self._problem:
            self._problem = self.problem
            self.problemChanged.emit(self._problem)
