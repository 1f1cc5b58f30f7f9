"""The card of the first start: what this machine can do, in three lines, and the way to the guided tour."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent

from app.state.context import AppContext
from app.text.capabilities import largest_fits, machine_facts
from app.text.engine_text import translate_engine_text
from app.widgets.actions import tool_button
from app.widgets.basics import CardFrame, button, label
from app.widgets.layouts import STRETCH, hbox
from app.widgets.theme import G

LATER_MS = 1500
"""From the first picture of the card to the request: the window imports and builds its pages before."""
SETTING, HIDDEN = "welcome", "hidden"


class WelcomeCard(CardFrame):
    """Shown until it is hidden; a person who has bundles already does not see it."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        title = self.tr("Welcome: what this machine can do")
        self.setAccessibleName(title)
        self.close_button = tool_button("close", self.tr("Hide this card"), "muted", self._hide)
        self.facts = label(self.tr("Looking at processor, memory and devices …"), "body-muted", wrap=True)
        self.fits, self.devices = label("", wrap=True), label("", "muted", wrap=True)
        self.tour = button(self.tr("Take the tour"), "play", clicked=context.tourRequested.emit)
        self.models = button(self.tr("Models that fit"), "memory")
        self.models.clicked.connect(lambda: context.helpRequested.emit("machine"))
        note = label(self.tr("Both are under Help, too."), "muted", wrap=True)
        self.body.addLayout(hbox(label(title, "heading"), STRETCH, self.close_button))
        for part in (self.facts, self.fits, self.devices):
            self.body.addWidget(part)
        self.body.addLayout(hbox(self.tour, self.models, (note, 1), spacing=G))
        self._timer = QTimer(self, singleShot=True, interval=LATER_MS)
        self._timer.timeout.connect(self._request)
        context.capabilities.changed.connect(self._follow)
        self._follow()
        if context.settings.text(SETTING) == HIDDEN or context.recents.entries:
            self.hide()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name."""
        super().showEvent(event)
        if self._context.capabilities.report is None:
            self._timer.start()

    def _request(self) -> None:
        if self.isVisible() and self._context.capabilities.report is None:
            self._context.describe_machine()

    def _hide(self) -> None:
        self._context.settings.set(SETTING, HIDDEN)
        self.hide()

    def _follow(self) -> None:
        report, error = self._context.capabilities.report, self._context.capabilities.error
        if error is not None:
            self.facts.setText(translate_engine_text(error.message))
        elif report is not None:
            self.facts.setText(machine_facts(report))
            fits = largest_fits(report)
            largest = self.tr("Of the well-known models, the largest that fit: {0}.").format(fits)
            self.fits.setText(largest if fits else self.tr("None of the well-known models fits the free memory."))
            usable = ", ".join(one.title for one in report.devices if one.usable)
            missing = ", ".join(one.title for one in report.devices if not one.usable)
            able = self.tr("Runs on: {0}.").format(usable)
            self.devices.setText(f"{able} {self.tr('Not available: {0}.').format(missing)}" if missing else able)
        for part in (self.fits, self.devices):
            part.setVisible(report is not None)
