"""Every shortcut there is, from the actions themselves: the window's, and those of the pages that were built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence

from app.help.page_help import page_help


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Its keys as the system writes them, what they do, and on which page; empty for everywhere."""

    keys: str
    text: str
    place: str = ""


def action_shortcuts(actions: Iterable[QAction], place: str = "") -> Iterator[Shortcut]:
    """Those that have keys, each once."""
    seen = set[tuple[str, str]]()
    for action in actions:
        text = action.text().replace("&", "")
        for keys in action.shortcuts():
            shown = keys.toString(QKeySequence.SequenceFormat.NativeText)
            if shown and (shown, text) not in seen:
                seen.add((shown, text))
                yield Shortcut(shown, text, place)


def page_shortcuts(page: str, place: str) -> Iterator[Shortcut]:
    """The keys of a page that are no actions."""
    for keys, text in page_help(page).keys:
        yield Shortcut(keys, text, place)
