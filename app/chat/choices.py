"""What the side panel says of the next reply, on its way to the controller and to the settings.

    panel ──system, sampling, prefill, tools, languages──▶ ChatController
                      └──────────0.5 s later──────────▶ Settings
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.chat.controller import ChatController
from app.chat.panel import SettingsPanel
from app.chat.sampling import Sampling
from app.state.settings import Settings
from app.widgets import Banner

SAVE_MS = 500


class Choices(QObject):
    """Follows the panel. banner: where a file of tools that cannot be read is told."""

    def __init__(
        self, panel: SettingsPanel, controller: ChatController, settings: Settings, banner: Banner, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._panel, self._controller, self._settings, self._banner = panel, controller, settings, banner
        self._save = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._save.timeout.connect(lambda: settings.set("sampling", controller.sampling.to_json()))
        panel.system_changed.connect(controller.set_system)
        panel.sampling_changed.connect(self._on_sampling)
        panel.opening.changed.connect(self._on_opening)
        panel.opening.unread.connect(self._on_unread)
        panel.languages.changed.connect(self.take_languages)
        controller.runningChanged.connect(panel.set_running)
        controller.reset.connect(lambda: panel.set_system(controller.chat.system))
        controller.session.opened.connect(lambda _ready: self.take_languages())
        controller.sampling = Sampling.from_json(settings.text("sampling"))
        panel.set_sampling(controller.sampling)

    def settle(self) -> None:
        """Keeps at once what waits to be kept."""
        if self._save.isActive():
            self._save.stop()
            self._save.timeout.emit()

    def take_languages(self) -> None:
        """What is translated into what."""
        self._controller.languages = self._panel.languages.to_options()

    def _on_sampling(self, sampling: Sampling) -> None:
        self._controller.sampling = sampling
        self._save.start()

    def _on_opening(self, prefill: str, tools: str) -> None:
        self._controller.prefill, self._controller.tools = prefill, tools.strip()

    def _on_unread(self, path: str, reason: str) -> None:
        self._banner.error(self.tr("The file {0} cannot be read: {1}.").format(path, reason))
