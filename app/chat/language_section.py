"""The source and target language of a translator, shown if the open bundle has languages to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.widgets import Section, label
from app.widgets.wheel_guard import ignore_wheel


class LanguageSection(Section):
    """Two combo boxes; `changed` follows a choice of the user only."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(QCoreApplication.translate("LanguagePart", "Languages"), parent=parent)
        self.source = self._combo(self.tr("From"))
        self.target = self._combo(self.tr("Into"))
        self.offer([])

    def _combo(self, title: str) -> QComboBox:
        combo = ignore_wheel(QComboBox())
        combo.setAccessibleName(title)
        combo.activated.connect(lambda _index: self.changed.emit())
        self.body.addWidget(label(title, "small", selectable=False))
        self.body.addWidget(combo)
        return combo

    def offer(self, languages: Sequence[str]) -> None:
        """Lists the languages of the opened bundle; keeps the choice if it is among them."""
        for combo in (self.source, self.target):
            chosen = combo.currentData()
            combo.clear()
            combo.addItem(self.tr("Default of the checkpoint"), None)
            for language in languages:
                combo.addItem(language, language)
            combo.setCurrentIndex(max(0, combo.findData(chosen)) if chosen else 0)
        self.setVisible(bool(languages))

    def withdraw(self) -> None:
        """Hides the boxes until the bundle's languages are known."""
        self.hide()

    def to_options(self) -> dict[str, str]:
        """The options of a generate request, without languages that are not chosen or not offered."""
        if self.isHidden():
            return {}
        chosen = {"source_language": self.source.currentData(), "target_language": self.target.currentData()}
        return {name: str(language) for name, language in chosen.items() if language}
