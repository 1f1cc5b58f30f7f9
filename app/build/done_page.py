"""Done page: the finished bundle and the next actions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout

from app.build.goal_card import TrialsChart, read_goal_report
from app.build.step_page import StepPage
from app.state.context import AppContext
from app.text.formatting import format_bytes, format_duration, format_number, split_unit
from app.widgets.basics import CardFrame, Stat, button, label
from app.widgets.theme import G, set_icon


class DonePage(StepPage):
    """Four actions: chat, inspect, measure, compare with the checkpoint."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, self.tr("Done"), self.tr("The bundle is whole: every file was written and checked."))
        self.setFinalPage(True)
        card = CardFrame()
        head = QHBoxLayout()
        head.setSpacing(G)
        tick = label()
        set_icon(tick, "ok", "ok", 24)
        head.addWidget(tick)
        self.name = label("", "heading")
        head.addWidget(self.name, 1)
        card.body.addLayout(head)
        self.path = label("", "muted", wrap=True)
        card.body.addWidget(self.path)
        stats = QHBoxLayout()
        stats.setSpacing(4 * G)
        self.stats = {
            "seconds": Stat(self.tr("Build time")),
            "bytes": Stat(self.tr("Size")),
            "components": Stat(self.tr("Components")),
        }
        for stat in self.stats.values():
            stats.addWidget(stat)
        stats.addStretch(1)
        card.body.addSpacing(G)
        card.body.addLayout(stats)
        self.body.addWidget(card)
        self.tried = TrialsChart()
        self.chosen = label("", "muted", wrap=True)
        self.body.addWidget(self.tried)
        self.body.addWidget(self.chosen)
        row = QHBoxLayout()
        row.setSpacing(G)
        self.chat = button(self.tr("Chat with it"), "chat", "primary", lambda: self._go("chat"))
        self.inspect = button(self.tr("Inspect the graphs"), "inspect", clicked=lambda: self._go("inspect"))
        self.measure = button(self.tr("Measure"), "measure", clicked=lambda: self._go("measure"))
        self.accuracy = button(self.tr("Check accuracy"), "ok", clicked=self._check)
        for part in (self.chat, self.inspect, self.measure, self.accuracy):
            row.addWidget(part)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addStretch(1)

    def initializePage(self) -> None:
        """Show the outcome and make the bundle the current one."""
        outcome = self.build.outcome
        if outcome is None:
            return
        self.name.setText(outcome.bundle.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])
        self.path.setText(outcome.bundle)
        self.tried.show_report(read_goal_report(Path(outcome.bundle)))
        self.chosen.setText(self.tried.accessibleName() if self.tried.report else "")
        self.chosen.setVisible(bool(self.chosen.text()))
        self.stats["seconds"].set(*split_unit(format_duration(outcome.seconds)))
        self.stats["bytes"].set(*split_unit(format_bytes(outcome.bytes)))
        self.stats["components"].set(format_number(len(outcome.components)), ", ".join(outcome.components))

    def _check(self) -> None:
        """Compare the bundle with its checkpoint."""
        request, outcome = self.build.request, self.build.outcome
        if request is not None and outcome is not None and self.context.open_bundle(outcome.bundle):
            self.context.accuracyRequested.emit(outcome.bundle, request.source, list(request.consented))

    def _go(self, page: str) -> None:
        outcome = self.build.outcome
        if outcome is not None and self.context.open_bundle(outcome.bundle):
            self.context.navigate.emit(page)
