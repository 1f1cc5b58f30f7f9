"""How far back a cache can go.

0 ├─┤        ├──────────┤ length
   0 always   whose next token has a slot for each position that it sees
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflows.common.errors import RewindError

if TYPE_CHECKING:
    from workflows.kvcache.cache import KVCache


def rewindable_lengths(cache: KVCache) -> tuple[range, ...]:
    """The lengths that can be gone back to, as half-open ranges.

    A length L is legal where every position that the next token sees, (L - window, L) and the sinks, still has its
    slot. What is carried from step to step knows no way back.
    """
    lowest, evicted = cache.length if cache.carried else 0, cache.evicted
    if evicted:
        lowest = max([lowest, *(evicted + g.sinks + g.window - 1 for g in cache.groups if g.window)])
    if lowest <= 1:
        return (range(0, cache.length + 1),)
    return range(0, 1), range(min(lowest, cache.length), cache.length + 1)


def check_rewind(cache: KVCache, length: int) -> None:
    """Raises RewindError that names the legal lengths for one that is none."""
    legal = cache.rewindable()
    if not any(length in lengths for lengths in legal):
        named = " and ".join(f"{r[0]}" if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in legal)
        raise RewindError(f"The cache cannot go back to {length:,} tokens: it can go to {named}.", legal)
