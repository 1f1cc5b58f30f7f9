"""N-gram drafts (prompt lookup decoding): the tokens that followed an earlier occurrence of the last tokens."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft
from workflows.generate.speculative.draft_tree import TreeShape, merge_paths


class NGramProposer:
    """Looks up the last `min_match` tokens among the `window` tokens before them; drafts at most `max_draft` tokens.

    For one generation: an index of n-grams grows with the text, so that a lookup costs only the new tokens. Of several
    occurrences the one with the longest common context before it wins, of equal ones the last.
    """

    name = "ngram"
    PLACES = 8  # occurrences that are compared: text that repeats one token has thousands

    def __init__(self, min_match: int = 2, max_draft: int = 8, window: int = 4096) -> None:
        self._least, self._most, self._window = min_match, max_draft, window
        self._ids: list[int] = []
        self._places: dict[tuple[int, ...], list[int]] = {}

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """See Proposer."""
        self._read(ids)
        wanted, places = min(count, self._most), self._matches(ids)
        return Draft(tuple(self._continued(places[0], wanted))) if wanted > 0 and places else EMPTY_DRAFT

    def branch(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        """See TreeProposer: the continuations of all occurrences."""
        self._read(ids)
        wanted = min(tree.depth, self._most)
        return merge_paths([self._continued(place, wanted) for place in self._matches(ids)], tree.nodes)

    def _matches(self, ids: Sequence[int]) -> list[int]:
        """The indices after earlier occurrences of the last tokens, the best first."""
        key, first = tuple(ids[-self._least :]), len(ids) - self._window
        places = [place for place in self._places.get(key, ()) if place >= first][-self.PLACES :]
        return sorted(places, key=lambda end: (self._agreeing(end), end), reverse=True)

    def _read(self, ids: Sequence[int]) -> None:
        """Indexes the n-grams that have a token after them."""
        known = len(self._ids)
        self._ids.extend(ids[known:])
        for end in range(max(known, self._least), len(ids)):
            self._places.setdefault(tuple(self._ids[end - self._least : end]), []).append(end)

    def _agreeing(self, end: int) -> int:
        """How many tokens before index `end` equal those before the end of the text, 16 at most."""
        ids, size = self._ids, 0
        while size < min(16, end) and ids[end - 1 - size] == ids[-1 - size]:
            size += 1
        return size

    def _continued(self, place: int, count: int) -> list[int]:
        """`count` tokens from index `place` on, repeated from there where the text ends."""
        period = len(self._ids) - place
        return [self._ids[place + i % period] for i in range(count)]
