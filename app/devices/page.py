"""Devices: a card for each, with what it can do, or why it cannot and how to make it so."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.state.context import AppContext
from app.widgets.actions import action
from app.widgets.basics import Banner, Card, EmptyState, Pill, button, label, scrolled
from app.widgets.format import size
from app.widgets.theme import G, set_icon
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.devices import Device, DevicesReport
from workflows.wire.requests import ListDevices

_ICONS = {"CPU": "devices", "GPU": "memory", "NPU": "component"}


class DeviceCard(Card):
    """One device."""

    def __init__(self, device: Device, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setAccessibleName(device.title)
        head = QHBoxLayout()
        head.setSpacing(G)
        picture = label()
        set_icon(picture, _ICONS[device.kind], "text" if device.usable else "muted", 24)
        head.addWidget(picture)
        head.addWidget(label(device.title, "heading", wrap=True), 1)
        usable = device.usable
        head.addWidget(Pill(self.tr("usable") if usable else self.tr("not usable"), "ok" if usable else "warning"))
        self.body.addLayout(head)
        self.body.addLayout(self._facts(device))
        if not usable:
            self.body.addWidget(label(device.reason, "small", wrap=True))
        if device.remedy:
            self.body.addWidget(label(device.remedy, "muted", wrap=True))
        self.body.addStretch(1)

    def _facts(self, device: Device) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * G)
        grid.setVerticalSpacing(G // 2)
        memory = device.memory_bytes
        facts = (
            (self.tr("Provider"), device.provider),
            (self.tr("Kind"), device.kind),
            (self.tr("Vendor"), device.vendor or self.tr("not reported")),
            (self.tr("Memory"), size(memory) if memory else self.tr("not reported")),
        )
        for row, (name, value) in enumerate(facts):
            grid.addWidget(label(name, "muted"), row, 0)
            grid.addWidget(label(value, "small", wrap=True), row, 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, 9 * G)
        return grid


class DevicesPage(QWidget):
    """Asks for the devices when it is first shown, and again on request."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.title = self.tr("Devices")
        self._context = context
        self._asked = False
        self.cards: list[DeviceCard] = []
        self.banner = Banner()
        self.state = EmptyState(self.tr("Looking for devices"), icon="devices")
        self.again = button(self.tr("Look again"), "refresh", clicked=self.refresh)
        content = QWidget()
        box = QVBoxLayout(content)
        box.setContentsMargins(3 * G, 3 * G, 3 * G, 3 * G)
        box.setSpacing(2 * G)
        head = QHBoxLayout()
        head.addWidget(label(self.title, "title"))
        head.addStretch(1)
        head.addWidget(self.again)
        box.addLayout(head)
        box.addWidget(label(self.tr("What this machine can run a bundle on."), "body-muted", wrap=True))
        box.addWidget(self.banner)
        box.addWidget(self.state)
        self._grid = QGridLayout()
        self._grid.setSpacing(2 * G)
        box.addLayout(self._grid)
        box.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))
        action(self, self.tr("Look for devices again"), self.refresh, icon="refresh")

    def showEvent(self, event: QShowEvent) -> None:
        """The first time, ask."""
        super().showEvent(event)
        if not self._asked:
            self.refresh()

    def refresh(self) -> None:
        """Ask the engine what there is."""
        self._asked = True
        self.again.setEnabled(False)
        self.banner.clear()
        self.state.set(self.tr("Looking for devices"), self.tr("Each execution provider is asked what it can use."))
        self.state.setVisible(not self.cards)
        job = self._context.probe_worker.request(ListDevices())
        job.on_answer(self._on_answer)
        job.on_error(self._on_error)

    def _on_answer(self, found: DevicesReport) -> None:
        self.again.setEnabled(True)
        self._show_devices(found.devices)

    def _on_error(self, error: ErrorEvent) -> None:
        self.again.setEnabled(True)
        self.state.hide()
        self.banner.error(error.message, error.details, self.tr("Look again"), self.refresh)

    def _show_devices(self, devices: list[Device]) -> None:
        for old in self.cards:
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.cards = [DeviceCard(device) for device in devices]
        for index, card in enumerate(self.cards):
            self._grid.addWidget(card, index // 2, index % 2)
        for column in (0, 1):
            self._grid.setColumnStretch(column, 1)
        self.state.set(
            self.tr("No device was reported"), self.tr("The engine named no execution provider on this machine.")
        )
        self.state.setVisible(not self.cards)
