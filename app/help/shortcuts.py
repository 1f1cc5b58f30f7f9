"""Keyboard shortcuts, collected from the actions of the window and of the built pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence

from app.help.page_help import page_help


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Keys in the system's notation, their effect, and the page that they work on (empty: every page)."""

    keys: str
    text: str
    place: str = ""


def action_shortcuts(actions: Iterable[QAction], place: str = "") -> Iterator[Shortcut]:
    """The shortcuts of the actions that have keys, without duplicates."""
    seen = set[tuple[str, str]]()
    for action in actions:
        text = action.text().replace("&", "")
        for keys in action.shortcuts():
            shown = keys.toString(QKeySequence.SequenceFormat.NativeText)
            if shown and (shown, text) not in seen:
                seen.add((shown, text))
                yield Shortcut(shown, text, place)


def page_shortcuts(page: str, place: str) -> Iterator[Shortcut]:
    """The keys of a page that do not belong to an action."""
    for keys, text in page_help(page).keys:
        yield Shortcut(keys, text, place)
