"""Which token each character of a shown text came from.

TokenEvents (raw text → token) ──align──▶ shown text → token
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterator
from itertools import accumulate

from app.chat.draft_underlines import Spans, spans
from workflows.wire.events import TokenEvent

_LOOKAHEAD = 48
_SECOND = "\ue000"  # stands for the second half of a letter; of the private use area, where no text has its letters
SOME = 2000
"""Characters that are aligned between two pauses: about two milliseconds."""


class TokenMap:
    """The token of each character of the shown text, computed when first needed."""

    def __init__(self, tokens: list[TokenEvent], shown: str) -> None:
        self.tokens = tokens
        self._shown = shown
        self._owners: list[int] | None = None
        self._spans: dict[int, tuple[int, int]] = {}

    def token_at(self, position: int) -> int:
        """The index of the token at a character of the shown text, or -1."""
        owners = self.owners()
        return owners[position] if 0 <= position < len(owners) else -1

    def span(self, index: int) -> tuple[int, int]:
        """The characters [first, last) of the shown text that came from a token."""
        self.owners()
        return self._spans.get(index, (0, 0))

    def owners(self) -> list[int]:
        """The index of the token of each character of the shown text, or -1."""
        if self._owners is None:
            for _pause in self.in_steps():
                pass
        assert self._owners is not None
        return self._owners

    def in_steps(self) -> Generator[None, None, None]:
        """Computes the map with pauses; does nothing if it is computed."""
        if self._owners is not None:
            return
        ends = list(accumulate(len(t.text) for t in self.tokens))
        owners, found = list[int](), dict[int, tuple[int, int]]()
        for position, raw in enumerate(_aligned("".join(t.text for t in self.tokens), self._shown)):
            index = bisect_right(ends, raw) if raw >= 0 else -1
            owners.append(index)
            if index >= 0:
                found[index] = (found.get(index, (position, 0))[0], position + 1)
            if position % SOME == SOME - 1:
                yield
        self._owners, self._spans = owners, found

    def drafted(self) -> Spans:
        """The drafted parts of the text."""
        yield from self.in_steps()
        return spans(self.owners(), self.tokens)


def align(raw: str, shown: str) -> list[int]:
    """The place in `raw` of each character of `shown`, or -1.

    Rendering removes marks (`**`, backticks) and changes white space; the rest keeps its order.
    """
    return list(_aligned(raw, shown))


def _aligned(raw: str, shown: str) -> Iterator[int]:
    at, found = 0, -1
    for character in shown:
        if character == _SECOND:
            yield found
            continue
        if character in "\u2028\u2029\u00a0":
            character = " " if character == "\u00a0" else "\n"
        found = raw.find(character, at, at + _LOOKAHEAD)
        if character.isspace() and found > at:
            found = at if at < len(raw) and raw[at].isspace() else -1
        yield found
        at = found + 1 if found >= 0 else at


def units(text: str) -> str:
    """The text with one item per Qt position: a character beyond the first plane takes two, the second one empty."""
    return "".join(letter + _SECOND if ord(letter) > 0xFFFF else letter for letter in text)
