"""Optimize and Quantize pages: the passes and precisions that the engine offers."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox

from app.build.goal_card import GoalCard
from app.build.quantize_options import COMPENSATED, BlockOptions, CalibrationBox
from app.build.step_page import ChoiceCard, StepPage, button_group
from app.state.context import AppContext
from app.text.formatting import format_bytes
from app.widgets.basics import CardFrame, EmptyState, PillLabel, label, set_role
from app.widgets.layouts import STRETCH, clear_layout, grid_layout, hbox
from app.widgets.theme import G
from workflows.wire.codec import read
from workflows.wire.reports.plan import PassOption, PlanReport, PrecisionOption


class OptimizePage(StepPage):
    """A switch and a line of text for each pass. The defaults need no change."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Optimize"),
            self.tr(
                "Optimization passes over the graphs, in this order. The defaults fit the target; you can skip "
                "this page."
            ),
        )
        self.switches: dict[str, QCheckBox] = {}
        self._card = CardFrame()
        self.body.addWidget(self._card)
        self._empty = EmptyState(self.tr("No passes for this model"), self.tr("The exported graphs are not changed."))
        self.body.addWidget(self._empty)
        self.body.addStretch(1)
        self.draft.planned.connect(self._follow)

    def _follow(self) -> None:
        """Follow recipe changes made elsewhere, for example in its text; changes made here are already on their way."""
        plan = self.draft.plan
        if plan is None or self.draft.planning:
            return
        for name, switch in self.switches.items():
            with QSignalBlocker(switch):
                switch.setChecked(plan.chosen.passes.get(name, switch.isChecked()))

    def initializePage(self) -> None:
        clear_layout(self._card.body)
        self.switches = {}
        plan = self.draft.plan
        offers = plan.passes if plan else []
        for offer in offers:
            switch = self._switch(offer, plan.chosen.passes.get(offer.name, offer.default) if plan else offer.default)
            self.switches[offer.name] = switch
            self._card.body.addWidget(switch)
        self._card.setVisible(bool(offers))
        self._empty.setVisible(not offers)

    def _switch(self, offer: PassOption, on: bool) -> QCheckBox:
        switch = QCheckBox(f"{offer.title}  ({offer.name})")  # the name that stages and refusals use
        switch.setChecked(on)
        switch.toggled.connect(lambda _on: self._on_switch())
        return switch

    def _on_switch(self) -> None:
        self.draft.set_option("passes", {name: switch.isChecked() for name, switch in self.switches.items()})


class PrecisionCard(ChoiceCard):
    """A precision: its title, what the chosen target makes of it, and the size of its weights."""

    def __init__(self, offer: PrecisionOption) -> None:
        super().__init__(offer.title, offer.note)
        self.runs, self.weights = label("", "muted", wrap=True), label("", "muted")
        self.runs.setContentsMargins(3 * G, 0, 0, 0)
        facts = hbox(PillLabel(offer.name), self.weights, STRETCH, margins=(3 * G, 0, 0, 0))
        self.body.insertWidget(self.body.count() - 1, self.runs)
        self.body.insertLayout(self.body.count() - 1, facts)

    def show_offer(self, offer: PrecisionOption, target: str) -> None:
        """Show how `target` runs the precision, and the size in bytes with the current settings."""
        reason = self.tr("Not for {0}: {1}.").format(target, offer.refused)
        self.allow(not offer.refused, reason if offer.refused else "")
        self.runs.setText(offer.trap or offer.runs)
        set_role(self.runs, "warning" if offer.trap else "muted")
        self.runs.setHidden(bool(offer.refused))
        self.weights.setText(self.tr("about {0} of weights").format(format_bytes(offer.bytes)))


class QuantizePage(StepPage):
    """One card per method, one of them selected."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Quantize"),
            self.tr("How the weights are stored. Fewer bits make the bundle smaller and its answers less accurate."),
        )
        self.cards: dict[str, PrecisionCard] = {}
        self._grid = grid_layout(2 * G, 2 * G, stretch=(0, 1))
        self.body.addLayout(self._grid)
        self.goal = GoalCard()
        self.goal.radio.toggled.connect(self._on_goal)
        self.goal.changed.connect(self._on_goal)
        self.body.addWidget(self.goal)
        self.blocks = BlockOptions(self.draft)
        self.calibration = CalibrationBox(self.draft)
        self.error = label("", "error", wrap=True)
        for part in (self.blocks, self.calibration, self.error):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self.draft.planned.connect(self._on_planned)

    def isComplete(self) -> bool:
        """Whether the plan has the choices of this page, and a chosen goal has its task file."""
        return self.draft.plan_error is None and (not self.goal.radio.isChecked() or self.goal.goal is not None)

    def _on_planned(self) -> None:
        error = self.draft.plan_error
        self.error.setText(error.message if error else "")
        self.error.setVisible(error is not None)
        plan = self.draft.plan
        if error is None and plan is not None:
            self._follow(plan.chosen.precision)
            self._show_settings(plan.chosen.precision)
            self._show_offers(plan)
        self.completeChanged.emit()

    def _show_offers(self, plan: PlanReport) -> None:
        target = next((one.title for one in plan.targets if one.name == plan.chosen.target), plan.chosen.target)
        for offer in plan.precisions:
            if offer.name in self.cards:
                self.cards[offer.name].show_offer(offer, target)

    def _follow(self, precision: str) -> None:
        """Select the card of a precision chosen elsewhere; one chosen here is already on its way to the plan."""
        lacks_task = self.goal.radio.isChecked() and self.goal.goal is None  # an incomplete goal
        if self.draft.goal is None and not lacks_task and not self.draft.planning and precision in self.cards:
            self.cards[precision].mark()

    def initializePage(self) -> None:
        clear_layout(self._grid)
        self.cards = {}
        plan = self.draft.plan
        chosen = plan.chosen.precision if plan else ""
        for index, offer in enumerate(plan.precisions if plan else []):
            self.cards[offer.name] = PrecisionCard(offer)
            self._grid.addWidget(self.cards[offer.name], index // 2, index % 2)
        if plan is not None:
            self._show_offers(plan)
        self._group = button_group(self, [*self.cards.values(), self.goal])
        self.goal.setVisible(bool(self.cards) and self._generates)
        self.goal.show_goal(self.draft.goal)
        if self.draft.goal is not None:
            self.goal.radio.setChecked(True)
        elif chosen in self.cards:
            self.cards[chosen].radio.setChecked(True)
        for name, card in self.cards.items():
            card.radio.toggled.connect(lambda on, name=name: self._on_method(name) if on else None)
        self._show_settings(chosen)
        self._on_planned()

    @property
    def _generates(self) -> bool:
        """Whether the model generates text: a goal is measured on what it generates."""
        plan = self.draft.plan
        return plan is not None and any(offer.available for offer in plan.layouts)

    def _on_goal(self) -> None:
        if not self.goal.radio.isChecked():
            self.draft.set_goal(None)
        else:
            self.draft.set_goal(self.goal.goal)
            self._show_settings("fp32")
        self.completeChanged.emit()

    def _on_method(self, name: str) -> None:
        if name != "int4" and self._rounding() == COMPENSATED:
            self.draft.set_quantize(rounding="search")
        self.draft.set_option("precision", name)
        self._show_settings(name)

    def _show_settings(self, name: str) -> None:
        """Show the settings of the precision called `name`."""
        plan = self.draft.plan
        offer = next((one for one in (plan.precisions if plan else []) if one.name == name), None)
        rounds = name == "int4"
        learns = rounds and self._rounding() == COMPENSATED
        self.blocks.show_plan(plan, offer is not None and offer.blocks, rounds)
        self.calibration.show_plan(plan, learns or (offer is not None and offer.calibrated), ranges=not learns)

    def _rounding(self) -> object:
        plan = self.draft.plan
        return read(dict[str, object], plan.recipe.get("quantize", {})).get("rounding") if plan else None
