"""Drafts from what was said before: what followed the last tokens the last time they came (prompt look-up decoding)."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft
from workflows.generate.speculative.draft_tree import TreeShape, merge_paths


class NGramProposer:
    """Looks the last `min_match` tokens up among the last `window` ones before them; drafts `max_draft` at most.

    For one generation: the places of n-grams are kept as its text grows, so that a look-up costs the new tokens alone.
    Of several places the one whose tokens before it agree furthest back is taken, of equal ones the last.
    """

    name = "ngram"
    PLACES = 8  # of one n-gram that are compared: text that is one token over and over has thousands

    def __init__(self, min_match: int = 2, max_draft: int = 8, window: int = 4096) -> None:
        self._least, self._most, self._window = min_match, max_draft, window
        self._ids: list[int] = []
        self._places: dict[tuple[int, ...], list[int]] = {}

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """See Proposer."""
        self._read(ids)
        wanted, places = min(count, self._most), self._found(ids)
        return Draft(tuple(self._continued(places[0], wanted))) if wanted > 0 and places else EMPTY_DRAFT

    def branch(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        """See Brancher: what followed at all of the places."""
        self._read(ids)
        wanted = min(tree.depth, self._most)
        return merge_paths([self._continued(place, wanted) for place in self._found(ids)], tree.nodes)

    def _found(self, ids: Sequence[int]) -> list[int]:
        """Where the last tokens came before, the best place first."""
        key, first = tuple(ids[-self._least :]), len(ids) - self._window
        places = [place for place in self._places.get(key, ()) if place >= first][-self.PLACES :]
        return sorted(places, key=lambda end: (self._agreeing(end), end), reverse=True)

    def _read(self, ids: Sequence[int]) -> None:
        """Takes up the n-grams that have a token after them."""
        known = len(self._ids)
        self._ids.extend(ids[known:])
        for end in range(max(known, self._least), len(ids)):
            self._places.setdefault(tuple(self._ids[end - self._least : end]), []).append(end)

    def _agreeing(self, end: int) -> int:
        """How many tokens before place `end` are those before the end of the text, 16 at most."""
        ids, size = self._ids, 0
        while size < min(16, end) and ids[end - 1 - size] == ids[-1 - size]:
            size += 1
        return size

    def _continued(self, place: int, count: int) -> list[int]:
        """`count` tokens from `place` on; a text that ends in a circle goes on in it."""
        period = len(self._ids) - place
        return [self._ids[place + i % period] for i in range(count)]
