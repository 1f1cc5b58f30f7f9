"""What a session is opened with: two boxes, the cache layout and the provider, for whoever lays them out."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from app.widgets.plain_text import set_tool_tip
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.reports.devices import Device

BY_THE_HOST = ("static", "window", "fifo")
"""Layouts that one graph can be run with, each as well as the others: the engine writes the rows."""


class SessionChoice(QObject):
    """`changed` follows a choice of a person alone."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cache = self._combo(self.tr("Cache layout"))
        for title, value in (
            (self.tr("Bundle default"), None),
            (self.tr("Static: ends when full"), "static"),
            (self.tr("Window: slides on"), "window"),
            (self.tr("FIFO: slides on, newest last"), "fifo"),
        ):
            self.cache.addItem(title, value)
        self.provider = self._combo(self.tr("Provider"))
        self.provider.addItem("CPU", "cpu")

    def _combo(self, name: str) -> QComboBox:
        combo = ignore_wheel(QComboBox())
        combo.setAccessibleName(name)
        combo.setMinimumContentsLength(12)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.activated.connect(lambda _index: self.changed.emit())
        return combo

    @property
    def chosen(self) -> tuple[str, str | None]:
        """Provider and cache layout as Session.open takes them; None is the layout of the bundle."""
        layout = self.cache.currentData()
        return str(self.provider.currentData() or "cpu"), str(layout) if layout else None

    def follow(self, provider: str, layout: str | None) -> None:
        """Shows what a session was opened with, where that can be chosen."""
        select_entry(self.provider, provider)
        select_entry(self.cache, layout)

    def prefer(self, provider: str) -> None:
        """Begins with another provider than the CPU, before it is known which ones there are."""
        if self.provider.findData(provider) < 0:
            self.provider.addItem(provider, provider)
        select_entry(self.provider, provider)

    def set_devices(self, devices: list[Device]) -> None:
        """Lists the providers; one that cannot be used is greyed and says why."""
        chosen = self.provider.currentData()
        self.provider.clear()
        for device in devices:
            self.provider.addItem(device.title, device.name)
            allow_entry(self.provider, self.provider.count() - 1, unavailable_reason(device))
        select_entry(self.provider, "cpu")
        select_entry(self.provider, chosen or "cpu")

    def set_built(self, layout: str) -> None:
        """Says which layout the bundle was built for, and greys those that are not right for its graph."""
        text = self.tr("Bundle default ({0})").format(layout) if layout else self.tr("Bundle default")
        self.cache.setItemText(0, text)
        other = layout and layout not in BY_THE_HOST
        why = self.tr("The graph writes its cache itself: build another for this layout.") if other else ""
        for place in range(1, self.cache.count()):
            allow_entry(self.cache, place, why)
        if other:
            self.cache.setCurrentIndex(0)


def unavailable_reason(device: Device) -> str:
    """Why a device cannot be chosen, and what would make it so; empty where it can."""
    return "" if device.usable else f"{device.reason} {device.remedy}".strip()


def select_entry(combo: QComboBox, value: str | None) -> None:
    """Shows the entry with `value`, where there is one that can be chosen."""
    place = next((i for i in range(combo.count()) if combo.itemData(i) == value), -1)
    model = combo.model()
    assert isinstance(model, QStandardItemModel)
    if place >= 0 and model.item(place).isEnabled():
        combo.setCurrentIndex(place)


def allow_entry(combo: QComboBox, place: int, why_not: str) -> None:
    """An entry can be chosen, or is greyed and says why."""
    model = combo.model()
    assert isinstance(model, QStandardItemModel)
    item = model.item(place)
    item.setEnabled(not why_not)
    set_tool_tip(item, why_not)
