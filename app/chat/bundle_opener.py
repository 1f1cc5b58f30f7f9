"""Opens the current bundle for the chat page, and shows what is opened on which provider.

panel: provider, placement, cache layout ──open──▶ BundleSession ──opened──▶ panel; another provider: a message
                                             └─ slow: a message, and a button that stops it
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from app.chat.controller import ChatController
from app.chat.settings_panel import SettingsPanel
from app.state.bundle_session import State, placement_text, runs_on_cpu
from app.state.bundle_use import use_of
from app.state.chosen_devices import follow_devices
from app.state.context import AppContext
from app.state.recent_bundles import bundle_title
from app.widgets import Banner
from app.widgets.basics import label
from app.widgets.machine_choice import MachineChoice
from workflows.wire.events import ReadyEvent

SHOW_OPENING_MS = 1000
"""An opening that takes longer is shown and can be stopped: a driver may compile for minutes, or hang."""


class BundleOpener(QObject):
    """Opens the context's current bundle."""

    def __init__(
        self, context: AppContext, panel: SettingsPanel, controller: ChatController, banner: Banner, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._context, self._panel, self._controller, self._banner = context, panel, controller, banner
        self._session = context.session
        self._devices_requested = False
        self._last_opened = ("", "")  # the bundle that was open last, and its provider
        self._opening_shown = False
        self._late = QTimer(self, singleShot=True, interval=SHOW_OPENING_MS)
        self._late.timeout.connect(self._show_opening)
        self._session.stateChanged.connect(self._on_state)
        self._session.opened.connect(self._on_opened)
        controller.runningChanged.connect(lambda _on: self._on_state(self._session.state))  # it clears the banner
        panel.session_section.body.addWidget(label(self.tr("Machine"), "small", selectable=False))
        panel.session_section.body.addWidget(MachineChoice(context.machines))
        context.bundleChanged.connect(self.list_components)
        self.list_components()

    @property
    def _bundle(self) -> dict[str, Any] | None:
        """The summary of the current bundle; None if there is none to chat with."""
        return self._context.bundle if use_of(self._context.bundle) == "chat" else None

    @property
    def path(self) -> str:
        """The current bundle's folder; empty if there is none to chat with."""
        return str((self._bundle or {}).get("path", ""))

    @property
    def name(self) -> str:
        """The current bundle's name; empty if there is none to chat with."""
        return str((self._bundle or {}).get("name", ""))

    @property
    def title(self) -> str:
        """The current bundle's name, precision and cache, as it is open or as it was built; empty if there is none."""
        bundle, ready = self._bundle, self._context.ready
        if bundle is None:
            return ""
        return bundle_title({**bundle, "layout": ready.layout, "capacity": ready.capacity} if ready else bundle)

    @property
    def status(self) -> str:
        """Whether the current bundle is loaded, and on which provider."""
        ready = self._context.ready
        if ready is not None:
            machine = self._context.machines.current
            return self.tr("loaded on {0}").format(f"{ready.provider}, {machine}" if machine else ready.provider)
        error = self._session.error
        ended = error is not None and error.kind in ("crashed", "stopped")
        failed = self.tr("its worker ended") if ended else self.tr("could not be opened")
        return {"opening": self.tr("opening …"), "failed": failed}.get(self.state, self.tr("not loaded"))

    def open(self) -> None:
        """Opens the current bundle with the settings of the panel."""
        if self.path:
            self._banner.clear()
            self._session.open(self.path, *self._panel.choice.chosen, place=self._panel.placement.chosen)

    def ensure_open(self) -> bool:
        """Opens the current bundle unless it is open; returns False if there is none."""
        if self.path and self._context.ready is None and self.state != "opening":
            self.open()
        return bool(self.path)

    def open_unless_failed(self) -> None:
        """Opens the current bundle unless it is open or failed: the user decides whether to try again."""
        if self.state != "failed" and not self._controller.busy:
            self.ensure_open()

    @property
    def state(self) -> State:
        """The session's state for the current bundle."""
        return self._session.state_for(self.path)

    def request_devices(self) -> None:
        """Requests the devices to choose from, once."""
        if not self._devices_requested:
            self._devices_requested = True
            follow_devices(self._context, lambda report: self._panel.set_devices(report.devices), self)

    def list_components(self, *_: object) -> None:
        """Shows the layout and the components of the current bundle."""
        bundle = self._context.bundle or {}
        self._panel.choice.set_built(str(bundle.get("layout", "")))
        self._panel.placement.set_components([str(name) for name in bundle.get("components", ())])

    def _on_state(self, state: str) -> None:
        if state == "opening":
            self._banner.clear()  # a failure that offers to open it again
            self._late.start()
            return
        self._late.stop()
        if self._opening_shown:
            self._opening_shown = False
            self._banner.clear()

    def _show_opening(self) -> None:
        request = self._session.request
        if request is None or self._session.state != "opening":
            return
        place = placement_text(request)
        text = self.tr("Opening {0} on {1} …")
        if not runs_on_cpu(request):
            text = self.tr("Opening {0} on {1} … the driver may need minutes to compile new graphs.")
        name = self.name if self.path == request.bundle else Path(request.bundle).name
        message = text.format(name, place)
        self._opening_shown = True
        self._banner.show_message("info", message, action=self.tr("Stop opening"), on_action=self._session.end)

    def _on_opened(self, ready: ReadyEvent) -> None:
        request = self._session.request
        if request is None or request.bundle != self.path:
            return
        self._panel.choice.show_session(request.provider, request.cache)  # the KV tab may have opened it
        self._panel.placement.show_placement(request.place)
        self._banner.clear()
        before, self._last_opened = self._last_opened, (request.bundle, ready.provider)
        if before[0] == request.bundle and before[1] != ready.provider and len(self._controller.chat):
            self._show_moved(before[1], ready.provider)

    def _show_moved(self, before: str, now: str) -> None:
        text = self.tr("The conversation continues on {0} instead of {1}; the next prompt recomputes the cache.")
        back = partial(self._session.reopen, provider=before) if "=" not in before else None
        name = self.tr("Back to {0}").format(before) if back is not None else ""
        self._banner.show_message("info", text.format(now, before), action=name, on_action=back)
