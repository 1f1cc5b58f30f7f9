"""Stop strings while text streams: what could begin one is held until that is told, and nothing after one gets out."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.generate.detokenizer import partial_match_length


class StopFilter:
    """Lets text through up to the first of `stops`; `stopped` says that one has come."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops, self._held = tuple(stops), ""
        self.stopped = False

    def push(self, text: str) -> str:
        """What of `text`, and of what was held before it, is certainly no part of a stop string."""
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
        """What was held, for nothing follows that could make it a stop string."""
        return "" if self.stopped else self._held
