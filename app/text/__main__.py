"""`python -m app.text [LANGUAGE…]`: bring the translations up to what the code says; a new language gets a file.

What is translated stays, what the code no longer says goes, what is new is marked unfinished.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from app.text.catalog import Translation, available_languages, read, translation_file, write
from app.text.source_texts import source_texts


def update(language: str) -> tuple[int, int]:
    """Renew a language's file: how many entries it has, and how many of them are unfinished."""
    path = translation_file(language)
    known = {entry.message: entry for entry in read(path)} if path.is_file() else {}
    entries = [known.get(message, Translation(message)) for message in source_texts()]
    write(path, language, entries)
    return len(entries), sum(not entry.finished for entry in entries)


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    odd = [one for one in arguments if not re.fullmatch(r"[a-z]{2,3}(_[A-Z]{2})?", one)]
    if odd:
        sys.exit(f"{odd[0]!r} is no language: give codes such as de or pt_BR, or nothing for those that there are.")
    for language in arguments or available_languages():
        total, unfinished = update(language)
        sys.stdout.write(f"{translation_file(language).name}: {total} entries, {unfinished} unfinished\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
