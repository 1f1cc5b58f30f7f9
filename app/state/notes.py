"""Notes and errors of the frame, each with its owner: what has to be in front for it to hold.

show_note, show_error ──▶ Notes ──changed──▶ the note's line, the error's banner
    bundle, page, look, draft, session in front ─┘ ◀──act, drop── their buttons

A note whose page is not in front is hidden until it is; one whose bundle, look, draft or session has gone is gone too.
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
    """One sentence, and perhaps a button. details: of an error. owner: what must be in front; empty for nothing."""

    message: str
    action: str = ""
    on_action: Callable[[], object] | None = None
    owner: NoteOwner = field(default_factory=dict)
    details: str = ""
    error: bool = False


class Notes(QObject):
    """Those that hold, the newest last."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notes: list[Note] = []
        self._front: NoteOwner = {}

    @property
    def here(self) -> NoteOwner:
        """The page and the bundle that are in front: the owner of what is said of them."""
        return {fact: self._front.get(fact) for fact in ("page", "bundle")}

    @property
    def of_bundle(self) -> NoteOwner:
        """The bundle that is in front, on whatever page."""
        return {"bundle": self._front.get("bundle")}

    def show(self, note: Note) -> Note:
        """Takes the place of one that says the same."""
        self._notes = [one for one in self._notes if (one.message, one.error) != (note.message, note.error)]
        self._notes.append(note)
        self.changed.emit()
        return note

    def drop(self, note: Note | None) -> None:
        """It holds no more, or was read."""
        if note is not None and note in self._notes:
            self._notes.remove(note)
            self.changed.emit()

    def bring(self, fact: Fact, value: object) -> None:
        """Something else is in front."""
        if self._front.get(fact) != value:
            self._front[fact] = value
            if fact != "page":
                self._notes = [note for note in self._notes if note.owner.get(fact, value) == value]
            self.changed.emit()

    def shown(self, error: bool) -> Note | None:
        """The newest error, or note, whose owner is in front."""
        return next((note for note in reversed(self._notes) if note.error == error and self._holds(note)), None)

    def act(self, note: Note | None) -> None:
        """Do what its button says, once; nothing where it holds no more."""
        if note is not None and note in self._notes and self._holds(note):
            self.drop(note)
            if note.on_action is not None:
                note.on_action()

    def _holds(self, note: Note) -> bool:
        return all(self._front.get(fact) == value for fact, value in note.owner.items())
