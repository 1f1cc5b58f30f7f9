"""Where the server runs and listens, who reaches it, and the token and the certificate that others need."""

from __future__ import annotations

import secrets

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QSpinBox, QWidget

from app.state.machines import MachinesModel
from app.state.server import ServerModel
from app.state.server_options import EVERY_NETWORK, LOOPBACK
from app.text.translatable import tr
from app.widgets.basics import Section, button, label
from app.widgets.collapsible import CollapsibleSection
from app.widgets.fields import combo_box, line_edit
from app.widgets.layouts import STRETCH, grid_layout, hbox, vbox
from app.widgets.machine_choice import MachineBox
from app.widgets.path_field import PathField
from app.widgets.theme import G, mono_font
from app.widgets.wheel_guard import ignore_wheel

_OTHER = ""
_TOKEN_BYTES = 24


class ServerMachine(MachineBox):
    """The machine that the server runs on."""

    def __init__(self, server: ServerModel, machines: MachinesModel, parent: QWidget | None = None) -> None:
        self._server = server
        super().__init__(machines, parent)
        self.setAccessibleName(self.tr("Where the server runs"))
        server.changed.connect(self.refresh)
        self.refresh()

    @property
    def chosen(self) -> str:
        return self._server.options.machine

    def choose(self, name: str) -> None:
        self._server.change(machine=name)


class AddressForm(Section):
    """Where the server runs, who reaches it, and its port; a token where others do."""

    def __init__(self, server: ServerModel, machines: MachinesModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Address"), parent=parent)
        self._server = server
        self.machine = ServerMachine(server, machines)
        text = self.tr("Copies of the bundles answer there; ssh leads a port of this machine to them.")
        self.machine_note = label(text, "muted", wrap=True)
        self.reach_label = label(self.tr("Reachable from"))
        entries = (
            (self.tr("This machine alone"), LOOPBACK),
            (self.tr("Other machines, too"), EVERY_NETWORK),
            (self.tr("One address of this machine …"), _OTHER),
        )
        self.reach = ignore_wheel(combo_box(self.tr("Reachable from"), entries))
        self.reach.activated.connect(lambda _: self._on_reach())
        self.host = line_edit(self.tr("Address to listen on"), "192.168.1.20")
        self.host.editingFinished.connect(lambda: self._server.change(host=self.host.text().strip()))
        self.port = ignore_wheel(QSpinBox())
        self.port.setAccessibleName(self.tr("Port"))
        self.port.setRange(0, 65535)
        self.port.setSpecialValueText(self.tr("a free one"))
        self.port.lineEdit().setTextMargins(G - 2, 0, 0, 0)
        self.port.valueChanged.connect(lambda value: self._server.change(port=value))
        grid = grid_layout(2 * G, G, stretch=(1,))
        grid.addWidget(label(self.tr("Runs on")), 0, 0)
        grid.addLayout(hbox(self.machine, (self.machine_note, 4), STRETCH), 0, 1)
        grid.addWidget(self.reach_label, 1, 0)
        grid.addLayout(hbox(self.reach, (self.host, 2), STRETCH), 1, 1)
        grid.addWidget(label(self.tr("Port")), 2, 0)
        grid.addLayout(hbox(self.port, STRETCH), 2, 1)
        self.body.addLayout(grid)
        self.token = TokenRow(server)
        self.body.addWidget(self.token)
        server.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Shows the chosen address."""
        options = self._server.options
        place = self.reach.findData(options.host)
        self.reach.setCurrentIndex(place if place >= 0 else self.reach.findData(_OTHER))
        for part in (self.reach_label, self.reach):
            part.setHidden(bool(options.machine))
        self.host.setVisible(place < 0 and not options.machine)
        self.machine_note.setVisible(bool(options.machine))
        if not self.host.hasFocus():
            self.host.setText(options.host if place < 0 else "")
        self.port.setValue(options.port)
        self.token.refresh()

    def _on_reach(self) -> None:
        self._server.change(host=str(self.reach.currentData()))
        if self.reach.currentData() == _OTHER:
            self.host.setFocus()


class TokenRow(QWidget):
    """Makes the token that clients must send; shows it until the server starts, and never again."""

    def __init__(self, server: ServerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._server = server
        self.text = label("", "muted", wrap=True)
        self.field = line_edit(self.tr("Token"))
        self.field.setReadOnly(True)
        self.field.setFont(mono_font())
        self.make = button("", "refresh", clicked=self._make)
        self.copy = button(self.tr("Copy"), "copy", clicked=self._copy)
        self.copy.setAccessibleName(self.tr("Copy the token"))
        vbox(hbox((self.text, 1), self.make), hbox((self.field, 1), self.copy), parent=self, spacing=G // 2)
        self.refresh()

    def refresh(self) -> None:
        """Where others reach the server, a token is needed; on this machine it may be left out."""
        options = self._server.options
        if self._server.on:
            self.field.clear()
        shown = bool(self.field.text())
        if shown:
            text = self.tr("Copy the token now: it is shown until the server starts, and saved nowhere.")
        elif options.token:
            text = self.tr("Clients must send the token. It is not shown again.")
        elif options.machine:
            text = self.tr("Whoever is logged in on {0} reaches it there; with a token, only your clients do.")
            text = text.format(options.machine)
        elif options.is_local:
            text = self.tr("No other machine reaches this address, and clients need no token.")
        else:
            text = self.tr("Others can reach this address: make a token, which clients must send.")
        self.text.setText(text)
        for part in (self.field, self.copy):
            part.setVisible(shown)
        self.make.setText(self.tr("Make another token") if options.token else self.tr("Make a token"))
        self.make.setAccessibleName(self.make.text())

    def _make(self) -> None:
        self.field.setText(secrets.token_urlsafe(_TOKEN_BYTES))
        self._server.change(token=self.field.text())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.field.text())


class TlsFiles(CollapsibleSection):
    """The certificate and its key; folded while there are none."""

    def __init__(self, server: ServerModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Encryption (TLS)"), tr("A certificate with its key, so that clients use https."), parent)
        self._server = server
        self.certificate = PemField(self.tr("Certificate (PEM)"))
        self.key = PemField(self.tr("Key (PEM)"))
        self.certificate.field.editingFinished.connect(self._save)
        self.key.field.editingFinished.connect(self._save)
        grid = grid_layout(2 * G, G // 2, stretch=(1,))
        for row, one in enumerate((self.certificate, self.key)):
            grid.addWidget(label(one.field.accessibleName()), row, 0)
            grid.addWidget(one, row, 1)
            one.picked.connect(lambda path, one=one: self._pick(one, path))
        self.body.addLayout(grid)
        server.changed.connect(self.refresh)
        self.refresh()
        self.unfold(bool(server.options.certificate or server.options.key))

    def refresh(self) -> None:
        """Shows the chosen files, unless ssh encrypts."""
        options = self._server.options
        self.setHidden(bool(options.machine))
        for one, path in ((self.certificate, options.certificate), (self.key, options.key)):
            if not one.field.hasFocus():
                one.field.setText(path)
        self.set_summary(self.tr("https") if options.certificate and options.key else self.tr("none: http"))

    def _pick(self, field: PemField, path: str) -> None:
        field.field.setText(path)
        self._save()

    def _save(self) -> None:
        certificate, key = (one.field.text().strip() for one in (self.certificate, self.key))
        self._server.change(certificate=certificate, key=key)


class PemField(PathField):
    """A field for a file in PEM form."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self.field: QLineEdit = line_edit(name)
        super().__init__(self.field, parent)

    def button_text(self) -> str:
        return self.tr("Choose a file")

    def choose_path(self, title: str) -> str:
        return QFileDialog.getOpenFileName(self, title, "", self.tr("PEM files (*.pem *.crt *.key);;All files (*)"))[0]
