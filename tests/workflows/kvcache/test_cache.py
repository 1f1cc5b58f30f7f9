"""The cache's table, masks and rewinds as literal arrays, and against a plain list of tokens."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflows.errors import CapacityError, GraphError, RewindError
from workflows.kvcache import KVCache, StateTensor, Step
from workflows.kvcache.cache import EMPTY
from workflows.kvcache.geometry import GroupFacts
from workflows.kvcache.layouts import layout_named
from workflows.kvcache.store import load_cache, save_cache
from workflows.tensors import TensorSpec

X = np.finfo(np.float32).min  # hidden


def make(layout: str, capacity: int, slots: int | str = "capacity", layers: int = 2) -> KVCache:
    shape = (1, slots, 2) if layout == "scatter" else (1, 1, slots, 2)
    writer = "host" if layout in ("static", "window") else "graph"
    state = [
        StateTensor(f"past.{i}.{role}", f"present.{i}.{role}", i, role, shape, "float32", writer)
        for i in range(layers)
        for role in ("key", "value")
    ]
    return KVCache(state, layout_named(layout), capacity)


def feed(cache: KVCache, tokens: list[int], width: int | None = None) -> Step:
    """A graph that writes each token's id into its row, times the layer's number plus one."""
    step = run(cache, tokens, width)
    cache.commit(step)
    return step


def run(cache: KVCache, tokens: list[int], width: int | None = None) -> Step:
    """The graph alone: it writes the new rows, or, in place, the rows from the step's first position on."""
    step = cache.plan(tokens, width)
    for name in cache.fresh_names:
        rows = step.inputs["input_ids"][0] * (int(name.split(".")[1]) + 1)
        target = cache.fresh(name, step.width).reshape(-1, 2)  # one head: [slots, 2]
        start = step.start if cache.layout.writer != "host" else 0
        target[start : start + step.width] = rows[:, None]
    return step


def table(cache: KVCache) -> list[int]:
    return [int(position) for position in cache.groups[0].table]


def mask(step: Step) -> list[list[float]]:
    return step.inputs["attention_mask"][0, 0].tolist()


def test_a_static_chunk_is_left_aligned_and_its_padding_sees_itself() -> None:
    cache = make("static", 4, slots=4)
    step = feed(cache, [11, 12], width=3)
    assert step.inputs["input_ids"].tolist() == [[11, 12, 0]]
    assert step.inputs["position_ids"].tolist() == [[0, 1, 0]]
    #                      past          | new
    assert mask(step) == [[X, X, X, X, 0, X, X], [X, X, X, X, 0, 0, X], [X, X, X, X, X, X, 0]]
    assert table(cache) == [0, 1, EMPTY, EMPTY]
    step = feed(cache, [13])
    assert mask(step) == [[0, 0, X, X, 0]]
    assert step.inputs["position_ids"].tolist() == [[2]]
    assert table(cache) == [0, 1, 2, EMPTY]
    assert cache.past("past.1.key")[0, 0, :, 0].tolist() == [22, 24, 26, 0]


def test_a_full_static_cache_refuses_and_stays_as_it_was() -> None:
    cache = make("static", 3)
    feed(cache, [1, 2, 3])
    with pytest.raises(CapacityError, match="holds 3 tokens"):
        cache.plan([4])
    assert (table(cache), cache.length) == ([0, 1, 2], 3)


def test_a_window_is_a_ring_in_which_the_oldest_gives_way() -> None:
    cache = make("window", 4)
    feed(cache, [1, 2, 3])
    step = feed(cache, [4, 5])
    assert mask(step) == [[0, 0, 0, X, 0, X], [X, 0, 0, X, 0, 0]]  # position 4 sees 1 … 4 and no more
    assert table(cache) == [4, 1, 2, 3]
    assert cache.evicted == 1
    assert cache.past("past.0.key")[0, 0, :, 0].tolist() == [5, 2, 3, 4]
    step = feed(cache, [6])
    assert mask(step) == [[0, X, 0, 0, 0]]
    assert step.inputs["position_ids"].tolist() == [[5]]
    assert table(cache) == [4, 5, 2, 3]


def test_a_chunk_longer_than_the_window_keeps_its_end() -> None:
    cache = make("window", 3)
    step = feed(cache, [1, 2, 3, 4, 5])
    assert mask(step) == [
        [X, X, X, 0, X, X, X, X],
        [X, X, X, 0, 0, X, X, X],
        [X, X, X, 0, 0, 0, X, X],
        [X, X, X, X, 0, 0, 0, X],
        [X, X, X, X, X, 0, 0, 0],
    ]
    assert table(cache) == [3, 4, 2]
    assert cache.past("past.0.value")[0, 0, :, 0].tolist() == [4, 5, 3]


def test_a_step_that_is_not_committed_leaves_no_trace() -> None:
    cache = make("window", 3)
    feed(cache, [1, 2, 3])
    before = (table(cache), cache.past("past.0.key").copy(), cache.length)
    step = cache.plan([4, 5])
    cache.fresh("present.0.key", step.width)[:] = 99
    assert (table(cache), cache.length) == (before[0], before[2])
    assert (cache.past("past.0.key") == before[1]).all()


def test_rewinding_names_the_legal_lengths() -> None:
    cache = make("window", 4)
    feed(cache, [1, 2, 3, 4, 5, 6])
    assert cache.rewindable() == (range(0, 1), range(5, 7))
    with pytest.raises(RewindError, match="can go to 0 and 5 to 6"):
        cache.rewind(3)
    cache.rewind(5)
    assert table(cache) == [4, EMPTY, 2, 3]
    cache.rewind(0)
    assert (table(cache), cache.length, cache.evicted) == ([EMPTY] * 4, 0, 0)


def test_a_growing_buffer_keeps_its_rows_and_says_that_it_moved() -> None:
    cache = make("static", 1000)
    feed(cache, list(range(1, 61)))
    assert (cache.allocated, cache.generation) == (64, 0)
    feed(cache, list(range(61, 71)))
    assert (cache.allocated, cache.generation) == (128, 1)
    assert cache.past("past.1.value")[0, 0, :70, 0].tolist() == [2 * i for i in range(1, 71)]
    feed(cache, list(range(71, 1001)))
    assert cache.allocated == cache.length == 1000


def test_past_is_the_cache_s_own_memory() -> None:
    cache = make("static", 64)
    addresses = {name: cache.past(name).ctypes.data for name in cache.names}
    for token in range(1, 60):
        feed(cache, [token])
    assert {name: cache.past(name).ctypes.data for name in cache.names} == addresses
    assert all(cache.past(name).flags["C_CONTIGUOUS"] for name in cache.names)


def test_the_picture_tells_runs_of_slots() -> None:
    cache = make("window", 4, layers=3)
    feed(cache, [1, 2, 3, 4, 5, 6])
    (view,) = cache.view()
    assert view.runs == [[0, 4, 2], [2, 2, 2]]
    assert (view.layers, view.length, view.evicted, view.capacity, view.window) == ([0, 1, 2], 6, 2, 4, 4)
    assert (view.bytes, view.dtype, view.writer, view.shape) == (3 * 2 * 4 * 2 * 4, "float32", "host", [1, 1, 4, 2])


def test_a_capacity_beyond_the_graph_s_slots_is_refused() -> None:
    with pytest.raises(GraphError, match="has 8 slots"):
        make("static", 9, slots=8)


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
CASES = {
    "layout": st.sampled_from(["static", "window", "gqa", "scatter"]),
    "capacity": st.integers(1, 12),
    "fixed": st.booleans(),
    "actions": ACTIONS,
}


@settings(max_examples=400, deadline=None)
@given(**CASES)
def test_any_interleaving_equals_a_plain_list(layout: str, capacity: int, fixed: bool, actions: list) -> None:
    interleave(layout, capacity, fixed, actions)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(**CASES)
def test_ten_thousand_interleavings(layout: str, capacity: int, fixed: bool, actions: list) -> None:
    interleave(layout, capacity, fixed, actions)


def interleave(layout: str, capacity: int, fixed: bool, actions: list) -> None:
    """Steps, cancelled steps, rewinds, saves and loads, against the plain list of tokens."""
    slots = capacity + 2 if fixed else "capacity"
    cache, tokens = make(layout, capacity, slots), []
    lowest = 0  # the oldest position that was never overwritten
    for action, value, padding in actions:
        width = len(value) + (padding if cache.layout.writer == "host" else 0) if isinstance(value, list) else 0
        if action == "rewind":
            tokens, lowest = rewound(cache, tokens, lowest, value)
        elif action == "save":
            cache = saved_and_loaded(cache, tokens, make(layout, capacity, slots))
        elif layout != "window" and len(tokens) + len(value) > capacity:
            with pytest.raises(CapacityError):
                cache.plan(value)
        elif action == "cancel":
            run(cache, [9 - token for token in value], width)
        else:
            step = feed(cache, value, width)
            if cache.layout.writer == "host":
                check_mask(step, tokens, value, capacity if layout == "window" else None)
            tokens = tokens + value
            lowest = max(lowest, len(tokens) - capacity) if layout == "window" else 0
        check_rows(cache, tokens, lowest)


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


def check_mask(step: Step, before: list[int], new: list[int], window: int | None) -> None:
    """Each query sees exactly the positions that full or banded attention gives it, each once."""
    seen = step.inputs["attention_mask"][0, 0] == 0
    slots = seen.shape[1] - step.width
    for row in range(len(new)):
        query = len(before) + row
        first = 0 if window is None else max(0, query - window + 1)
        fresh = {len(before) + int(i) for i in np.flatnonzero(seen[row, slots:])}
        assert fresh == {p for p in range(first, query + 1) if p >= len(before)}
        assert int(seen[row, :slots].sum()) == len(range(first, len(before)))


def test_in_place_masks_and_lengths_as_literal_arrays() -> None:
    drivers = {
        name: TensorSpec(name, shape, dtype)
        for name, shape, dtype in (
            ("attention_mask", (1, 1, "s", "c"), "float32"),
            ("write_indices", (1,), "int64"),
            ("nonpad_kv_seqlen", (1,), "int64"),
            ("seqlens_k", (1,), "int32"),
            ("total_sequence_length", (), "int32"),
        )
    }
    shape = (1, 5, 2)
    state = [StateTensor(f"past.0.{r}", f"present.0.{r}", 0, r, shape, "float32", "graph") for r in ("key", "value")]
    cache = KVCache(state, layout_named("scatter"), 5, (GroupFacts("all", "attention_mask", (0,), 2),), drivers)
    step = cache.plan([7, 8, 9])
    assert step.inputs["attention_mask"][0, 0].tolist() == [[0, X, X, X, X], [0, 0, X, X, X], [X, 0, 0, X, X]]
    cache.commit(step)
    step = cache.plan([5])
    assert step.inputs["attention_mask"][0, 0].tolist() == [[X, X, 0, 0, X]]
    assert {name: array.tolist() for name, array in step.inputs.items() if name != "attention_mask"} == {
        "write_indices": [3],
        "nonpad_kv_seqlen": [4],
        "seqlens_k": [3],
        "total_sequence_length": 4,
    }
    with pytest.raises(GraphError, match="takes no padding"):
        cache.plan([5], 2)
    assert cache.fresh("present.0.key", 1).ctypes.data == cache.past("past.0.key").ctypes.data
