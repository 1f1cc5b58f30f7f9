"""The placement of components on providers, in the chat's side panel and in a recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.widgets import button, label
from app.widgets.fields import combo_box
from app.widgets.layouts import STRETCH, clear_layout, grid_layout, hbox, vbox
from app.widgets.session_choice import allow_entry, select_entry, unavailable_reason
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.reports.devices import Device

Offered = tuple[str, str, str]
"""Title and name of a provider, and why it cannot be chosen; empty if it can."""


class PlacementEditor(QWidget):
    """A combo box per component: the default provider or another one. `changed` follows choices of the user only."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: list[Offered] = []
        self.boxes: dict[str, QComboBox] = {}
        self.more = button(self.tr("Components elsewhere …"), role="link", clicked=self._toggle)
        self._body = QWidget()
        self._grid = grid_layout(G // 2, G // 2, stretch=(1,), parent=self._body)
        row = hbox(self.more, STRETCH, spacing=None)
        vbox(row, self._body, parent=self, spacing=G // 2)
        self._body.hide()

    @property
    def chosen(self) -> dict[str, str]:
        """Component → provider for components on another provider, as `--place` on the command line."""
        providers = {name: box.currentData() for name, box in self.boxes.items()}
        return {name: str(provider) for name, provider in providers.items() if provider}

    def set_components(self, names: Sequence[str]) -> None:
        """Show the components of another bundle, all on the default provider. Hidden for a single component."""
        if list(names) == list(self.boxes):
            return
        clear_layout(self._grid)
        self.boxes = {}
        for row, name in enumerate(names if len(names) > 1 else ()):
            box = self.boxes[name] = ignore_wheel(combo_box(self.tr("Provider of {0}").format(name), width=10))
            box.activated.connect(lambda _index: self.changed.emit())
            self._grid.addWidget(label(name, "small", selectable=False), row, 0)
            self._grid.addWidget(box, row, 1)
        self.setVisible(bool(self.boxes))
        self._fill()

    def set_devices(self, devices: list[Device]) -> None:
        """List the providers; an unusable one is disabled, with the reason as its tool tip."""
        self.set_offers([(device.title, device.name, unavailable_reason(device)) for device in devices])

    def set_offers(self, offers: Sequence[Offered]) -> None:
        """List the offered providers if they changed."""
        if list(offers) != self._offers:
            self._offers = list(offers)
            self._fill()

    def show_placement(self, place: Mapping[str, str]) -> None:
        """Show the placement of a session."""
        for name, box in self.boxes.items():
            select_entry(box, place.get(name))
        if any(name in self.boxes for name in place):
            self._body.show()

    def _fill(self) -> None:
        for box in self.boxes.values():
            chosen = box.currentData()
            box.clear()
            box.addItem(self.tr("as all"), None)
            for title, name, why in self._offers:
                box.addItem(title, name)
                allow_entry(box, box.count() - 1, why)
            select_entry(box, chosen)

    def _toggle(self) -> None:
        self._body.setVisible(self._body.isHidden())
