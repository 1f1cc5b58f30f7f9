"""The choices for opening a session: combo boxes for cache layout and provider."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from app.widgets.fields import combo_box
from app.widgets.plain_text import set_tool_tip
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.reports.devices import Device

BY_THE_HOST = ("static", "window", "fifo")
"""Layouts that can run the same graph, since the engine writes the cache rows."""


class SessionChoice(QObject):
    """`changed` follows choices of the user only."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        layouts = (
            (self.tr("Bundle default"), None),
            (self.tr("Static: ends when full"), "static"),
            (self.tr("Window: slides on"), "window"),
            (self.tr("FIFO: slides on, newest last"), "fifo"),
        )
        self.cache = ignore_wheel(combo_box(self.tr("Cache layout"), layouts, width=12))
        self.provider = ignore_wheel(combo_box(self.tr("Provider"), [("CPU", "cpu")], width=12))
        for combo in (self.cache, self.provider):
            combo.activated.connect(lambda _index: self.changed.emit())

    @property
    def chosen(self) -> tuple[str, str | None]:
        """Provider and cache layout for opening a session; None is the layout of the bundle."""
        layout = self.cache.currentData()
        return str(self.provider.currentData() or "cpu"), str(layout) if layout else None

    def show_session(self, provider: str, layout: str | None) -> None:
        """Select what a session was opened with, if it can be selected."""
        select_entry(self.provider, provider)
        select_entry(self.cache, layout)

    def prefer(self, provider: str) -> None:
        """Preselect a provider before the list of providers is known."""
        if self.provider.findData(provider) < 0:
            self.provider.addItem(provider, provider)
        select_entry(self.provider, provider)

    def set_devices(self, devices: list[Device]) -> None:
        """List the providers; an unusable one is disabled, with the reason as its tool tip."""
        chosen = self.provider.currentData()
        self.provider.clear()
        for device in devices:
            self.provider.addItem(device.title, device.name)
            allow_entry(self.provider, self.provider.count() - 1, unavailable_reason(device))
        select_entry(self.provider, "cpu")
        select_entry(self.provider, chosen or "cpu")

    def set_built(self, layout: str) -> None:
        """Mark the layout that the bundle was built for, and disable layouts that do not fit its graph."""
        text = self.tr("Bundle default ({0})").format(layout) if layout else self.tr("Bundle default")
        self.cache.setItemText(0, text)
        other = layout and layout not in BY_THE_HOST
        why = self.tr("The graph writes its cache itself: build another for this layout.") if other else ""
        for place in range(1, self.cache.count()):
            allow_entry(self.cache, place, why)
        if other:
            self.cache.setCurrentIndex(0)


def unavailable_reason(device: Device) -> str:
    """Why a device cannot be chosen, and how to change that; empty if it can."""
    return "" if device.usable else f"{device.reason} {device.remedy}".strip()


def select_entry(combo: QComboBox, value: str | None) -> None:
    """Select the entry with `value`, if it exists and is enabled."""
    place = next((i for i in range(combo.count()) if combo.itemData(i) == value), -1)
    model = combo.model()
    assert isinstance(model, QStandardItemModel)
    if place >= 0 and model.item(place).isEnabled():
        combo.setCurrentIndex(place)


def allow_entry(combo: QComboBox, place: int, why_not: str) -> None:
    """Enable an entry, or disable it with the reason."""
    model = combo.model()
    assert isinstance(model, QStandardItemModel)
    item = model.item(place)
    item.setEnabled(not why_not)
    set_tool_tip(item, why_not)
