"""Between the chat page and its session: what is opened, on which provider, and what is said of it on the way.

panel: provider, placement, cache layout ──open──▶ Session ──opened──▶ panel; another provider: a sentence
                                             └─ late: a sentence, and a button that ends it
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.chat.controller import ChatController
from app.chat.settings_panel import SettingsPanel
from app.state.bundle_session import State
from app.widgets import Banner
from workflows.wire.events import ReadyEvent
from workflows.wire.requests import ListDevices

if TYPE_CHECKING:
    from app.state.context import AppContext

LATE_MS = 1000
"""What takes longer is said, and can be stopped: a driver may compile for minutes, or hang."""


class BundleOpener(QObject):
    """Opens the context's current bundle."""

    def __init__(
        self, context: AppContext, panel: SettingsPanel, controller: ChatController, banner: Banner, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._context, self._panel, self._controller, self._banner = context, panel, controller, banner
        self._session = context.session
        self._asked = False
        self._was = ("", "")  # the bundle that was open last, and its provider
        self._said = False
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._say_late)
        self._session.stateChanged.connect(self._on_state)
        self._session.opened.connect(self._on_opened)
        controller.runningChanged.connect(lambda _on: self._on_state(self._session.state))  # it clears the banner
        context.bundleChanged.connect(self.name_parts)
        self.name_parts()

    @property
    def path(self) -> str:
        """The current bundle's folder; empty where there is none."""
        bundle = self._context.bundle
        return str(bundle["path"]) if bundle else ""

    @property
    def name(self) -> str:
        """What the current bundle is called; empty where there is none."""
        bundle = self._context.bundle
        return str(bundle["name"]) if bundle else ""

    def open(self) -> None:
        """Opens it with what the panel says."""
        if self.path:
            self._banner.clear()
            self._session.open(self.path, *self._panel.choice.chosen, place=self._panel.placement.chosen)

    def ensure(self) -> bool:
        """Opens it where it is not open; False where there is none."""
        if self.path and self._context.ready is None and self.state != "opening":
            self.open()
        return bool(self.path)

    def follow(self) -> None:
        """Opens it where it is not open, unless that failed: a person decides whether it is tried again."""
        if self.state != "failed" and not self._controller.running:
            self.ensure()

    @property
    def state(self) -> State:
        """Where the session is with the current bundle."""
        return self._session.state_for(self.path)

    def ask_devices(self) -> None:
        """Once: what can be chosen."""
        if not self._asked:
            self._asked = True
            job = self._context.probe_worker.request(ListDevices())
            job.on_answer(lambda found: self._panel.set_devices(found.devices))
            self._context.plugins.done.connect(lambda _, found: self._panel.set_devices(found.devices))

    def name_parts(self, *_: object) -> None:
        """The layout and the components of the current bundle."""
        bundle = self._context.bundle or {}
        self._panel.choice.set_built(str(bundle.get("layout", "")))
        self._panel.placement.set_components([str(name) for name in bundle.get("components", ())])

    def _on_state(self, state: str) -> None:
        if state == "opening":
            self._late.start()
            return
        self._late.stop()
        if self._said:
            self._said = False
            self._banner.clear()

    def _say_late(self) -> None:
        asked = self._session.request
        if asked is None or self._session.state != "opening":
            return
        text = self.tr("Opening {0} on {1} … a driver may take long to compile what it has not seen.")
        bundle = self._context.bundle
        name = str(bundle["name"]) if bundle and self.path == asked.bundle else Path(asked.bundle).name
        told = text.format(name, self._session.where)
        self._said = True
        self._banner.show_message("info", told, action=self.tr("Stop opening"), on_action=self._session.end)

    def _on_opened(self, ready: ReadyEvent) -> None:
        asked = self._session.request
        if asked is None or asked.bundle != self.path:
            return
        self._panel.choice.follow(asked.provider, asked.cache)  # the KV tab may have opened it
        self._panel.placement.follow(asked.place)
        self._banner.clear()
        before, self._was = self._was, (asked.bundle, ready.provider)
        if before[0] == asked.bundle and before[1] != ready.provider and len(self._controller.chat):
            self._say_moved(before[1], ready.provider)

    def _say_moved(self, before: str, now: str) -> None:
        text = self.tr("The conversation goes on with {0} instead of {1}; the next prompt computes its cache anew.")
        back = partial(self._session.move, before) if "=" not in before else None
        name = self.tr("Back to {0}").format(before) if back is not None else ""
        self._banner.show_message("info", text.format(now, before), action=name, on_action=back)
