"""The window in another language: every string has an entry, every entry is sound, and no string goes round `tr`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QObject, QTranslator
from PySide6.QtWidgets import QWidget

from app.text.__main__ import APP, DIRECT, WITH_CONTEXT, called_name, calls, source_text_of, source_texts
from app.text.catalog import SourceText, Translation, available_languages, read, translation_file, write
from app.text.formatting import format_figures, format_local_time, format_number
from app.text.translator import Translator, choose_language, install_language

WHOLE = True
"""True once the German is whole: from then on an unfinished entry fails."""

PASSED_ON = {"text", "node.change", "change", "self.english"}
"""What `tr` is given that is no literal: words that are marked where they are written."""
SAYS = {
    *("QAction", "QCheckBox", "QGroupBox", "QLabel", "QPushButton", "QRadioButton"),
    *("setAccessibleDescription", "setAccessibleName", "setHeaderLabels", "setHorizontalHeaderLabels", "setItemText"),
    *("setLabel", "setPlaceholderText", "setPrefix", "setSpecialValueText", "setStatusTip", "setSubTitle", "setSuffix"),
    *("setTabText", "setText", "setTitle", "setToolTip", "setWhatsThis", "setWindowTitle"),
    *("action", "addAction", "addItem", "addRow", "addTab", "button", "error", "insertItem", "label"),
    *("show_error", "show_message", "show_note", "_action", "_plain", "_tool"),
    *("CardFrame", "ElidedLabel", "EmptyState", "PillLabel", "PlainLabel", "Section", "SettingRow", "Stat"),
    *("add_action", "set_tool_tip", "tool_button"),
}
"""What shows the words that it is given."""
NO_WORDS = re.compile(r"(Ctrl|Alt|Shift|Meta)\+\S+|F\d+|Esc|Escape|Del|Return|PgUp|PgDown")
NAMES = {"Joinery", " · Joinery", "CPU"}
PLACES = re.compile(r"\{[^{}]*\}|%\d|%n|<[^<>]+>")


def files() -> list[Path]:
    return sorted(APP.rglob("*.py"))


def where(file: Path, call: ast.Call) -> str:
    return f"{file.relative_to(APP.parent)}:{call.lineno}: {ast.unparse(call)[:90]}"


def test_every_string_has_an_entry_and_nothing_else_does() -> None:
    said = source_texts()
    assert len(said) > 500
    for language in available_languages():
        entries = {entry.message for entry in read(translation_file(language))}
        assert said == entries, f"say `python -m app.text`: {sorted(said ^ entries)[:5]}"


@pytest.mark.parametrize("language", available_languages())
def test_translations_keep_the_places_of_what_is_put_in(language: str) -> None:
    for entry in read(translation_file(language)):
        source = entry.message.source
        for form in entry.forms if entry.finished else ():
            # one thing may be said without its number
            assert set(PLACES.findall(form)) - {"%n"} == set(PLACES.findall(source)) - {"%n"}, (source, form)
            assert form.count("&") == source.count("&"), (source, form)
            ends = [(len(text) - len(text.lstrip()), len(text) - len(text.rstrip())) for text in (form, source)]
            assert ends[0] == ends[1], (source, form)
        if entry.finished:
            assert len(entry.forms) == (2 if entry.message.counts else 1), source


@pytest.mark.skipif(not WHOLE, reason="the German is not whole yet")
@pytest.mark.parametrize("language", available_languages())
def test_nothing_is_unfinished(language: str) -> None:
    assert [
        entry.message.source for entry in read(translation_file(language)) if not entry.finished or not entry.forms
    ] == []


def test_tr_gets_a_literal() -> None:
    """An f-string or a sum of words would never be found."""
    wrong = []
    for file in files():
        for call in calls(file):
            argument = call.args[:1] if called_name(call) in DIRECT else []
            if argument and source_text_of(call) is None and ast.unparse(argument[0]) not in PASSED_ON:
                wrong.append(where(file, call))
    assert wrong == []


def bare(node: ast.expr) -> Iterator[str]:
    """The words in an argument that went through no call."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield from (str(part.value) for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, (ast.List, ast.Tuple)):
        for one in node.elts:
            yield from bare(one)
    elif isinstance(node, ast.IfExp):
        yield from (*bare(node.body), *bare(node.orelse))
    elif isinstance(node, ast.BinOp):
        yield from (*bare(node.left), *bare(node.right))


def is_prose(text: str) -> bool:
    """Whether a person would read it as words: a capital first, or several."""
    if text in NAMES or NO_WORDS.fullmatch(text) or not re.search(r"[A-Za-z]{3}", text):
        return False
    return text.strip()[:1].isupper() or bool(re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", text))


def test_no_string_goes_round_tr() -> None:
    wrong = []
    for file in files():
        for call in calls(file):
            if called_name(call) in SAYS:
                arguments = [*call.args, *(one.value for one in call.keywords)]
                if any(is_prose(text) for argument in arguments for text in bare(argument)):
                    wrong.append(where(file, call))
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('self.tr("One")', SourceText("One")),
        ('tr("a" "b")', SourceText("ab")),
        ('tr("Open", "a verb")', SourceText("Open", "a verb")),
        ('self.tr("%n files", "", 3)', SourceText("%n files", "", True)),
        ('QCoreApplication.translate("Where", "Two")', SourceText("Two")),
        ('translatable("added")', SourceText("added")),
        ("self.tr(word)", None),
        ('self.tr(f"{word}")', None),
        ("painter.translate(1, 2)", None),
    ],
)
def test_what_the_code_says_is_found(code: str, found: SourceText | None) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call) and source_text_of(call) == found
    assert set(DIRECT).isdisjoint(WITH_CONTEXT)


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    entries = [
        Translation(SourceText(" <b>a</b> & \n"), (" <b>ä</b> & \n",), True),
        Translation(SourceText("Open", "a verb"), ("Öffnen",), True),
        Translation(SourceText("n", "", True), ("ein", "viele"), True),
        Translation(SourceText("new")),
        Translation(SourceText("news", "", True)),
        Translation(SourceText("perhaps"), ("vielleicht",), False),
    ]
    write(tmp_path / "x.ts", "de", entries)
    assert read(tmp_path / "x.ts") == sorted(entries, key=lambda one: one.message)


def test_an_update_keeps_what_is_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.text import __main__ as tool
    from app.text import catalog

    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    monkeypatch.setattr(tool, "source_texts", lambda: {SourceText("stays"), SourceText("new")})
    write(
        translation_file("xx"),
        "xx",
        [Translation(SourceText("stays"), ("bleibt",), True), Translation(SourceText("goes"), ("geht",), True)],
    )
    assert tool.main(["xx"]) == 0
    assert read(translation_file("xx")) == [
        Translation(SourceText("new")),
        Translation(SourceText("stays"), ("bleibt",), True),
    ]


ENTRIES = [
    Translation(SourceText("Open"), ("Offen",), True),
    Translation(SourceText("Open", "a verb"), ("Öffnen",), True),
    Translation(SourceText("%n files", "", True), ("eine Datei", "%n Dateien"), True),
    Translation(SourceText("Later"), ("Später",), False),
]


class Base(QWidget):
    """Says something that its subclasses say, too."""

    def word(self) -> str:
        return self.tr("Open")


class Derived(Base):
    """Says it under another name."""


def test_words_are_found_whoever_says_them(qtbot: Any, qapp: QCoreApplication) -> None:
    translator = Translator(ENTRIES, qapp)
    qapp.installTranslator(translator)
    try:
        one = Derived()
        qtbot.addWidget(one)
        assert (one.word(), one.tr("Open", "a verb"), QObject().tr("Open")) == ("Offen", "Öffnen", "Offen")
        assert QCoreApplication.translate("Anything", "Open") == "Offen"
        assert [one.tr("%n files", "", n) for n in (0, 1, 2)] == ["0 Dateien", "eine Datei", "2 Dateien"]
        assert one.tr("Later") == "Later" and one.tr("No such thing") == "No such thing"
    finally:
        qapp.removeTranslator(translator)
    assert one.word() == "Open"


@pytest.mark.parametrize(
    ("setting", "system", "chosen"),
    [
        ("de", ["en-GB"], "de"),
        ("", ["de-AT", "en"], "de"),
        ("", ["fr-FR", "de-CH", "en"], "de"),
        ("", ["en-US", "de"], "en"),
        ("", ["fr_FR"], "en"),
        ("xx", ["de"], "de"),
        ("en", ["de"], "en"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_systems(setting: str, system: list[str], chosen: str) -> None:
    assert "de" in available_languages()
    assert choose_language(setting, system) == chosen


def test_the_window_and_qt_speak_german(qtbot: Any, qapp: QCoreApplication) -> None:
    before, locale = qapp.findChildren(QTranslator), QLocale()
    assert install_language(qapp, "de") == "de"
    try:
        assert format_number(1234.5, 1) == "1.234,5" and format_figures(0.25) == "0,25"
        assert format_local_time("2026-11-28T13:05:00+00:00").startswith("28.11.26")
        assert QCoreApplication.translate("PageEntry", "Settings") == "Einstellungen"
        assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"
    finally:
        for one in qapp.findChildren(QTranslator)[len(before) :]:
            qapp.removeTranslator(one)
            one.deleteLater()
    assert install_language(qapp, "en") == "en"
    assert format_number(1234.5, 1) == "1,234.5"
    QLocale.setDefault(locale)
    assert QCoreApplication.translate("PageEntry", "Settings") == "Settings"
