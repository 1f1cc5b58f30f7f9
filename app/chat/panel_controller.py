"""Passes the side panel's settings to the controller, and saves them for the bundle.

panel ──system, sampling, decoding, prefill, tools, languages, adapter──▶ ChatController
  ▲                   └──────────0.5 s later──────────▶ SavedChoices
  └── another bundle: its saved choices, and a message if they differ

Sampling, cache layout, drafts and beams are saved for the bundle. System prompt, prefill, tools, chain and form belong
to the chat; a new chat starts without them, except for the system prompt.
"""

from __future__ import annotations

from dataclasses import asdict

from PySide6.QtCore import QObject, QTimer, Signal

from app.chat.controller import ChatController
from app.chat.decoding.decoding_controller import DecodingController
from app.chat.decoding.decoding_options import DecodingOptions
from app.chat.preset_picker import apply_preset, bundle_preset
from app.chat.sampling import SamplingSettings
from app.chat.settings_panel import SettingsPanel
from app.state.context import AppContext
from app.state.saved_choices import BundleChoices, SavedChoices
from app.widgets import Banner

SAVE_MS = 500


class PanelController(QObject):
    """Follows the panel and the bundle. banner: shows messages about the choices."""

    sampling_shown = Signal()  # it may be another one

    def __init__(
        self, context: AppContext, panel: SettingsPanel, controller: ChatController, banner: Banner, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._context, self._panel, self._controller, self._banner = context, panel, controller, banner
        self._saved = SavedChoices(context.home, lambda text: context.show_error(text))
        self._bundle = ""
        self._save_timer = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._save_timer.timeout.connect(self._save)
        self.decoding = DecodingController(context, panel.decoding, controller, self._save_timer.start, self)
        panel.system_changed.connect(controller.set_system)
        panel.sampling_changed.connect(self._on_sampling)
        panel.presets.chosen.connect(lambda preset: self.set_sampling(apply_preset(preset, controller.sampling)))
        panel.presets.saved.connect(self._save_preset)
        panel.presets.removed.connect(self._remove_preset)
        panel.session_changed.connect(self._save_timer.start)
        panel.opening.changed.connect(controller.set_prefill)
        panel.opening.unreadable.connect(self._on_unreadable)
        panel.languages.changed.connect(self.apply_languages)
        panel.adapter.changed.connect(lambda: setattr(controller, "adapter", panel.adapter.chosen))
        controller.runningChanged.connect(panel.set_running)
        controller.reset.connect(self._show_chat)
        controller.session.opened.connect(lambda _ready: self._offer_parts())
        context.bundleChanged.connect(lambda _summary: self._on_bundle())
        self._show(self.default_sampling)
        self._on_bundle()

    def apply_pending(self) -> None:
        """Saves pending choices at once."""
        if self._save_timer.isActive():
            self._save_timer.stop()
            self._save()

    def _offer_parts(self) -> None:
        """Lists the languages of the current bundle, which are known once it is open; a recording has no prompt."""
        ready = self._context.ready
        self._panel.offer_prompt(ready is None or not ready.listens)
        if ready is not None:
            self._panel.languages.offer(ready.languages)
        else:
            self._panel.languages.hide()
        self.apply_languages()

    def apply_languages(self) -> None:
        """Sets the languages of the next requests."""
        self._controller.languages = self._panel.languages.to_options()

    @property
    def default_sampling(self) -> SamplingSettings:
        """The sampling for a bundle without saved choices."""
        return SamplingSettings.from_json(self._context.settings.text("sampling"))

    def _on_bundle(self) -> None:
        self.apply_pending()
        summary = self._context.bundle or {}
        path = str(summary.get("path", ""))
        self._offer_parts()
        self._panel.adapter.offer(summary.get("adapters", ()))
        if path == self._bundle:
            self._panel.decoding.chain.set_ops(summary.get("chain", ()))  # it may be another build in the same folder
            return
        self._bundle = path
        saved = self._saved.of(path)
        sampling = SamplingSettings.from_dict(saved.sampling) if saved is not None else self.default_sampling
        self._show(sampling)
        self.decoding.show_bundle(DecodingOptions.from_dict(saved.decoding if saved else {}), summary.get("chain", ()))
        choice = self._panel.choice
        choice.set_built(str(summary.get("layout", "")))
        choice.show_session(choice.chosen[0], saved.layout if saved is not None else None)

    def _show_chat(self) -> None:
        chat = self._controller.chat
        self._panel.set_system(chat.system)
        self._panel.opening.show_prefill(chat.prefill, chat.tools)

    def _show(self, sampling: SamplingSettings) -> None:
        self._refresh_presets()
        self._controller.sampling = sampling
        self._panel.set_sampling(sampling)
        self.sampling_shown.emit()

    def set_sampling(self, sampling: SamplingSettings) -> None:
        """Sets the sampling as if the user had changed it in the panel."""
        self._panel.set_sampling(sampling)
        self._on_sampling(sampling)

    def _on_sampling(self, sampling: SamplingSettings) -> None:
        self._controller.sampling = sampling
        self.sampling_shown.emit()
        self._save_timer.start()

    def _save(self) -> None:
        if self._bundle:
            layout = self._panel.choice.chosen[1]
            decoding = asdict(self.decoding.default)
            self._saved.keep(self._bundle, BundleChoices(asdict(self._controller.sampling), layout, decoding))

    def _refresh_presets(self) -> None:
        own = {name: SamplingSettings.from_dict(values) for name, values in self._saved.presets().items()}
        self._panel.presets.offer(bundle_preset(self._bundle) if self._bundle else None, own)

    def _save_preset(self, name: str) -> None:
        self._saved.save_preset(name, asdict(self._controller.sampling))
        self._refresh_presets()
        self._panel.presets.select_matching(self._controller.sampling)

    def _remove_preset(self, name: str) -> None:
        self._saved.remove_preset(name)
        self._refresh_presets()
        self._panel.presets.select_matching(self._controller.sampling)

    def _on_unreadable(self, path: str, reason: str) -> None:
        self._banner.error(self.tr("The file {0} cannot be read: {1}.").format(path, reason))
