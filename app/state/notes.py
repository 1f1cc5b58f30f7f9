"""Notes and errors of the main window, each with its owner: what must be in front for it to be shown.

show_note, show_error ──▶ Notes ──changed──▶ the note's line, the error's banner
    bundle, page, inspect target, recipe, session in front ─┘ ◀──act, drop── their buttons

A note of another page is hidden until that page is in front; a note of a bundle, inspect target, recipe or session that
is no longer in front is removed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QObject, Signal

Fact = Literal["bundle", "page", "look", "draft", "session"]
NoteOwner = dict[Fact, object]


@dataclass(eq=False)
class Note:
    """A sentence, with buttons. details: of an error. owner: what must be in front; empty for anything."""

    message: str
    actions: dict[str, Callable[[], object] | None] = field(default_factory=dict)
    """Text of a button → what it does, besides removing the note."""
    owner: NoteOwner = field(default_factory=dict)
    details: str = ""
    error: bool = False


class Notes(QObject):
    """The current notes, the newest last."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notes: list[Note] = []
        self._front: NoteOwner = {}

    @property
    def here(self) -> NoteOwner:
        """The page and the bundle in front, as the owner of a note about them."""
        return {fact: self._front.get(fact) for fact in ("page", "bundle")}

    @property
    def of_bundle(self) -> NoteOwner:
        """The bundle in front, on any page."""
        return {"bundle": self._front.get("bundle")}

    def show(self, note: Note) -> Note:
        """Shows a note; it replaces one with the same message."""
        self._notes = [one for one in self._notes if (one.message, one.error) != (note.message, note.error)]
        self._notes.append(note)
        self.changed.emit()
        return note

    def drop(self, note: Note | None) -> None:
        """Removes a note that no longer applies or was read."""
        if note is not None and note in self._notes:
            self._notes.remove(note)
            self.changed.emit()

    def set_front(self, fact: Fact, value: object) -> None:
        """Puts something else in front."""
        if self._front.get(fact) != value:
            self._front[fact] = value
            if fact != "page":
                self._notes = [note for note in self._notes if note.owner.get(fact, value) == value]
            self.changed.emit()

    def shown(self, error: bool) -> Note | None:
        """The newest error, or note, whose owner is in front."""
        return next((note for note in reversed(self._notes) if note.error == error and self._holds(note)), None)

    def act(self, note: Note | None, action: str = "") -> None:
        """Runs an action of a note, by default its first, once; nothing if the note no longer applies."""
        if note is not None and note in self._notes and self._holds(note):
            self.drop(note)
            act = note.actions[action or next(iter(note.actions))]
            if act is not None:
                act()

    def _holds(self, note: Note) -> bool:
        return all(self._front.get(fact) == value for fact, value in note.owner.items())
