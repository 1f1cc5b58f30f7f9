"""Notices to the person, each of which is given once per open bundle."""

from __future__ import annotations

from workflows.wire.events import NoticeEvent


class Notices:
    """Notices that wait for the next generation, whose events begin with them."""

    def __init__(self) -> None:
        self._given: set[str] = set()  # codes
        self._waiting: list[NoticeEvent] = []

    def add(self, code: str, message: str) -> None:
        """Has the next generation give a notice, unless one of this code was given before."""
        if code not in self._given:
            self._given.add(code)
            self._waiting.append(NoticeEvent(code=code, message=message))

    def take(self) -> list[NoticeEvent]:
        """The waiting notices, which wait no longer."""
        waiting, self._waiting = self._waiting, []
        return waiting
