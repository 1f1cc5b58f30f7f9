"""`python -m app.text [LANGUAGE…]`: updates the translation files to the texts in the code; a new language gets a file.

Existing translations stay, texts that the code no longer has are removed, new ones are marked unfinished. Of the
engine's sentences a file holds those that are translated: the others are shown in English.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.text.catalog import SourceText, Translation, available_languages, engine_file, read, translation_file, write
from app.text.engine_sources import engine_sentences

APP = Path(__file__).parents[1]
DIRECT = ("tr", "translatable")  # the text comes first
WITH_CONTEXT = ("translate",)  # QCoreApplication's: the context, which is ignored, comes first


def called_name(call: ast.Call) -> str:
    """The name of the called function, `tr` for `self.tr(…)` and `tr(…)`; empty if it has none."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def calls(file: Path) -> Iterator[ast.Call]:
    """Every call in a Python file."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"), str(file))):
        if isinstance(node, ast.Call):
            yield node


def source_text_of(call: ast.Call) -> SourceText | None:
    """The text of a call of `tr` or its like; None for another call, and for one without a literal."""
    name = called_name(call)
    arguments = call.args[1:] if name in WITH_CONTEXT else call.args if name in DIRECT else []
    texts = [a.value for a in arguments[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    first_is_literal = arguments and isinstance(arguments[0], ast.Constant)
    if not texts or not first_is_literal:
        return None
    return SourceText(texts[0], texts[1] if len(texts) > 1 else "", len(arguments) > 2)


def source_texts() -> set[SourceText]:
    """All texts of the window's code."""
    calls_texts = (source_text_of(call) for file in APP.rglob("*.py") for call in calls(file))
    return {message for message in calls_texts if message is not None and message.source}


def update(language: str) -> tuple[int, int]:
    """Updates a language's file; returns how many entries it has, and how many of them are unfinished."""
    path = translation_file(language)
    known = {entry.message: entry for entry in read(path)} if path.is_file() else {}
    entries = [known.get(message, Translation(message)) for message in source_texts()]
    write(path, language, entries)
    return len(entries), sum(not entry.finished for entry in entries)


def update_engine(language: str) -> tuple[int, int]:
    """Removes the sentences that the engine no longer has; returns how many are translated, and how many there are."""
    path, sentences = engine_file(language), engine_sentences()
    entries = [entry for entry in (read(path) if path.is_file() else ()) if entry.message.source in sentences]
    write(path, language, entries)
    return len(entries), len(sentences)


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit code."""
    odd = [one for one in arguments if not re.fullmatch(r"[a-z]{2,3}(_[A-Z]{2})?", one)]
    if odd:
        sys.exit(f"{odd[0]!r} is no language: give codes such as de or pt_BR, or nothing for those that there are.")
    for language in arguments or available_languages():
        total, unfinished = update(language)
        sys.stdout.write(f"{translation_file(language).name}: {total} entries, {unfinished} unfinished\n")
        done, of = update_engine(language)
        sys.stdout.write(f"{engine_file(language).name}: {done} of {of} sentences of the engine\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
