"""The Settings page: appearance, bundles, history, privacy. Changes are saved at once and can be undone."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.settings.fields import Options, SettingChoice, SettingFolder, SettingRow, StageCacheChoice
from app.state.context import AppContext
from app.state.settings import PREFERENCES
from app.text.catalog import available_languages
from app.text.formatting import format_bytes, format_number
from app.widgets.actions import add_action
from app.widgets.basics import CardFrame, button, label, scroll_area
from app.widgets.layouts import hbox, vbox
from app.widgets.theme import G

ZOOMS = (80, 90, 100, 110, 125, 150, 175, 200)
HISTORY_LIMITS = (100, 1_000, 10_000)
STAGES = (5 << 30, 20 << 30, 100 << 30)
PROVIDERS = ("cpu", "qnn", "webgpu", "dml", "openvino", "cuda")


class SettingsPage(QWidget):
    """Follows window.ini."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        content = QWidget()
        content.setMaximumWidth(120 * G)  # the whole column: the size hint of a card ignores its own limit
        self.reset_button = button(self.tr("Reset to defaults"), "undo", clicked=self.reset)
        head = hbox(label(self.tr("Settings"), "title"), 1, self.reset_button)
        cards = (self._appearance(), self._bundles(), self._history(), self._privacy())
        vbox(head, *cards, 1, spacing=2 * G, margins=(3 * G,) * 4, parent=content)
        vbox(scroll_area(content), parent=self)
        self.setFocusProxy(self.theme)
        add_action(self, self.tr("Reset the settings to defaults"), self.reset, icon="undo")
        add_action(self, self.tr("Open Joinery's folder"), self._open_folder, icon="folder")

    def _choice(self, key: str, options: Options) -> SettingChoice:
        return SettingChoice(self._context.settings, key, options)

    def _appearance(self) -> CardFrame:
        card = CardFrame(self.tr("Appearance"))
        self.theme = self._choice(
            "theme",
            (("system", self.tr("As the system")), ("light", self.tr("Light")), ("dark", self.tr("Dark"))),
        )
        card.body.addWidget(SettingRow(self.tr("Theme"), self.tr("Light or dark, or as the system says."), self.theme))
        spoken = [(code, QLocale(code).nativeLanguageName() or code) for code in ("en", *available_languages())]
        self.language = self._choice("language", (("", self.tr("As the system")), *spoken))
        text = self.tr("What the window speaks. It changes when Joinery is started again.")
        card.body.addWidget(SettingRow(self.tr("Language"), text, self.language))
        self.zoom = self._choice("zoom", [(str(zoom), f"{format_number(zoom)} %") for zoom in ZOOMS])
        text = self.tr("How large text and everything else is. It changes when Joinery is started again.")
        card.body.addWidget(SettingRow(self.tr("Size"), text, self.zoom))
        return card

    def _bundles(self) -> CardFrame:
        card = CardFrame(self.tr("Bundles"))
        context = self._context
        self.bundles = SettingFolder(context.settings, "bundles", context.home / "bundles")
        self.bundles.refused.connect(
            lambda path: context.show_error(self.tr("{0} is no folder: give the whole path of one.").format(path))
        )
        text = self.tr("Where new bundles are proposed to go. Those that exist stay.")
        card.body.addWidget(SettingRow(self.tr("Folder of bundles"), text, self.bundles))
        self.provider = self._choice("provider", [(name, "CPU" if name == "cpu" else name) for name in PROVIDERS])
        text = self.tr(
            "What Chat first opens a bundle on, from the next start on. Where it is not usable, that is the CPU."
        )
        card.body.addWidget(SettingRow(self.tr("Provider"), text, self.provider))
        limits = [(str(limit), self.tr("at most {0}").format(format_bytes(limit))) for limit in STAGES]
        self.stages = StageCacheChoice((("", self.tr("as usual")), ("0", self.tr("nothing")), *limits))
        self.stages.refused.connect(lambda why: context.show_error(why))
        text = self.tr(
            "Stages of builds that the next build of the same model takes over. Usual are 20 GiB, and never more than "
            "a quarter of what is free."
        )
        card.body.addWidget(SettingRow(self.tr("Stages to keep"), text, self.stages))
        return card

    def _history(self) -> CardFrame:
        card = CardFrame(self.tr("History"))
        limits = [
            (str(history_limit), self.tr("the newest {0}").format(format_number(history_limit)))
            for history_limit in HISTORY_LIMITS
        ]
        self.history_limit = self._choice("history.keep", (("", self.tr("all")), *limits))
        text = self.tr("Builds, generations and measurements that are kept. Older ones are removed at each start.")
        card.body.addWidget(SettingRow(self.tr("Runs to keep"), text, self.history_limit))
        return card

    def _privacy(self) -> CardFrame:
        card = CardFrame(self.tr("Privacy"))
        text = self.tr(
            "Nothing leaves this machine: Joinery sends no telemetry, switches onnxruntime's off, and connects only "
            "where you ask for it (a model from the hub, a provider's plugin)."
        )
        card.body.addWidget(label(text, wrap=True))
        folder = button(self.tr("Open Joinery's folder"), "folder", clicked=self._open_folder)
        card.body.addLayout(hbox((label(str(self._context.home), "muted", wrap=True), 1), folder))
        return card

    def reset(self) -> None:
        """Reset every preference to its default; a note offers to undo it."""
        before, stages = self._context.settings.preferences(), str(self.stages.currentData())

        def undo() -> None:
            self._apply(before)
            self.stages.choose(stages)

        self._apply(PREFERENCES)
        self.stages.choose("")
        text = self.tr("The settings are as at first again.")
        self._context.show_note(text, self.tr("Undo"), undo, owner={"page": "settings"})

    def _apply(self, values: dict[str, str]) -> None:
        for key, value in values.items():
            self._context.settings.set(key, value)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._context.home)))
