"""A translation file, Qt Linguist's `.ts`: read and written whole, sorted, without locations in the code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import resources

FOLDER = Path(resources.__file__).parent / "translations"
CONTEXT = "joinery"


@dataclass(frozen=True, slots=True, order=True)
class SourceText:
    """A text in the code. comment: distinguishes meanings of equal words. counts: whether it has a plural form."""

    source: str
    comment: str = ""
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Translation:
    """A source text and its translation: one form, or a singular and a plural; none where it is unfinished."""

    message: SourceText
    forms: tuple[str, ...] = ()
    finished: bool = False


def translation_file(language: str) -> Path:
    """The path of the translation into `language` ("de")."""
    return FOLDER / f"joinery_{language}.ts"


def engine_file(language: str) -> Path:
    """The path of the engine's sentences in `language`: it holds the translated ones alone."""
    return FOLDER / f"engine_{language}.ts"


def available_languages() -> list[str]:
    """The languages that have a translation."""
    return sorted(path.stem.removeprefix("joinery_") for path in FOLDER.glob("joinery_*.ts"))


def read(path: Path) -> list[Translation]:
    """The entries of a `.ts` file. Raises OSError, and ElementTree.ParseError for a file of another format."""
    return [_entry(node) for node in ElementTree.parse(path).getroot().iter("message")]


def _entry(node: ElementTree.Element) -> Translation:
    counts = node.get("numerus") == "yes"
    translation = node.find("translation")
    message = SourceText(node.findtext("source", ""), node.findtext("comment", ""), counts)
    if translation is None:
        return Translation(message)
    forms = [form.text or "" for form in translation.iter("numerusform")] if counts else [translation.text or ""]
    return Translation(message, tuple(form for form in forms if form), translation.get("type") != "unfinished")


def write(path: Path, language: str, entries: Iterable[Translation]) -> None:
    """Replaces the file. Raises OSError."""
    root = ElementTree.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for entry in sorted(entries, key=lambda one: one.message):
        _add(context, entry)
    ElementTree.indent(root, "  ")
    text = ElementTree.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{text}\n', "utf-8")


def _add(context: ElementTree.Element, entry: Translation) -> None:
    message = entry.message
    node = ElementTree.SubElement(context, "message", {"numerus": "yes"} if message.counts else {})
    ElementTree.SubElement(node, "source").text = message.source
    if message.comment:
        ElementTree.SubElement(node, "comment").text = message.comment
    translation = ElementTree.SubElement(node, "translation", {} if entry.finished else {"type": "unfinished"})
    if not message.counts:
        translation.text = "".join(entry.forms)
        return
    for form in entry.forms or ("", ""):
        ElementTree.SubElement(translation, "numerusform").text = form
