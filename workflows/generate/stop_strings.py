"""Stop strings in streamed text: the beginning of a possible one is held back, and nothing after one is emitted."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.generate.detokenizer import partial_match_length


class StopFilter:
    """Passes text on up to the first of `stops`. stopped: whether one was found."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops, self._held = tuple(stops), ""
        self.stopped = False

    def push(self, text: str) -> str:
        """The part of held text and `text` that cannot belong to a stop string."""
        if not self._stops:
            return text
        if self.stopped:
            return ""
        self._held += text
        places = [place for stop in self._stops if (place := self._held.find(stop)) >= 0]
        self.stopped = bool(places)
        keep = len(self._held) - partial_match_length(self._held, self._stops)
        passed, self._held = self._held[: min(places, default=keep)], self._held[keep:]
        return passed

    def flush(self) -> str:
        """The held text, at the end of the text."""
        return "" if self.stopped else self._held
