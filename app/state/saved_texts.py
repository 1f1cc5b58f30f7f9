"""The texts on the pages of bundles that compare or classify texts, for the next start.

texts.json: {use of the bundle: the text in the field}
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.state.json_file import JsonFile


class SavedTexts:
    """The file in `folder`. notify: called with a message when the file cannot be read or written."""

    def __init__(self, folder: Path, notify: Callable[[str], None]) -> None:
        title = "The list of texts to compare or classify"
        self._file = JsonFile(folder / "texts.json", _decode, dict, dict[str, str], notify, title)

    def of(self, use: str) -> str:
        """The text of a page; empty before the first."""
        return self._file.load().get(use, "")

    def save(self, texts: dict[str, str]) -> None:
        """Saves the texts of these pages, if they changed; those of other pages stay."""
        if any(self._file.load().get(use, "") != text for use, text in texts.items()):
            self._file.change(lambda saved: saved | texts, {})


def _decode(value: Any) -> dict[str, str]:
    return {str(use): str(text) for use, text in value.items()}
