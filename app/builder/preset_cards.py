"""Quantize page: the presets as cards, with what each takes and what earlier builds of this model cost."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.builder.step_page import ChoiceCard, button_group
from app.text.formatting import format_bytes, format_number, format_percent, format_token_rate
from app.text.translatable import tr
from app.widgets.layouts import hbox
from app.widgets.theme import G
from workflows.wire.reports.plan import IMPLIED_PRESETS, PlanReport, PresetOption


class PresetCards(QWidget):
    """`chosen` carries the name of a preset that a person chose. Hidden where the target runs none."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.cards = {
            "compact": ChoiceCard(self.tr("Compact"), self.tr("The smallest and fastest.")),
            "balanced": ChoiceCard(self.tr("Balanced"), self.tr("4 bits, with more of the model's answers kept.")),
            "accurate": ChoiceCard(self.tr("Accurate"), self.tr("8 bits: almost the model's own answers.")),
        }
        self._group = button_group(self, list(self.cards.values()))
        for name, card in self.cards.items():
            card.radio.clicked.connect(partial(self._on_clicked, name))
        hbox(*((card, 1) for card in self.cards.values()), parent=self, spacing=2 * G)

    def show_plan(self, plan: PlanReport, searches: bool) -> None:
        """Show a plan's presets and mark its own, which is none for another precision and for a search."""
        offers = {one.name: one for one in plan.presets}
        self.setVisible(bool(offers))
        best = {one.name for one in plan.precisions if one.recommended}
        own = str(plan.recipe.get("preset") or IMPLIED_PRESETS.get(plan.chosen.precision, ""))
        self._group.setExclusive(False)  # none may be chosen
        for name, card in self.cards.items():
            card.setVisible(name in offers)
            card.radio.setChecked(name == own and not searches)
            if name in offers:
                recommended = name == IMPLIED_PRESETS.get(offers[name].precision) and offers[name].precision in best
                card.allow(True, preset_figures(offers[name], recommended))
                card.radio.setAccessibleDescription(preset_figures(offers[name], recommended))
        self._group.setExclusive(True)

    def _on_clicked(self, name: str, _checked: bool = False) -> None:
        self.chosen.emit(name)


def preset_figures(preset: PresetOption, recommended: bool = False) -> str:
    """`Recommended · 82 MiB of weights · KL 0.25 nats, 70 % the same tokens · 45 tok/s on cpu`, as far as known."""
    same = "" if preset.top1_agreement is None else format_percent(preset.top1_agreement)
    speed = "" if preset.tokens_per_s is None else format_token_rate(preset.tokens_per_s)
    parts = (
        tr("Recommended") if recommended else "",
        tr("{0} of weights").format(format_bytes(preset.bytes)),
        "" if preset.kl_mean is None else tr("KL {0} nats").format(format_number(preset.kl_mean, 3)),
        tr("{0} the same tokens").format(same) if same else "",
        tr("{0} on {1}").format(speed, preset.provider) if speed else "",
    )
    return " · ".join(filter(None, parts))
