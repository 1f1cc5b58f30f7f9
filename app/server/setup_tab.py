"""The tab "Setup": the bundles, the address, and what is folded away. It cannot be changed while the server runs."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.server.address_form import AddressForm, TlsFiles
from app.server.bundle_list import ServedBundleList
from app.server.limits_form import LimitsForm
from app.state.context import AppContext
from app.widgets.basics import CardFrame, label, scroll_area
from app.widgets.layouts import STRETCH, vbox
from app.widgets.theme import G


class SetupTab(QWidget):
    """The choices of `context.server`."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._server = context.server
        self.bundles = ServedBundleList(context)
        self.address = AddressForm(context.server, context.machines)
        self.tls = TlsFiles(context.server)
        self.limits = LimitsForm(context.server)
        self.note = label(self.tr("Stop the server to change these choices."), "muted", wrap=True)
        self._cards = [CardFrame(), CardFrame()]
        self._cards[0].body.addWidget(self.bundles)
        for part in (self.address, self.tls, self.limits):
            self._cards[1].body.addWidget(part)
        content = QWidget()
        vbox(self.note, *self._cards, STRETCH, parent=content, margins=2 * G, spacing=2 * G)
        vbox(scroll_area(content), parent=self)
        context.server.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Lets the choices be changed while no server runs."""
        self.note.setVisible(self._server.on)
        for card in self._cards:
            card.setEnabled(not self._server.on)
