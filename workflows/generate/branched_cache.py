"""Several continuations of one text over one cache: each keeps the rows of its tokens, which are written back.

prompt ──▶ root ─┬─ a ─┬─ b   the cache holds one path at a time; switching to another rewinds to the common prefix,
                 └─ c  └─ d   and writes the rows of the tokens after it
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
    """A token after its parent; the root is the common text. rows: of the token; None before it was fed."""

    parent: TokenBranch | None = None
    token: int = -1
    rows: Rows | None = field(default=None, repr=False)

    def path(self) -> list[TokenBranch]:
        """The branches from the first one after the root to this one."""
        found: list[TokenBranch] = []
        one = self
        while one.parent is not None:
            found.append(one)
            one = one.parent
        return found[::-1]

    @property
    def tokens(self) -> list[int]:
        """The tokens after the root."""
        return [one.token for one in self.path()]


class BranchedCache:
    """The branches after what the machine's cache holds now. Raises RequestError for a cache that cannot be rewound.

    length: the most tokens of a branch, all of which the cache must be able to hold.
    """

    def __init__(self, machine: Machine, length: int) -> None:
        cache = machine.cache
        if cache.carried:
            raise RequestError(
                "Beams need a cache that can be rewound, and this model has another state: use one beam."
            )
        if cache.layout.evicts and cache.length + length > cache.capacity:
            raise RequestError(
                f"Beams need a cache that keeps every token, and the {cache.layout.name} cache of {cache.capacity:,} "
                "would evict some: open it with a larger --capacity, or request fewer tokens."
            )
        self._machine, self._base = machine, cache.length
        self._held: list[TokenBranch] = []  # the path whose rows are in the cache
        self.root = TokenBranch()

    def logits(self, branch: TokenBranch) -> Logits:
        """Feeds `branch` and returns a copy of the logits [V] after it; the next branch overwrites the original.

        Raises what Machine.step and last_logits raise.
        """
        path = branch.path()
        self._hold(path[:-1])
        logits = last_logits(self._machine, [branch.token], "decode").copy()
        branch.rows = self._machine.cache.newest()
        self._held = path
        return logits

    def hold(self, branch: TokenBranch) -> None:
        """Makes the cache hold the path to `branch`, all of whose tokens were fed."""
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
