"""Done page: the bundle, its figures as expected and as they are, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from app.builder.goal_card import TrialsChart, goal_result, read_goal_report
from app.builder.quantize_options import calibration_text
from app.builder.step_page import StepPage
from app.state.context import AppContext
from app.text.formatting import approximate_duration, format_bytes, format_duration
from app.text.quantizing_cost import cost_advice, cost_summary
from app.widgets.basics import CardFrame, button, label
from app.widgets.layouts import STRETCH, FlowLayout, hbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G, set_icon
from workflows.wire.events import BuildDone
from workflows.wire.reports.cost import QuantizationCost


class DonePage(StepPage):
    """The bundle with its figures, and what to do with it; or to build another precision or target of the source."""

    againRequested = Signal(object)  # noqa: N815 - the options that are different

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context, self.tr("Done"), self.tr("The bundle is complete: every file was written and verified.")
        )
        self.setFinalPage(True)
        card = CardFrame()
        tick = label()
        set_icon(tick, "ok", "ok", 24)
        self.name = label("", "heading")
        card.body.addLayout(hbox(tick, (self.name, 1)))
        self.path = label("", "muted", wrap=True)
        card.body.addWidget(self.path)
        headings = [self.tr("This build"), self.tr("Expected"), self.tr("Real")]
        self.figures = ReadOnlyTable(TextTableModel(headings, numbers=(1, 2)), self.tr("Expected and real figures"))
        self.figures.show_all_rows()
        self.figures.setMaximumWidth(60 * G)
        card.body.addSpacing(G)
        card.body.addWidget(self.figures)
        self.calibration = label("", "muted", wrap=True)
        card.body.addWidget(self.calibration)
        self.cost = label("", "muted", wrap=True)
        self.advice = label("", "warning", wrap=True)
        self.better = button("", "refresh", clicked=self._build_better)
        card.body.addWidget(self.cost)
        card.body.addWidget(self.advice)
        card.body.addLayout(hbox(self.better, STRETCH))
        self.body.addWidget(card)
        self.goal = label("", "heading", wrap=True)
        self.body.addWidget(self.goal)
        self.tried = TrialsChart()
        self.chosen = label("", "muted", wrap=True)
        self.body.addWidget(self.tried)
        self.body.addWidget(self.chosen)
        self.chat = button(self.tr("Chat with it"), "chat", "primary", self._chat)
        self.inspect = button(self.tr("Inspect the graphs"), "inspect", clicked=lambda: self._go("inspect"))
        self.measure = button(self.tr("Measure"), "measure", clicked=lambda: self._go("measure"))
        self.accuracy = button(self.tr("Check accuracy"), "ok", clicked=self._check)
        self.again = button(self.tr("Build again as …"), "refresh")
        self.again.setMenu(QMenu(self.again))
        actions = FlowLayout()  # a second line where a language needs it
        actions.setSpacing(G)
        for one in (self.chat, self.inspect, self.measure, self.accuracy, self.again):
            actions.addWidget(one)
        self.body.addLayout(actions)
        self.body.addStretch(1)

    def initializePage(self) -> None:
        """Show the outcome."""
        outcome = self.build.outcome
        if outcome is None:
            return
        self.name.setText(outcome.bundle.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])
        components = self.tr("Components: {0}").format(", ".join(outcome.components))
        self.path.setText(f"{outcome.bundle}\n{components}")
        self.tried.show_report(read_goal_report(Path(outcome.bundle)))
        report = self.tried.report
        self.goal.setText(goal_result(report) if report else "")
        self.goal.setVisible(report is not None)
        self.chosen.setText(self.tried.accessibleName() if report else "")
        self.chosen.setVisible(bool(self.chosen.text()))
        self.figures.rows.fill(self._rows(outcome))
        self._show_calibration()
        self._show_cost(outcome.cost)
        self._fill_menu()

    def _show_calibration(self) -> None:
        chosen = self.build.plan.chosen if self.build.plan else None
        text = calibration_text(chosen.calibration_origin, chosen.calibration_prompts) if chosen else ""
        self.calibration.setText(self.tr("Calibrated with {0}.").format(text))
        self.calibration.setVisible(bool(text))

    def _show_cost(self, cost: QuantizationCost | None) -> None:
        """What quantizing cost, and what keeps more."""
        self.cost.setText(cost_summary(cost) if cost else "")
        self.cost.setVisible(cost is not None)
        self.advice.setText(cost_advice(cost) if cost else "")
        self.advice.setVisible(bool(self.advice.text()))
        _, better = cost.better_option if cost and self.build.plan is not None else ("", "")
        self.better.setText(self.tr("Build again as {0}").format(better))
        self.better.setVisible(bool(better))

    def _build_better(self) -> None:
        outcome = self.build.outcome
        if outcome is not None and outcome.cost is not None:
            name, value = outcome.cost.better_option
            self.againRequested.emit({name: value})

    def _rows(self, outcome: BuildDone) -> list[tuple[str, ...]]:
        """Time, memory and size as the plan expected them, and as they are."""
        price = self.build.plan.estimate if self.build.plan else None
        peak = max((row.peak_mib for row in self.build.rows), default=0.0)
        none = "–"
        return [
            (
                self.tr("Time"),
                approximate_duration(self.build.expected) if self.build.expected else none,
                format_duration(self.build.elapsed),
            ),
            (
                self.tr("Peak memory"),
                format_bytes(price.memory_bytes) if price else none,
                format_bytes(peak * 2**20) if peak else none,
            ),
            (
                self.tr("Size"),
                format_bytes(price.disk_bytes) if price and not self.tried.report else none,  # of fp32, before a search
                format_bytes(outcome.bytes),
            ),
        ]

    def _fill_menu(self) -> None:
        """Offer each other precision and target of the plan."""
        plan, menu = self.build.plan, self.again.menu()
        menu.clear()
        self.again.setVisible(plan is not None)
        if plan is None:
            return
        offers = [(one.name, {"precision": one.name}) for one in plan.precisions if not one.refused]
        offers += [(self.tr("for {0}").format(one.title), {"target": one.name}) for one in plan.targets]
        current = {"precision": plan.chosen.precision, "target": plan.chosen.target}
        for text, change in offers:
            if not change.items() <= current.items():
                menu.addAction(text).triggered.connect(partial(self._on_again, change))

    def _on_again(self, change: Mapping[str, object], _checked: bool = False) -> None:
        self.againRequested.emit(change)

    def _check(self) -> None:
        request, outcome = self.build.request, self.build.outcome
        if request is not None and outcome is not None and self.context.open_bundle(outcome.bundle):
            self.context.accuracyRequested.emit(outcome.bundle, request.source, list(request.consented))

    def _chat(self) -> None:
        if self.build.outcome is not None:
            self.context.chat_with(self.build.outcome.bundle)

    def _go(self, page: str) -> None:
        outcome = self.build.outcome
        if outcome is not None and self.context.open_bundle(outcome.bundle):
            self.context.navigate.emit(page)
