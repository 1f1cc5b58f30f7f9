"""The cache's table, masks and rewinds as literal arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.kvcache.fake import feed, make, mask, table
from workflows.common.errors import CapacityError, GraphError, RewindError
from workflows.common.tensors import TensorSpec
from workflows.kvcache import KVCache, StateTensor
from workflows.kvcache.cache_inputs import EMPTY
from workflows.kvcache.geometry import GroupFacts, StateFacts
from workflows.kvcache.incremental_step import incremental_step
from workflows.kvcache.layouts import layout_named

X = np.finfo(np.float32).min  # hidden


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
    cache.buffers.fresh("present.0.key", step.width)[:] = 99
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
    assert (cache.allocated, cache.buffers.generation) == (64, 0)
    feed(cache, list(range(61, 71)))
    assert (cache.allocated, cache.buffers.generation) == (128, 1)
    assert cache.past("past.1.value")[0, 0, :70, 0].tolist() == [2 * i for i in range(1, 71)]
    feed(cache, list(range(71, 1001)))
    assert cache.allocated == cache.length == 1000


@pytest.mark.parametrize("layout", ["static", "window", "fifo", "gqa"])
def test_what_a_longer_sequence_needed_goes_with_the_next_step(layout: str) -> None:
    cache = make(layout, 1000)
    feed(cache, list(range(1, 601)))
    assert cache.allocated == 768
    cache.rewind(300)
    feed(cache, [5])
    assert cache.allocated == 384 and cache.past("past.0.key").shape == (1, 1, 384, 2)
    rows = cache.rows()[1]["past.1.value"][0, 0, :, 0]
    assert rows.tolist() == [2 * i for i in [*range(1, 301), 5]]
    generation = cache.buffers.generation
    for length in range(300, 200, -1):  # what a draft takes back is no reason
        cache.rewind(length)
        feed(cache, [7])
    assert cache.buffers.generation == generation
    cache.reset()
    step = feed(cache, [9])
    assert (cache.allocated, cache.buffers.generation) == (64, generation + 1)
    assert cache.rows()[1]["past.0.key"].tolist() == [[[[9, 9]]]]
    if layout != "gqa":
        assert step.inputs["attention_mask"].shape == (1, 1, 1, 65)


def test_rows_that_come_back_before_a_step_need_no_other_buffer() -> None:
    """As when a search of several texts goes from one to another."""
    cache = make("static", 1000)
    feed(cache, list(range(1, 601)))
    rows = []
    for length in range(600, 40, -1):
        cache.rewind(length)
        rows.append(cache.newest())
    cache.append(rows[-2::-1])
    feed(cache, [601])
    assert (cache.allocated, cache.buffers.generation, cache.length) == (768, 1, 601)
    assert cache.past("past.0.key")[0, 0, :601, 0].tolist() == list(range(1, 602))


def test_past_is_the_cache_s_own_memory() -> None:
    cache = make("static", 64)
    addresses = {name: cache.past(name).ctypes.data for name in cache.names}
    for token in range(1, 60):
        feed(cache, [token])
    assert {name: cache.past(name).ctypes.data for name in cache.names} == addresses
    assert all(cache.past(name).flags["C_CONTIGUOUS"] for name in cache.names)


def test_the_picture_reports_runs_of_slots() -> None:
    cache = make("window", 4, layers=3)
    feed(cache, [1, 2, 3, 4, 5, 6])
    (view,) = cache.view()
    assert view.runs == [(0, 4, 2), (2, 2, 2)]
    assert (view.layers, view.length, view.evicted, view.capacity, view.window) == ([0, 1, 2], 6, 2, 4, 4)
    assert (view.bytes, view.dtype, view.writer, view.shape) == (3 * 2 * 4 * 2 * 4, "float32", "host", [1, 1, 4, 2])


def test_a_capacity_beyond_the_graph_s_slots_is_refused() -> None:
    with pytest.raises(GraphError, match="has 8 slots"):
        make("static", 9, slots=8)


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
    facts = StateFacts("scatter", (GroupFacts("all", "attention_mask", (0,), 2),), joins="place")
    state = [StateTensor(f"past.0.{r}", f"present.0.{r}", 0, r, shape, "float32", "graph") for r in ("key", "value")]
    cache = KVCache(state, layout_named("scatter"), 5, facts, drivers)
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
    with pytest.raises(GraphError, match="1 tokens in 3 columns do not fit the cache of 5 after 3"):
        cache.plan([5], 3)
    padded = cache.plan([5], 2)  # the padding is written behind the token, and the next token takes its slot
    assert padded.inputs["attention_mask"][0, 0].tolist() == [[X, X, 0, 0, X], [X, X, 0, 0, X]]
    assert (padded.inputs["nonpad_kv_seqlen"].tolist(), padded.inputs["seqlens_k"].tolist()) == ([5], [4])
    assert cache.buffers.fresh("present.0.key", 1).ctypes.data == cache.past("past.0.key").ctypes.data


@pytest.mark.parametrize(("layout", "capacity"), [("static", 16), ("window", 9), ("window", 3)])
def test_tokens_see_their_own_chunk_alone(layout: str, capacity: int) -> None:
    """Of chunks of 4 positions, whatever slots they are in, and of that no more than a ring still has."""

    def seen(at: int, key: int) -> bool:
        return EMPTY < key <= at and key // 4 == at // 4 and at - key < capacity

    shape, group = (1, 1, "capacity", 2), GroupFacts("chunk4", "attention_mask", (0,), 4, chunked=True)
    state = [StateTensor(f"past.0.{r}", f"present.0.{r}", 0, r, shape, "float32", "host") for r in ("key", "value")]
    cache = KVCache(state, layout_named(layout), capacity, StateFacts("host", (group,)))
    start = 0
    for tokens in (3, 1, 1, 2, 1, 4, 1, 1):
        held = cache.groups[0].table.tolist()
        step = feed(cache, [*range(1, tokens + 1)])
        keys, new = [*held, *range(start, start + tokens)], range(start, start + tokens)
        assert mask(step) == [[0 if seen(at, key) else X for key in keys] for at in new]
        start += tokens
    assert incremental_step(cache, ()) is None  # at a chunk's end all keys are hidden at once
