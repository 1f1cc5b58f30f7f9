"""The Devices page: a card for each device with its facts, or what is missing and how to install it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from app.devices.device_card import DeviceCard
from app.devices.machines_dialog import MachinesDialog
from app.devices.plugin_installer import PluginInstaller, PluginWatcher
from app.state.context import AppContext
from app.text.formatting import format_bytes, format_local_time
from app.text.memory import memory_text
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.basics import Banner, EmptyState, Section, button, label, scroll_area
from app.widgets.layouts import STRETCH, clear_layout, grid_layout, hbox, vbox
from app.widgets.machine_choice import MachineChoice
from app.widgets.preflight_view import difference_text, largest_difference, node_share
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.compiled import CompileReport
from workflows.wire.reports.devices import Device, DevicesReport
from workflows.wire.requests import ListDevices

_MODE = QHeaderView.ResizeMode


class BundleTable(Section):
    """Rows are the bundles with the current one's architecture; columns are their precision and the devices.

    A device has a column if it is usable, or if results are known for it.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self._context = context
        self._devices: list[Device] = []
        self.table: ReadOnlyTable | None = None
        self.hide()

    def show_devices(self, devices: list[Device]) -> None:
        self._devices = devices
        self.refresh()

    def refresh(self) -> None:
        """Update the rows after a check or a change of the current bundle."""
        clear_layout(self.body)
        self.table = None
        bundles = self._bundles()
        self.setVisible(bool(bundles and self._devices))
        if not bundles:
            return
        self.heading.setText(self.tr("Bundles of {0} by device").format(bundles[0]["architecture"]))
        shown = [device for device in self._devices if device.usable or self._has_result(bundles, device)]
        rows = TextTableModel([self.tr("Bundle"), self.tr("Precision"), *(one.title for one in shown)])
        rows.fill([self._row(one, shown) for one in bundles])
        self.table = ReadOnlyTable(rows, self.heading.text())
        head = self.table.horizontalHeader()
        for column in range(rows.columnCount()):
            wide = column > 1
            head.setSectionResizeMode(column, _MODE.Stretch if wide else _MODE.ResizeToContents)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setFixedHeight(head.sizeHint().height() + 28 * len(bundles) + G)
        self.body.addWidget(self.table)

    def _has_result(self, bundles: list[dict[str, Any]], device: Device) -> bool:
        return any(self._context.preflights.find(one, device.name) for one in bundles)

    def _bundles(self) -> list[dict[str, Any]]:
        current = self._context.bundle
        known = [one.summary for one in self._context.recents.entries if one.summary]
        return [one for one in known if current and one["architecture"] == current["architecture"]]

    def _row(self, bundle: dict[str, Any], devices: list[Device]) -> list[str]:
        cells = [self._cell(bundle, device) for device in devices]
        return [Path(str(bundle["path"])).name, str(bundle["precision"]), *cells]

    def _cell(self, bundle: dict[str, Any], device: Device) -> str:
        checked = self._context.preflights.find(bundle, device.name)
        if checked is None:
            return self.tr("not checked")
        report = checked.report
        if not report.usable:
            return self.tr("no: {0}").format(report.reason)
        text = self.tr("{0} of nodes · difference {1} · {2}")
        return text.format(
            node_share(report), difference_text(largest_difference(report)), format_local_time(checked.at)
        )


class DevicesPage(QWidget):
    """Requests the devices when the page is first shown, and again on request."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.title = self.tr("Devices")
        self._context = context
        self._requested = False
        self.cards: list[DeviceCard] = []
        self.banner = Banner()
        self.state = EmptyState(self.tr("Searching for devices"), icon="devices")
        self.again = button(self.tr("Search again"), "refresh", clicked=self.refresh)
        content = QWidget()
        self.machine = MachineChoice(context.machines)
        self.manage = button(self.tr("Machines …"), clicked=self.show_machines)
        head = hbox(label(self.title, "title"), STRETCH, self.machine, self.manage, self.again, spacing=G)
        self._grid = grid_layout(2 * G, 2 * G, stretch=(0, 1))
        self.memory = label("", wrap=True)
        self.memory.hide()
        self._bundle_path = ""
        self.table = BundleTable(context)
        text = label(self.tr("The devices of the chosen machine that can run bundles."), "body-muted", wrap=True)
        parts = (head, text, self.memory, self.state, self._grid, self.table, STRETCH)
        vbox(*parts, parent=content, margins=3 * G, spacing=2 * G)
        vbox(scroll_area(content), parent=self)
        self.overlay = BannerOverlay(self, self.banner)
        add_action(self, self.tr("Search for devices again"), self.refresh, icon="refresh")
        self.plugins = PluginInstaller(context, lambda: {card.device.name: card.device for card in self.cards}, self)
        self.plugins.failed.connect(lambda error: self.banner.error(error.message, error.details))
        self.watch = PluginWatcher(self)
        self.watch.changed.connect(self._refresh_outdated)
        context.plugins.changed.connect(self._refresh_cards)
        context.plugins.done.connect(lambda _, report: self._on_answer(report))
        context.compiler.changed.connect(self._refresh_cards)
        context.compiler.done.connect(lambda _, made: self._on_compiled(made))
        for work in (context.plugins, context.compiler):
            work.failed.connect(lambda _, error: self.banner.error(error.message, error.details))
        context.preflights.changed.connect(self._refresh_all)
        context.machines.chosen.connect(self._on_machine)
        context.bundleChanged.connect(self._refresh_all)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._requested or self._bundle_path != self._current_path():
            self.refresh()

    def show_machines(self) -> MachinesDialog:
        """Show the dialog that adds, checks and removes machines."""
        dialog = MachinesDialog(self._context.machines, self.window())
        dialog.show()
        return dialog

    def _current_path(self) -> str:
        return str(self._context.bundle["path"]) if self._context.bundle else ""

    def _refresh_outdated(self) -> None:
        """Update after plugins changed outside of this window; installations from here report their end themselves."""
        if self._requested and not self._context.plugins.device:
            self.refresh()

    def _on_machine(self, _name: str) -> None:
        """The devices of the machine before must not stand under the name of this one, least of all if it fails."""
        self._show_devices([])
        self.memory.clear()
        self.memory.hide()
        self.refresh()

    def refresh(self) -> None:
        self._requested = True
        self.again.setEnabled(False)
        self.banner.clear()
        self.state.set(self.tr("Searching for devices"), self.tr("The engine queries each execution provider."))
        self.state.setVisible(not self.cards)
        self._bundle_path = self._current_path()
        job = self._context.machine_probe.request(ListDevices(self._bundle_path))
        job.on_answer(self._on_answer)
        job.on_error(self._on_error)

    def _on_answer(self, report: DevicesReport) -> None:
        self.again.setEnabled(True)
        self._show_devices(report.devices)
        self._show_memory(report)

    def _show_memory(self, report: DevicesReport) -> None:
        bundle, memory = self._context.bundle, report.memory
        known = bundle is not None and memory is not None and self._bundle_path == self._current_path()
        if known and bundle is not None and memory is not None:
            self.memory.setText(self.tr("{0} on the CPU: {1}").format(bundle["name"], memory_text(memory)))
        self.memory.setVisible(known)

    def _on_compiled(self, made: CompileReport) -> None:
        """From now on, sessions use the compiled form; the choice of providers shows it."""
        parts = self.tr("The graphs are compiled: {0}, {1}.").format(made.folder, format_bytes(made.bytes))
        self.banner.show_message("ok", f"{parts} {made.note}".strip())

    def _on_error(self, error: ErrorEvent) -> None:
        self.again.setEnabled(True)
        self.state.hide()
        self.banner.error(error.message, error.details, self.tr("Search again"), self.refresh)

    def _refresh_cards(self) -> None:
        for card in self.cards:
            card.refresh()

    def _refresh_all(self, *_: object) -> None:
        if self._bundle_path != self._current_path():
            self.memory.clear()
        self.memory.setVisible(bool(self.memory.text()))
        self._refresh_cards()
        self.table.refresh()

    def _show_devices(self, devices: list[Device]) -> None:
        clear_layout(self._grid)
        if self._context.machines.current:  # plugins and compiled graphs are of this machine
            devices = [replace(one, install="", uninstall="", compiles=False) for one in devices]
        self.cards = [DeviceCard(device, self._context) for device in devices]
        self.plugins.listed.emit()
        for index, card in enumerate(self.cards):
            card.installRequested.connect(partial(self.plugins.request, card.device, removes=False))
            card.removalRequested.connect(partial(self.plugins.request, card.device, removes=True))
            self._grid.addWidget(card, index // 2, index % 2)
        self.table.show_devices(devices)
        self.state.set(
            self.tr("No device was reported"), self.tr("The engine reported no execution provider on this machine.")
        )
        self.state.setVisible(not self.cards)
