"""The Devices page: a card for each device with its facts, or what is missing and how to install it."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.devices.bundle_table import BundleTable
from app.devices.device_card import DeviceCard
from app.devices.plugin_installer import PluginInstaller, PluginWatcher
from app.state.context import AppContext
from app.text.formatting import format_bytes
from app.widgets.actions import add_action
from app.widgets.basics import Banner, EmptyState, button, label, scroll_area
from app.widgets.theme import G
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.compiled import CompileReport
from workflows.wire.reports.devices import Device, DevicesReport
from workflows.wire.requests import ListDevices


class DevicesPage(QWidget):
    """Requests the devices when the page is first shown, and again on request."""

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
        self.table = BundleTable(context)
        box.addWidget(self.table)
        box.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll_area(content))
        add_action(self, self.tr("Look for devices again"), self.refresh, icon="refresh")
        self.plugins = PluginInstaller(context, lambda: {card.device.name: card.device for card in self.cards}, self)
        self.plugins.failed.connect(lambda error: self.banner.error(error.message, error.details))
        self.watch = PluginWatcher(self)
        self.watch.changed.connect(self._look_again)
        context.plugins.changed.connect(self._refresh_cards)
        context.plugins.done.connect(lambda _, report: self._on_answer(report))
        context.compiler.changed.connect(self._refresh_cards)
        context.compiler.done.connect(lambda _, made: self._on_compiled(made))
        for work in (context.plugins, context.compiler):
            work.failed.connect(lambda _, error: self.banner.error(error.message, error.details))
        context.preflights.changed.connect(self._refresh_all)
        context.bundleChanged.connect(self._refresh_all)

    def showEvent(self, event: QShowEvent) -> None:
        """Request the devices the first time (Qt's name)."""
        super().showEvent(event)
        if not self._asked:
            self.refresh()

    def _look_again(self) -> None:
        """Update after plugins changed outside of this window; installations from here report their end themselves."""
        if self._asked and not self._context.plugins.device:
            self.refresh()

    def refresh(self) -> None:
        """Request the devices from the engine."""
        self._asked = True
        self.again.setEnabled(False)
        self.banner.clear()
        self.state.set(self.tr("Looking for devices"), self.tr("Each execution provider is asked what it can use."))
        self.state.setVisible(not self.cards)
        job = self._context.probe_worker.request(ListDevices())
        job.on_answer(self._on_answer)
        job.on_error(self._on_error)

    def _on_answer(self, report: DevicesReport) -> None:
        self.again.setEnabled(True)
        self._show_devices(report.devices)

    def _on_compiled(self, made: CompileReport) -> None:
        """From now on, sessions use the compiled form; the choice of providers shows it."""
        parts = self.tr("The graphs are compiled: {0}, {1}.").format(made.folder, format_bytes(made.bytes))
        self.banner.show_message("ok", f"{parts} {made.note}".strip())

    def _on_error(self, error: ErrorEvent) -> None:
        self.again.setEnabled(True)
        self.state.hide()
        self.banner.error(error.message, error.details, self.tr("Look again"), self.refresh)

    def _refresh_cards(self) -> None:
        for card in self.cards:
            card.refresh()

    def _refresh_all(self, *_: object) -> None:
        self._refresh_cards()
        self.table.refresh()

    def _show_devices(self, devices: list[Device]) -> None:
        for old in self.cards:
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.cards = [DeviceCard(device, self._context) for device in devices]
        self.plugins.listed.emit()
        for index, card in enumerate(self.cards):
            card.installRequested.connect(partial(self.plugins.request, card.device, removes=False))
            card.removalRequested.connect(partial(self.plugins.request, card.device, removes=True))
            self._grid.addWidget(card, index // 2, index % 2)
        for column in (0, 1):
            self._grid.setColumnStretch(column, 1)
        self.table.show_devices(devices)
        self.state.set(
            self.tr("No device was reported"), self.tr("The engine named no execution provider on this machine.")
        )
        self.state.setVisible(not self.cards)
