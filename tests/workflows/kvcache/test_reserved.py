"""Buffers that have the whole capacity's address space: they grow where they are, and take what is written."""

from __future__ import annotations

import numpy as np
import psutil
import pytest

from tests.workflows.kvcache.fake import feed, make
from workflows.common.memory import lazy_zeros
from workflows.kvcache import KVCache


def reserved(capacity: int = 1000) -> KVCache:
    cache = make("gqa", capacity)
    cache.buffers.reserve()
    return cache


def places(cache: KVCache) -> list[int]:
    return [cache.past(name).ctypes.data for name in cache.names]


def refuse(*_: object) -> None:
    raise OSError(12, "Cannot allocate memory")


def test_growing_moves_nothing() -> None:
    cache, plain = reserved(), make("gqa", 1000)
    before, generation = places(cache), cache.buffers.generation
    for token in range(1, 1001):
        feed(cache, [token])
        feed(plain, [token])
        assert (cache.allocated, cache.bytes) == (plain.allocated, plain.bytes)
    assert (places(cache), cache.buffers.generation) == (before, generation)
    assert plain.buffers.generation > 5
    for name, rows in plain.rows()[1].items():
        assert (cache.rows()[1][name] == rows).all()


def test_what_a_longer_sequence_took_goes_and_what_is_kept_stays() -> None:
    cache = reserved()
    feed(cache, list(range(1, 601)))
    cache.rewind(100)
    generation = cache.buffers.generation
    feed(cache, [5])
    assert cache.buffers.generation == generation + 1 and cache.allocated == 128
    assert cache.past("past.1.value").shape[-2] == 1000
    assert cache.past("past.1.value")[0, 0, :, 0].tolist() == [2 * i for i in [*range(1, 101), 5]] + [0] * 899


def test_wiping_takes_no_memory_for_slots_that_hold_nothing() -> None:
    cache = reserved(1 << 24)  # 512 MB
    feed(cache, [1, 2, 3])
    before = psutil.Process().memory_info().rss
    cache.reset(wiped=True)
    assert not cache.past("past.0.key")[..., :64, :].any()
    assert psutil.Process().memory_info().rss - before < 64 << 20


@pytest.mark.parametrize(("tokens", "large"), [(749, False), (750, True), (5000, True)])
def test_a_prompt_that_fills_most_has_large_pages_until_it_goes(tokens: int, large: bool) -> None:
    cache = reserved()
    generation = cache.buffers.generation
    for _ in range(2):
        cache.buffers.expect(tokens, cache.slots)
    assert (cache.buffers.generation, cache.buffers.stacks[0].large) == (generation + large, large)
    feed(cache, list(range(1, 751)))
    cache.buffers.expect(1000, cache.slots)  # what is held does not move
    assert (cache.buffers.generation, cache.buffers.stacks[0].large) == (generation + large, large)
    cache.rewind(10)
    feed(cache, [5])
    assert (cache.buffers.generation, cache.buffers.stacks[0].large) == (generation + large + 1, False)
    assert cache.past("past.1.key")[0, 0, :, 0].tolist() == [2 * i for i in [*range(1, 11), 5]] + [0] * 989


def test_without_a_reservation_nothing_is_expected() -> None:
    cache = make("gqa", 1000)
    cache.buffers.expect(1000, cache.slots)
    assert (cache.buffers.generation, cache.allocated) == (0, 64)


@pytest.mark.parametrize("layout", ["static", "window", "fifo", "scatter"])
def test_where_graphs_attend_to_every_slot_nothing_is_reserved(layout: str) -> None:
    cache = make(layout, 1000)
    cache.buffers.reserve()
    assert cache.past(cache.names[0]).shape[-2 if layout != "scatter" else 1] == 64


def test_where_memory_is_short_it_grows_by_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.kvcache.buffers.free_bytes", lambda: 1000)
    cache = reserved()
    feed(cache, list(range(1, 601)))
    assert cache.past("past.0.key").shape[-2] == cache.allocated == 768


def test_where_the_system_refuses_it_grows_by_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.kvcache.buffers.lazy_zeros", refuse)
    cache = reserved()
    feed(cache, list(range(1, 601)))
    assert (cache.past("past.0.key").shape[-2], cache.buffers.generation) == (768, 1)


def test_where_the_system_refuses_later_what_is_kept_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = reserved()
    feed(cache, list(range(1, 601)))
    monkeypatch.setattr("workflows.kvcache.buffers.lazy_zeros", refuse)
    cache.rewind(100)
    feed(cache, [5])
    assert cache.past("past.0.key")[0, 0, :, 0].tolist() == [*range(1, 101), 5] + [0] * 27
    feed(cache, list(range(1, 601)))
    assert cache.rows()[1]["past.1.key"][0, 0, :, 0].tolist() == [2 * i for i in [*range(1, 101), 5, *range(1, 601)]]


def test_zeros_take_memory_when_they_are_written() -> None:
    before = psutil.Process().memory_info().rss
    zeros = lazy_zeros((1 << 9, 1 << 18), np.dtype(np.float32))  # 512 MB
    zeros[7, :1000] = 1
    assert psutil.Process().memory_info().rss - before < 64 << 20
    assert zeros[7, :2000].sum() == 1000
    assert lazy_zeros((3, 0), zeros.dtype).shape == (3, 0)
