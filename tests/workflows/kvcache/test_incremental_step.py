"""A token behind another, told in place, against the same one planned: the same inputs, tables and rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.kvcache.fake import make
from workflows.common.tensors import TensorSpec
from workflows.kvcache import KVCache, StateTensor
from workflows.kvcache.cache_inputs import CACHE_INPUTS
from workflows.kvcache.geometry import GroupFacts, KeyJoin, PresentContent, StateFacts
from workflows.kvcache.incremental_step import IncrementalStep, incremental_step
from workflows.kvcache.layouts import layout_named

SIGHTS = {"all": None, "near": 3}  # group → window


def graph(
    layout: str, joins: KeyJoin, gives: PresentContent, axes: int, capacity: int = 40, positions: int = 38
) -> KVCache:
    """A layer that sees all and one with a window, and a graph that is told everything that can be told."""
    state = [
        StateTensor(f"past.{i}", f"present.{i}", i, "key", (1, 2, "slots", 3), "float32", "host", gives) for i in (0, 1)
    ]
    groups = tuple(GroupFacts(name, f"mask_{name}", (i,), seen) for i, (name, seen) in enumerate(SIGHTS.items()))
    chosen = layout_named(layout)
    facts = StateFacts(chosen.writer, groups, positions=positions, joins=joins)
    drivers = {name: TensorSpec(name, (1, "n") if name.endswith("ids") else ("n",), "int64") for name in CACHE_INPUTS}
    for group in groups:
        drivers[group.mask] = TensorSpec(group.mask, ("x",) * axes, "float32" if axes == 4 else "int64")
    return KVCache(state, chosen, capacity, facts, drivers)


def write(cache: KVCache, token: int) -> None:
    """The graph's row, the last of what it gives."""
    for name in ("present.0", "present.1"):
        cache.buffers.fresh(name, 1)[..., -1, :] = token


class Followed:
    """A cache whose single tokens follow one another where they can, as a machine has them."""

    def __init__(self, cache: KVCache) -> None:
        self.cache, self.arrays, self.count = cache, dict[str, np.ndarray](), 0
        self.next: IncrementalStep | None = None

    def token(self, token: int, commits: bool = True) -> dict[str, np.ndarray]:
        """Feeds one; what the graph was fed. commits: False for a run that fails."""
        if self.next is not None and self.next.is_valid():
            self.count += 1
            self.next.put(token)
            write(self.cache, token)
            if commits:
                self.next.commit()
            return self.arrays
        step, self.next = self.cache.plan([token]), None
        self.arrays = step.inputs
        write(self.cache, token)
        if commits:
            self.cache.commit(step)
            self.next = incremental_step(self.cache, self.arrays.items())
        return self.arrays


FORMS: list[tuple[str, KeyJoin, PresentContent, int]] = [
    ("static", "append", "rows", 4),
    ("static", "append", "rows", 2),
    ("static", "append", "joined", 4),
    ("static", "place", "rows", 4),
    ("gqa", "place", "buffer", 4),
    ("scatter", "place", "buffer", 2),
]


@pytest.mark.parametrize(("layout", "joins", "gives", "axes"), FORMS)
@pytest.mark.parametrize("seed", range(6))
def test_what_follows_is_what_would_be_planned(
    layout: str, joins: KeyJoin, gives: PresentContent, axes: int, seed: int
) -> None:
    """Among chunks, rewinds and runs that fail: inputs, tables and rows are those of plans alone."""
    planned, followed = graph(layout, joins, gives, axes), Followed(graph(layout, joins, gives, axes))
    generator, cache = np.random.default_rng(seed), followed.cache
    for token in range(300):
        what = generator.choice(["one", "one", "one", "one", "one", "chunk", "rewind", "fails"])
        if what == "rewind" or not planned.has_room:
            length = int(generator.integers(max(planned.length - 5, 0), planned.length + 1))
            planned.rewind(length)
            cache.rewind(length)
        elif what == "chunk" and planned.fitting_tokens(planned.length, 2, None) == 2 and planned.length < 36:
            for one in (planned, cache):
                one.commit(one.plan([token, token]))
        else:
            expected = planned.plan([token])
            write(planned, token)
            fed = followed.token(token, commits=what != "fails")
            assert fed.keys() == expected.inputs.keys()
            for name, array in fed.items():
                np.testing.assert_array_equal(array, expected.inputs[name], err_msg=f"{name} at {planned.length}")
            if what != "fails":
                planned.commit(expected)
        assert cache.length == planned.length
        for mine, other in zip(cache.groups, planned.groups, strict=True):
            np.testing.assert_array_equal(mine.table, other.table)
        for name in ("past.0", "past.1"):
            kept = slice(planned.length)
            np.testing.assert_array_equal(cache.past(name)[..., kept, :], planned.past(name)[..., kept, :])
    assert followed.count > 60


@pytest.mark.parametrize(("layout", "form"), [("window", "append"), ("static", "slide"), ("static", "count")])
def test_nothing_follows_where_rows_or_slots_move(layout: str, form: str) -> None:
    """A ring, rows that slide, and buffers that are as long as the text: every step is planned."""
    cache = make(layout, 8, slots="slots", form=form)
    assert incremental_step(cache, ()) is None


def test_a_cache_that_is_full_or_has_grown_is_planned_again() -> None:
    """So that the plan says what is wrong, or gives larger buffers."""
    followed = Followed(graph("static", "append", "rows", 4, capacity=3, positions=3))
    for token in (1, 2, 3):
        followed.token(token)
    assert followed.count == 2 and followed.next is not None
    assert not followed.next.is_valid()
