"""`python -m app.text [LANGUAGE…]`: updates the translation files to the texts in the code; a new language gets a file.

Existing translations stay, texts that the code no longer has are removed, new ones are marked unfinished.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from app.text.catalog import Translation, available_languages, read, translation_file, write
from app.text.source_texts import source_texts


def update(language: str) -> tuple[int, int]:
    """Updates a language's file; returns how many entries it has, and how many of them are unfinished."""
    path = translation_file(language)
    known = {entry.message: entry for entry in read(path)} if path.is_file() else {}
    entries = [known.get(message, Translation(message)) for message in source_texts()]
    write(path, language, entries)
    return len(entries), sum(not entry.finished for entry in entries)


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit code."""
    odd = [one for one in arguments if not re.fullmatch(r"[a-z]{2,3}(_[A-Z]{2})?", one)]
    if odd:
        sys.exit(f"{odd[0]!r} is no language: give codes such as de or pt_BR, or nothing for those that there are.")
    for language in arguments or available_languages():
        total, unfinished = update(language)
        sys.stdout.write(f"{translation_file(language).name}: {total} entries, {unfinished} unfinished\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
