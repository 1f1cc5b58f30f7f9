"""Optimize and quantize: what the engine offers, with what comes later said as such."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.state.context import AppContext
from app.widgets.basics import Card, EmptyState, Pill, label
from app.widgets.format import size
from app.widgets.theme import G
from app.wizard.base import ChoiceCard, StepPage, grouped
from app.wizard.calibration import CalibrationBox


def stage_choices(plan: dict[str, Any], stage: str) -> list[dict[str, Any]]:
    """What `stage` offers in a plan."""
    return next((s["choices"] for s in plan.get("stages", []) if s["name"] == stage), [])


class OptimizePage(StepPage):
    """Passes, each with a switch and a line. Nothing here has to be touched."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Optimize"),
            self.tr("Passes over the graphs, in this order. The defaults suit the target; this page can be skipped."),
        )
        self.switches: dict[str, QCheckBox] = {}
        self._card = Card()
        self._rows: list[QWidget] = []
        self.body.addWidget(self._card)
        self._empty = EmptyState(self.tr("No passes for this model"), self.tr("The graphs stay as they are exported."))
        self.body.addWidget(self._empty)
        self.body.addStretch(1)

    def initializePage(self) -> None:
        """A row a pass."""
        for old in self._rows:
            self._card.body.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._rows, self.switches = [], {}
        choices = stage_choices(self.draft.plan, "optimize")
        chosen = self.draft.plan.get("recipe", {}).get("passes", {})
        for choice in choices:
            row = self._row(choice, bool(chosen.get(choice["name"], choice["default"])))
            self._rows.append(row)
            self._card.body.addWidget(row)
        self._card.setVisible(bool(choices))
        self._empty.setVisible(not choices)

    def _row(self, choice: dict[str, Any], on: bool) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, G // 2, 0, G // 2)
        box.setSpacing(2 * G)
        switch = QCheckBox(choice["title"])
        switch.setAccessibleDescription(choice["note"])
        switch.setChecked(on and choice["available"])
        switch.setEnabled(choice["available"])
        switch.toggled.connect(lambda _on: self._on_switch())
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(switch)
        if choice["note"] and choice["available"]:
            words.addWidget(_indented(choice["note"]))
        box.addLayout(words, 1)
        if not choice["available"]:
            box.addWidget(Pill(self.tr("arrives with a later version")))
        if choice["available"]:
            self.switches[choice["name"]] = switch
        return row

    def _on_switch(self) -> None:
        self.draft.set_option("passes", {name: switch.isChecked() for name, switch in self.switches.items()})


def _indented(text: str, role: str = "muted") -> QWidget:
    result = label(text, role, wrap=True)
    result.setContentsMargins(3 * G, 0, 0, 0)
    return result


class QuantizePage(StepPage):
    """Methods as cards, one of them chosen."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Quantize"),
            self.tr("How the weights are stored. Fewer bits make a bundle smaller, and its answers less exact."),
        )
        self.cards: dict[str, ChoiceCard] = {}
        self._grid = QGridLayout()
        self._grid.setSpacing(2 * G)
        for column in (0, 1):
            self._grid.setColumnStretch(column, 1)
        self.body.addLayout(self._grid)
        self.calibration = CalibrationBox(self.draft)
        self.body.addWidget(self.calibration)
        self.body.addStretch(1)

    def initializePage(self) -> None:
        """A card a method."""
        for old in self.cards.values():
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.cards = {}
        chosen = self.draft.plan.get("recipe", {}).get("precision", "")
        for index, choice in enumerate(stage_choices(self.draft.plan, "quantize")):
            card = self._card(choice)
            self.cards[choice["name"]] = card
            self._grid.addWidget(card, index // 2, index % 2)
        self._group = grouped(self, list(self.cards.values()))
        if chosen in self.cards:
            self.cards[chosen].radio.setChecked(True)
        for name, card in self.cards.items():
            card.radio.toggled.connect(lambda on, name=name: self._on_method(name) if on else None)
        self._show_calibration(chosen)

    def _on_method(self, name: str) -> None:
        self.draft.set_option("precision", name)
        self._show_calibration(name)

    def _show_calibration(self, name: str) -> None:
        choices = stage_choices(self.draft.plan, "quantize")
        calibrated = any(choice["name"] == name and choice["calibrated"] for choice in choices)
        self.calibration.show_plan(self.draft.plan.get("recipe", {}), calibrated)

    def _card(self, choice: dict[str, Any]) -> ChoiceCard:
        card = ChoiceCard(choice["title"], choice["note"], choice["available"])
        if choice["trap"]:
            card.body.insertWidget(card.body.count() - 1, _indented(choice["trap"], "warning"))
        else:
            card.body.insertWidget(card.body.count() - 1, _indented(choice["providers"]))
        facts = QHBoxLayout()
        facts.setContentsMargins(3 * G, 0, 0, 0)
        facts.setSpacing(G)
        facts.addWidget(Pill(choice["name"]))
        if choice["available"]:
            facts.addWidget(label(self.tr("about %1 of weights").replace("%1", size(choice["bytes"])), "muted"))
        facts.addStretch(1)
        card.body.insertLayout(card.body.count() - 1, facts)
        return card
