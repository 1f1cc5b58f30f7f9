"""Installs the translation into the chosen language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.text.catalog import Translation, available_languages, engine_file, read, translation_file
from app.text.engine_text import install_engine_texts

ENGLISH = "en"


class Translator(QTranslator):
    """Finds a translation by its English source text alone, whatever class uses it."""

    def __init__(self, entries: Sequence[Translation], parent: QCoreApplication | None = None) -> None:
        super().__init__(parent)
        self._forms = {
            (entry.message.source, entry.message.comment): entry.forms
            for entry in entries
            if entry.finished and entry.forms
        }

    def isEmpty(self) -> bool:  # noqa: N802  Qt does not ask an empty translator
        """Whether it has no translation."""
        return not self._forms

    def translate(  # None is Qt's null string: ask the next translator, else English
        self, context: str, source: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """The translation, singular for n = 1 and plural otherwise; None where there is none."""
        forms = self._forms.get((source, disambiguation or ""), ())
        return forms[0 if n == 1 else -1] if forms else None


def choose_language(setting: str, preferred: Sequence[str]) -> str:
    """The language of `setting`, or for an empty one the first of the system's languages `wanted` that is available."""
    known = [ENGLISH, *available_languages()]
    if setting in known:
        return setting
    codes = (name.replace("_", "-").partition("-")[0] for name in preferred)
    return next((language for language in codes if language in known), ENGLISH)


def install_language(app: QCoreApplication, setting: str) -> str:
    """Installs the language of the setting for the window and Qt's own dialogs; returns its code. Raises OSError.

    Numbers and dates are those of the language as well, in the system's country where that speaks it. Widgets that
    exist already keep their texts, so this comes before the window.
    """
    language = choose_language(setting, QLocale.system().uiLanguages())
    if QLocale().language() != QLocale(language).language():
        QLocale.setDefault(QLocale(language))
    engine = engine_file(language)
    install_engine_texts(read(engine) if engine.is_file() else ())
    if language == ENGLISH:
        return language
    of_qt = QTranslator(app)
    if of_qt.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(of_qt)
    app.installTranslator(Translator(read(translation_file(language)), app))
    return language
