"""The table of bundles by device: which runs where, on how many nodes, and how far from the CPU, if checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QWidget

from app.state.context import AppContext
from app.text.formatting import format_local_time
from app.widgets.basics import Section
from app.widgets.preflight_view import difference_text, largest_difference, node_share
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.devices import Device

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
        """Replace the columns."""
        self._devices = devices
        self.refresh()

    def refresh(self) -> None:
        """Update the rows after a check or a change of the current bundle."""
        if self.table is not None:
            self.body.removeWidget(self.table)
            self.table.deleteLater()
            self.table = None
        bundles = self._bundles()
        self.setVisible(bool(bundles and self._devices))
        if not bundles:
            return
        self.heading.setText(self.tr("Bundles of {0} by device").format(bundles[0]["architecture"]))
        shown = [device for device in self._devices if device.usable or self._tried(bundles, device)]
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

    def _tried(self, bundles: list[dict[str, Any]], device: Device) -> bool:
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
        text = self.tr("{0} of nodes · off by {1} · {2}")
        return text.format(
            node_share(report), difference_text(largest_difference(report)), format_local_time(checked.at)
        )
