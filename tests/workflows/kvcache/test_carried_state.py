"""State of fixed size: a graph that counts tokens in it, alone and beside keys and values; and going back to it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from workflows.common.errors import RecipeError, RewindError
from workflows.kvcache import KVCache, StateTensor
from workflows.kvcache.cache import slot_count
from workflows.kvcache.carried_state import SNAPSHOT_TOKENS, CarriedTensor, _least_useful
from workflows.kvcache.geometry import MASK, GroupFacts, StateFacts
from workflows.kvcache.layouts import LAYOUTS, STATE, choose_layout

COUNT = CarriedTensor("past.0.recurrent", "present.0.recurrent", (1, 2, 3), "float32")
ROWS = [
    StateTensor(f"past.1.{role}", f"present.1.{role}", 1, role, (1, 1, "slots", 2), "float32", "host")
    for role in ("key", "value")
]


def alone() -> KVCache:
    """Without keys and values; the capacity is smaller than the texts, for it has no meaning."""
    return KVCache([], LAYOUTS[STATE], 4, StateFacts("host", ()), carried=[COUNT])


def beside(layout: str = "static", capacity: int = 600) -> KVCache:
    """One layer of state, one of keys and values."""
    facts = StateFacts("host", (GroupFacts("all", MASK, (1,), None),))
    return KVCache(ROWS, LAYOUTS[layout], capacity, facts, carried=[COUNT])


def feed(cache: KVCache, tokens: int, width: int = 50) -> None:
    """The graph adds up its tokens in the state."""
    while tokens:
        step = cache.plan([1] * min(width, tokens))
        cache.buffers.fresh("present.0.recurrent", step.width)[...] = count(cache) + step.tokens
        cache.commit(step)
        tokens -= step.tokens


def count(cache: KVCache) -> float:
    return float(cache.past("past.0.recurrent")[0, 1, 2])


@pytest.mark.parametrize("make", [alone, beside])
def test_the_state_goes_back_to_the_snapshots_alone(make: object) -> None:
    cache = make()  # type: ignore[operator]
    feed(cache, 230)
    assert [lengths[0] for lengths in cache.rewindable()] == [0, 100, 200, 230]
    assert all(len(lengths) == 1 for lengths in cache.rewindable())
    with pytest.raises(RewindError, match="cannot go back to 150 tokens: it can go to 0 and 100 and 200 and 230"):
        cache.rewind(150)
    cache.rewind(230)
    assert (cache.length, count(cache)) == (230, 230)
    cache.rewind(100)
    assert (cache.length, count(cache)) == (100, 100)
    feed(cache, 7)
    assert [lengths[0] for lengths in cache.rewindable()] == [0, 100, 107]
    cache.rewind(0)
    assert (cache.length, count(cache), cache.carried.snapshots) == (0, 0, {})


def test_old_snapshots_become_sparse_and_memory_stays_bounded() -> None:
    """10,000 tokens in a cache that has no slots: a bounded number of copies, dense near the end."""
    cache = alone()
    feed(cache, 10_000, SNAPSHOT_TOKENS)
    kept = sorted(cache.carried.snapshots)
    assert len(kept) == 16 and cache.bytes == 17 * 6 * 4
    gaps = [after - before for before, after in pairwise(kept)]
    assert gaps[-1] == SNAPSHOT_TOKENS and gaps == sorted(gaps, reverse=True) and kept[0] < 5_000
    assert count(cache) == cache.length == 10_000 and cache.evicted == 0 and cache.has_room


def test_the_newest_snapshot_is_never_dropped() -> None:
    assert _least_useful(300, [100, 200, 300]) == 100
    assert _least_useful(1_000, [800, 900, 950, 1_000]) == 900


def test_a_snapshot_whose_rows_were_evicted_is_no_way_back() -> None:
    """A ring of 120 slots with a window of 40: at 230 tokens the rows before 110 are gone."""
    facts = StateFacts("host", (GroupFacts("all", MASK, (1,), 40),))
    cache = KVCache(ROWS, LAYOUTS["window"], 120, facts, carried=[COUNT])
    feed(cache, 230)
    assert cache.evicted == 110
    assert [lengths[0] for lengths in cache.rewindable()] == [0, 200, 230]


def test_a_cache_of_state_alone_has_no_other_layout() -> None:
    facts = StateFacts("gqa", ())
    assert choose_layout(None, "gqa", facts) is choose_layout("gqa", "gqa", facts) is LAYOUTS[STATE]
    with pytest.raises(RecipeError, match="keeps state of fixed size and no slots, so the window cache has no use"):
        choose_layout("window", "gqa", facts)


def test_a_cache_of_state_alone_has_no_slots() -> None:
    assert slot_count(alone()) == 0 and slot_count(beside(capacity=600)) == 600


def test_padding_never_enters_the_state() -> None:
    cache = beside()
    assert cache.fitting_tokens(0, 5, 8) == 0
    assert cache.fitting_tokens(0, 8, 8) == 8
