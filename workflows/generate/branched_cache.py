"""Several continuations of one text over one cache: each remembers the rows of its own tokens, and they are put back.

prompt ──▶ root ─┬─ a ─┬─ b   the cache holds one path at a time; going to another one forgets the tokens behind
                 └─ c  └─ d   what the two share, and writes the rows of those that follow
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workflows.common.errors import RequestError
from workflows.common.tensors import Array
from workflows.generate.logits import Logits, last_logits
from workflows.runtime import Machine

Rows = Mapping[str, Array]


@dataclass(eq=False)
class TokenBranch:
    """A token behind its parent; the root is the text that all have in common. rows: None before it was fed."""

    parent: TokenBranch | None = None
    token: int = -1
    rows: Rows | None = field(default=None, repr=False)

    def path(self) -> list[TokenBranch]:
        """The branches from the first one behind the root to this one."""
        found: list[TokenBranch] = []
        one = self
        while one.parent is not None:
            found.append(one)
            one = one.parent
        return found[::-1]

    @property
    def tokens(self) -> list[int]:
        """The tokens behind the root."""
        return [one.token for one in self.path()]


class BranchedCache:
    """The branches behind what the machine's cache holds now. Raises RequestError for a cache that cannot go back.

    length: tokens that branches may have, all of which the cache must be able to keep.
    """

    def __init__(self, machine: Machine, length: int) -> None:
        cache = machine.cache
        if cache.carried:
            raise RequestError("Beams need a cache that can go back, and this model carries a state on: use one beam.")
        if cache.layout.evicts and cache.length + length > cache.capacity:
            raise RequestError(
                f"Beams need a cache that keeps every token, and the {cache.layout.name} cache of {cache.capacity:,} "
                "would forget some: open it with a larger --capacity, or ask for fewer tokens."
            )
        self._machine, self._base = machine, cache.length
        self._held: list[TokenBranch] = []  # the path whose rows the cache has
        self.root = TokenBranch()

    def logits(self, branch: TokenBranch) -> Logits:
        """The logits [V] after `branch`, which is fed: a copy, for the next branch's come to the same place.

        Raises what Machine.step and last_logits raise.
        """
        path = branch.path()
        self._hold(path[:-1])
        logits = last_logits(self._machine, [branch.token], "decode").copy()
        branch.rows = self._machine.cache.newest()
        self._held = path
        return logits

    def hold(self, branch: TokenBranch) -> None:
        """Makes the cache hold the path to `branch`, whose tokens were all fed."""
        self._hold(branch.path())

    def _hold(self, path: list[TokenBranch]) -> None:
        shared = sum(1 for _ in _shared_path(self._held, path))
        cache = self._machine.cache
        cache.rewind(self._base + shared)
        missing = [branch.rows for branch in path[shared:]]
        if missing:
            cache.append([rows for rows in missing if rows is not None])
        self._held = path


def _shared_path(one: list[TokenBranch], other: list[TokenBranch]) -> Iterator[TokenBranch]:
    for a, b in zip(one, other, strict=False):
        if a is not b:
            return
        yield a
