"""The Server page: starts and stops `joinery serve`, and shows where it is and what it does.

ServerModel ──changed──▶ state, address, Start or Stop, banner;   tabs: Setup, Requests, Samples, Log
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.server.log_tab import LogTab
from app.server.requests_tab import RequestsTab
from app.server.samples_tab import SamplesTab
from app.server.setup_tab import SetupTab
from app.state.context import AppContext
from app.state.server import ServerModel
from app.text.formatting import pluralize
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.basics import Banner, PillLabel, button, label, set_role
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.lazy_tabs import LazyTabs
from app.widgets.plain_text import set_tool_tip
from app.widgets.styling import style_separately
from app.widgets.theme import G, set_icon

INSTALL = "pip install 'joinery[serve]'"


class ServerPage(QWidget):
    """The server of `context`."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.title = self.tr("Server")
        self._server: ServerModel = context.server
        self.banner = Banner()
        self.banner.dismissed.connect(self._server.forget_failure)
        tabs = self.tabs = LazyTabs()
        self._setup = tabs.add("setup", self.tr("Setup"), lambda: SetupTab(context))
        self._requests = tabs.add("requests", self.tr("Requests"), self._new_requests)
        self._samples = tabs.add("samples", self.tr("Samples"), lambda: SamplesTab(context))
        self._log = tabs.add("log", self.tr("Log"), lambda: LogTab(context.server))
        tabs.tabBar().setAccessibleName(self.tr("Setup, requests, samples or log"))
        self.state = PillLabel()
        self.link = button("", role="link", clicked=self._open, tool_tip=self.tr("Opens the address in a browser."))
        self.copy = button(self.tr("Copy"), "copy", clicked=self._copy)
        self.copy.setAccessibleName(self.tr("Copy the address"))
        self.main = button("", role="primary", clicked=self._toggle)
        self.note = label("", "muted", wrap=True)
        head = hbox(label(self.title, "title"), self.state, self.link, self.copy, STRETCH, self.main)
        top = QWidget()
        vbox(head, self.note, parent=top, margins=(3 * G, 2 * G, 2 * G, G), spacing=G // 2)
        vbox(top, (tabs, 1), parent=self, spacing=0)
        style_separately(tabs.pages)
        self.overlay = BannerOverlay(tabs, self.banner, area=tabs.pages)  # Start and Stop stay in sight
        self._start_action = add_action(self, self.tr("Start the server"), self.start, icon="play")
        self._stop_action = add_action(self, self.tr("Stop the server"), self._server.stop, icon="stop")
        self._copy_action = add_action(self, self.tr("Copy the address of the server"), self._copy, icon="copy")
        add_action(self, self.tr("Copy a sample that asks the server"), lambda: self._show("samples"), icon="copy")
        self._server.changed.connect(self.refresh)
        self._setup()  # which takes the open bundle while nothing is chosen
        self.refresh()

    def slices(self) -> Iterator[Callable[[], object]]:
        """Functions that build the tabs, for the window to call while it is idle."""
        return self.tabs.getters()

    def _new_requests(self) -> RequestsTab:
        tab = RequestsTab(self._server)
        tab.empty.triggered.connect(lambda: self._show("samples"))
        return tab

    @property
    def setup(self) -> SetupTab:
        return self._setup()

    @property
    def requests(self) -> RequestsTab:
        return self._requests()

    @property
    def samples(self) -> SamplesTab:
        return self._samples()

    @property
    def log(self) -> LogTab:
        return self._log()

    def start(self, **once: int) -> None:
        """Starts the server and shows its requests; with choices that have a problem, shows those. once: as there."""
        self.banner.clear()
        if self._server.options.problem:
            self._show("setup")
            return
        self._server.start(**once)
        self._show("requests")

    def refresh(self) -> None:
        """Shows the server's state."""
        server, problem = self._server, self._server.options.problem
        self.state.set(*self._state())
        has_address = server.state in ("running", "stopping")
        for part in (self.link, self.copy):
            part.setVisible(has_address)
        self.link.setText(f"{server.address}/v1")
        self.link.setAccessibleName(self.tr("Open {0}").format(self.link.text()))
        self._show_button()
        self.note.setText(self._note())
        self._start_action.setEnabled(not server.on and not problem)
        self._stop_action.setEnabled(server.on)
        self._copy_action.setEnabled(has_address)
        if server.on:
            self.banner.clear()
        elif server.failure is not None and not self.banner.isVisible():
            self._show_failure()

    def _state(self) -> tuple[str, str]:
        """The word and the tint of the state."""
        return {
            "stopped": (self.tr("stopped"), ""),
            "starting": (self.tr("starting"), "warning"),
            "running": (self.tr("running"), "ok"),
            "stopping": (self.tr("stopping"), "warning"),
        }[self._server.state]

    def _show_button(self) -> None:
        server = self._server
        text, icon, role = {
            "stopped": (self.tr("Start"), "play", "primary"),
            "starting": (self.tr("Stop"), "stop", ""),
            "running": (self.tr("Stop"), "stop", ""),
            "stopping": (self.tr("Stop now"), "stop", "danger"),
        }[server.state]
        self.main.setText(text)
        self.main.setAccessibleName(text)
        set_role(self.main, role)
        set_icon(self.main, icon, {"primary": "accent_text", "danger": "error"}.get(role, "text"))
        problem = "" if server.on else server.options.problem
        self.main.setEnabled(not problem)
        tip = self.tr("Ends the requests that still run.") if server.state == "stopping" else problem
        set_tool_tip(self.main, tip)

    def _note(self) -> str:
        """A line about the state: what is missing, who reaches it, how many requests it waits for."""
        server = self._server
        if server.state == "stopped":
            return server.options.problem or self.tr("Bundles answer programs that speak OpenAI's interface.")
        if server.state == "starting":
            return server.progress or self.tr("The server starts; bundles are opened with the first request.")
        if server.state == "stopping":
            one = self.tr("It waits for one request that runs, 30 s at most.")
            many = self.tr("It waits for {0} requests that run, 30 s at most.")
            return pluralize(server.busy, one, many) if server.busy else self.tr("It ends.")
        if server.options.machine:
            return self.tr("Programs on this machine reach it over ssh; {0} answers.").format(server.options.machine)
        if server.options.is_local:
            return self.tr("Programs on this machine reach it.")
        return self.tr("Other machines reach it by this machine's name or address, with the token.")

    def _show_failure(self) -> None:
        failure = self._server.failure
        assert failure is not None  # the caller has looked
        text, act = {
            "address": (self.tr("Take a free port"), self._take_free_port),
            "package": (self.tr("Copy the command"), lambda: QGuiApplication.clipboard().setText(INSTALL)),
            "bundle": (self.tr("Show the bundles"), lambda: self._show("setup")),
            "request": (self.tr("Show the choices"), lambda: self._show("setup")),
        }.get(failure.kind, (self.tr("Start again"), self.start))
        message = failure.message
        if failure.kind == "package" and not self._server.options.machine:
            message = self.tr("The server's packages are missing: install them with {0}.").format(INSTALL)
        self.banner.error(message, failure.details, text, act)

    def _take_free_port(self) -> None:
        self.start(port=0)

    def _toggle(self) -> None:
        if self._server.on:
            self._server.stop()
        else:
            self.start()

    def _open(self) -> None:
        """What is served, or with a token, which a browser does not send, whether it answers."""
        path = "/health" if self._server.options.token else "/v1/models"
        QDesktopServices.openUrl(QUrl(self._server.address + path))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.link.text())

    def _show(self, tab: str) -> None:
        self.tabs.show_tab(tab)
