"""Optimize and Quantize pages: the passes and precisions that the engine offers."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QWidget

from app.builder.goal_card import GoalOptions
from app.builder.precision_table import GOAL, PrecisionTable
from app.builder.preset_cards import PresetCards
from app.builder.quantize_options import COMPENSATED, BlockOptions, CalibrationBox
from app.builder.step_page import StepPage
from app.builder.tuning_box import TuningBox
from app.jobs.one_shot_worker import ReportModel
from app.state.context import AppContext
from app.state.unsaved_recipe import choose_preset
from app.widgets.basics import CardFrame, EmptyState, label
from app.widgets.layouts import STRETCH, clear_layout, hbox, vbox
from app.widgets.theme import G
from workflows.wire.codec import read
from workflows.wire.reports.plan import PassOption


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


WIDE = 132 * G
"""The width from which the options stand beside the table."""


class QuantizePage(StepPage):
    """A table of the precisions, and the options of the chosen row beside it, or beneath it in a small window."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Quantize"),
            self.tr("How the weights are stored. Fewer bits make the bundle smaller and its answers less accurate."),
        )
        self.presets = PresetCards()
        self.presets.chosen.connect(self._on_preset)
        self.body.addWidget(self.presets)
        self.table = PrecisionTable()
        self.table.chosen.connect(self._on_row)
        self.goal = GoalOptions()
        self.goal.changed.connect(self._on_goal)
        self.blocks = BlockOptions(self.draft)
        self.tuning = TuningBox(ReportModel(context.new_worker, self), self.draft)
        self.calibration = CalibrationBox(self.draft)
        self.method, self.description = label("", "heading"), label("", "muted", wrap=True)
        self.error = label("", "error", wrap=True)
        parts = (self.method, self.description, self.goal, self.blocks, self.tuning, self.calibration, self.error)
        self.options = QWidget()
        vbox(*parts, STRETCH, parent=self.options)
        self._columns = hbox((self.table, 2, Qt.AlignmentFlag.AlignTop), (self.options, 1), spacing=3 * G)
        self.body.addLayout(self._columns)
        self.body.addStretch(1)
        self.draft.planned.connect(self._on_planned)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        direction = QBoxLayout.Direction.LeftToRight if self.width() >= WIDE else QBoxLayout.Direction.TopToBottom
        self._columns.setDirection(direction)

    @property
    def _searches(self) -> bool:
        """Whether the row of the search is chosen."""
        return self.table.current == GOAL

    def isComplete(self) -> bool:
        """Whether the plan has the choices of this page, and a chosen goal has its task file."""
        return self.draft.plan_error is None and (not self._searches or self.goal.goal is not None)

    def initializePage(self) -> None:
        self.goal.show_goal(self.draft.goal)
        self._on_planned()
        plan = self.draft.plan
        self.table.mark(GOAL if self.draft.goal is not None else plan.chosen.precision if plan else "")
        self._show_options()

    def _on_planned(self) -> None:
        error, plan = self.draft.plan_error, self.draft.plan
        self.error.setText(error.message if error else "")
        self.error.setVisible(error is not None)
        if error is None and plan is not None:
            # a model that generates text: a goal is measured on what it generates
            self.presets.show_plan(plan, searches=self.draft.goal is not None)
            self.table.show_plan(plan, any(offer.available for offer in plan.layouts))
            self._follow(plan.chosen.precision)
            self._show_options()
        self.completeChanged.emit()

    def _follow(self, precision: str) -> None:
        """Select the row of a precision chosen elsewhere; one chosen here is already on its way to the plan."""
        lacks_task = self._searches and self.goal.goal is None  # an incomplete goal
        if self.draft.goal is None and not lacks_task and not self.draft.planning:
            self.table.mark(precision)

    def _on_row(self, name: str) -> None:
        if name != "int4":  # the only precision that goes with it, and its switch is hidden
            self.draft.options.pop("fast_prefill", None)
        if name == GOAL:
            self._on_goal()
            return
        self.draft.set_goal(None)
        if name != "int4" and self._rounding() == COMPENSATED:
            self.draft.set_quantize(rounding="search")
        self.draft.set_option("precision", name)
        self._show_options()
        self.completeChanged.emit()

    def _on_preset(self, name: str) -> None:
        self.draft.set_goal(None)
        plan = self.draft.plan
        self.table.mark(next((one.precision for one in (plan.presets if plan else []) if one.name == name), ""))
        choose_preset(self.draft, name)

    def _on_goal(self) -> None:
        if self._searches:
            self.draft.set_goal(self.goal.goal)
            self._show_options()
            self.completeChanged.emit()

    def _show_options(self) -> None:
        """Show the description and the options of the chosen row."""
        plan, name = self.draft.plan, self.table.current
        option = next((one for one in (plan.precisions if plan else []) if one.name == name), None)
        self.goal.setVisible(self._searches)
        if option is not None:
            self.method.setText(option.title)
            self.description.setText("\n".join(filter(None, (option.note, option.runs))))
        elif self._searches:
            self.method.setText(self.tr("Smallest that reaches a quality goal"))
            text = self.tr(
                "The build tries many mixes of precisions, layer by layer, and uses the smallest one that fits."
            )
            self.description.setText(text)
        rounds = name == "int4"
        learns = rounds and self._rounding() == COMPENSATED
        self.blocks.show_plan(plan, option is not None and option.blocks, rounds)
        self.tuning.setVisible(rounds and not learns and plan is not None and plan.recipe.get("target") == "cpu")
        ranges = option is not None and option.calibrated
        scales = plan is not None and plan.recipe.get("kv_dtype") == "int8"  # of the cache
        self.calibration.show_plan(plan, learns or ranges or scales, ranges=ranges and not learns)

    def _rounding(self) -> object:
        plan = self.draft.plan
        return read(dict[str, object], plan.recipe.get("quantize", {})).get("rounding") if plan else None
