"""Every layout and every kind of graph against a plain list of tokens, whatever is done in whatever order."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflows.kvcache.fake import FORMS, feed, make, run, seen, table
from workflows.common.errors import CapacityError, GraphError, RewindError
from workflows.kvcache import KVCache
from workflows.kvcache.cache_file import load_cache, save_cache
from workflows.kvcache.cache_inputs import EMPTY

TOKENS = st.lists(st.integers(1, 9), min_size=1, max_size=9)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("feed"), TOKENS, st.integers(0, 3)),
        st.tuples(st.just("cancel"), TOKENS, st.integers(0, 3)),
        st.tuples(st.just("rewind"), st.integers(0, 40), st.just(0)),
        st.tuples(st.just("save"), st.just(0), st.just(0)),
    ),
    max_size=25,
)
# (layout, form): every pair that there is
KINDS = [("gqa", "append"), ("scatter", "append"), ("static", "count"), ("window", "append"), ("fifo", "append")]
KINDS += [("static", form) for form in FORMS if form != "count"]
KINDS += [("window", form) for form in ("append, one mask row", "append, joined", "slide", "slide, whole buffer")]
CASES = {
    "kind": st.sampled_from(KINDS),
    "capacity": st.integers(1, 12),
    "fixed": st.booleans(),
    "pad_left": st.booleans(),
    "bucket": st.sampled_from([1, 2, 64]),  # at 64 such short sequences never grow
    "reserved": st.booleans(),
    "actions": ACTIONS,
}


@settings(max_examples=800, deadline=None)
@given(**CASES)
def test_any_interleaving_equals_a_plain_list(
    kind: tuple[str, str], capacity: int, fixed: bool, pad_left: bool, bucket: int, reserved: bool, actions: list
) -> None:
    with patch("workflows.kvcache.buffers._BUCKET", bucket):
        interleave(kind, capacity, fixed, pad_left, actions, reserved)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(**CASES)
def test_ten_thousand_interleavings(
    kind: tuple[str, str], capacity: int, fixed: bool, pad_left: bool, bucket: int, reserved: bool, actions: list
) -> None:
    with patch("workflows.kvcache.buffers._BUCKET", bucket):
        interleave(kind, capacity, fixed, pad_left, actions, reserved)


@pytest.mark.slow
@pytest.mark.parametrize("pad_left", [False, True])
@settings(max_examples=10_000, deadline=None)
@given(capacity=CASES["capacity"], fixed=CASES["fixed"], bucket=CASES["bucket"], actions=ACTIONS)
def test_ten_thousand_of_the_fifo(pad_left: bool, capacity: int, fixed: bool, bucket: int, actions: list) -> None:
    with patch("workflows.kvcache.buffers._BUCKET", bucket):
        interleave(("fifo", "append"), capacity, fixed, pad_left, actions)


def interleave(
    kind: tuple[str, str], capacity: int, fixed: bool, pad_left: bool, actions: list, reserved: bool = False
) -> None:
    """Steps, cancelled steps, rewinds, saves and loads, against the plain list of tokens."""
    layout, form = kind
    slots = capacity + 2 if fixed and form != "count" else "capacity"

    def fresh() -> KVCache:
        made = make(layout, capacity, slots, form=form, pad_left=pad_left)
        if reserved:
            made.buffers.reserve()
        return made

    cache, tokens = fresh(), []
    evicts = cache.layout.evicts
    lowest = 0  # the oldest position that was never overwritten
    for action, value, padding in actions:
        if action == "rewind":
            tokens, lowest = rewound(cache, tokens, lowest, value)
        elif action == "save":
            cache = saved_and_loaded(cache, tokens, fresh())
        else:
            width = len(value) + padding
            if not evicts and len(tokens) + len(value) > capacity:
                with pytest.raises(CapacityError):
                    cache.plan(value, width)
            elif width > 1 and cache.fitting_tokens(len(tokens), len(value), width) < len(value):
                places = cache.layout.writer != "host" or FORMS[form][0] == "place"
                assert len(tokens) + width > capacity or (pad_left and places)
                with pytest.raises(GraphError, match="feed one token a step"):
                    cache.plan(value, width)
            elif action == "cancel":
                run(cache, [9 - token for token in value], width)
            else:
                tokens, lowest = fed(cache, tokens, lowest, value, width, form)
        check_rows(cache, tokens, lowest)


def fed(cache: KVCache, tokens: list[int], lowest: int, new: list[int], width: int, form: str) -> tuple[list[int], int]:
    """A step in which every query sees exactly the tokens that full or banded attention gives it."""
    step = run(cache, new, width)
    window = cache.capacity if cache.layout.evicts else len(tokens) + len(new)
    ordered = cache.layout.slides or not cache.layout.evicts  # a ring has them in another order
    for row, keys in enumerate(seen(cache, step, form)):
        query = len(tokens) + row
        expected = (tokens + new)[max(0, query - window + 1) : query + 1]
        assert (keys if ordered else sorted(keys)) == (expected if ordered else sorted(expected))
    cache.commit(step)
    tokens = tokens + new
    return tokens, max(lowest, len(tokens) - cache.capacity) if cache.layout.evicts else 0


def rewound(cache: KVCache, tokens: list[int], lowest: int, length: int) -> tuple[list[int], int]:
    if any(length in lengths for lengths in cache.rewindable()):
        cache.rewind(length)
        return tokens[:length], lowest if length else 0
    with pytest.raises(RewindError):
        cache.rewind(length)
    return tokens, lowest


def saved_and_loaded(cache: KVCache, tokens: list[int], other: KVCache) -> KVCache:
    with tempfile.TemporaryDirectory() as folder:
        save_cache(cache, tokens, "model", Path(folder) / "cache")
        assert load_cache(other, "model", Path(folder) / "cache") == tokens
    return other


def check_rows(cache: KVCache, tokens: list[int], lowest: int) -> None:
    held = {position: slot for slot, position in enumerate(table(cache)) if position != EMPTY}
    assert cache.length == len(tokens)
    assert sorted(held) == list(range(min(lowest, len(tokens)), len(tokens)))
    rows = cache.past("past.1.key").reshape(-1, 2)[:, 0]
    assert [int(rows[held[position]]) for position in sorted(held)] == [2 * tokens[p] for p in sorted(held)]
    if cache.layout.slides and held:
        assert max(held.values()) == cache.allocated - 1  # the newest is in the last slot
    assert len(held) <= cache.capacity


def test_rows_slide_as_literal_arrays() -> None:
    cache = make("fifo", 4, slots=4)
    feed(cache, [1, 2, 3], width=5)
    assert (table(cache), cache.past("past.0.key")[0, 0, :, 0].tolist()) == ([EMPTY, 0, 1, 2], [0, 1, 2, 3])
    feed(cache, [4, 5])
    assert (table(cache), cache.past("past.1.value")[0, 0, :, 0].tolist()) == ([1, 2, 3, 4], [4, 6, 8, 10])
    assert (cache.evicted, cache.rewindable()) == (1, (range(0, 1), range(4, 6)))
    with pytest.raises(RewindError, match="it can go to 0 and 4 to 5"):
        cache.rewind(3)
    cache.rewind(4)
    assert (table(cache), cache.past("past.0.key")[0, 0, 1:, 0].tolist()) == ([EMPTY, 1, 2, 3], [2, 3, 4])
    assert cache.view()[0].runs == [(1, 1, 3)]
    assert cache.view()[0].slides
