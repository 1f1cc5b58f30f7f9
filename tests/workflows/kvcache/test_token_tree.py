"""Tokens that branch, in every layout and every kind of graph that can be told of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflows.kvcache.fake import FORMS, feed, make, mask, run, seen
from workflows.common.errors import CapacityError, GraphError
from workflows.kvcache.cache_inputs import POSITIONS
from workflows.kvcache.token_tree import token_tree

CAN = [("static", "append"), ("window", "append"), ("fifo", "append"), ("static", "place, whole buffer")]
X = -3.4028234663852886e38  # hidden


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Tokens, their parents, and a path."""
    tokens = draw(st.lists(st.integers(1, 9), min_size=1, max_size=7))
    parents = [draw(st.integers(-1, place - 1)) for place in range(len(tokens))]
    path = along(parents, draw(st.integers(0, len(tokens) - 1)))
    return tokens, parents, path[: draw(st.integers(0, len(path)))]


def along(parents: list[int], node: int) -> list[int]:
    return [*(along(parents, parents[node]) if parents[node] >= 0 else []), node]


def test_a_tree_as_literal_arrays() -> None:
    """Two children of one token, and a child of the first: depths are positions, ancestors are seen."""
    cache = make("static", 8, slots=8)
    feed(cache, [1, 2])
    step = run(cache, [3, 4, 5, 6], width=5, parents=[-1, 0, 0, 1])
    assert step.inputs[POSITIONS].tolist() == [[2, 3, 3, 4, 0]]
    past = [0, 0, X, X, X, X, X, X]
    assert mask(step) == [
        [*past, 0, X, X, X, X],
        [*past, 0, 0, X, X, X],
        [*past, 0, X, 0, X, X],
        [*past, 0, 0, X, 0, X],
        [*[X] * 8, X, X, X, X, 0],
    ]
    cache.commit(step, [0, 2])
    assert cache.past("past.0.key")[0, 0, :5, 0].tolist() == [1, 2, 3, 5, 0] and cache.length == 4
    with pytest.raises(GraphError, match="cannot be committed as a whole"):
        cache.commit(run(cache, [3, 4], parents=[-1, -1]))
    with pytest.raises(GraphError, match="form no path"):
        cache.commit(run(cache, [3, 4]), [0])


def test_a_model_that_cannot_branch_is_reported() -> None:
    """What writes in place, counts, or has one mask for all queries; a path deeper than the cache has room for."""
    kinds = [("static", form) for form in FORMS] + [("window", "append"), ("fifo", "append")]
    kinds += [("gqa", "append"), ("scatter", "append")]
    for layout, form in kinds:
        cache = make(layout, 8, form=form)
        assert cache.can_branch == ((layout, form) in CAN), (layout, form)
        if not cache.can_branch:
            with pytest.raises(GraphError, match="cannot branch in this"):
                cache.plan([1, 2], parents=[-1, -1])
    cache = make("static", 2)
    feed(cache, [1])
    cache.plan([1, 2, 3], parents=[-1, -1, -1])
    with pytest.raises(CapacityError, match="position 2 is beyond it"):
        cache.plan([1, 2, 3], parents=[-1, 0, -1])


@pytest.mark.parametrize("kind", CAN)
@settings(max_examples=150, deadline=None)
@given(
    capacity=st.integers(1, 12), fixed=st.booleans(), padding=st.integers(0, 2), before=st.lists(trees(), max_size=5)
)
def test_any_trees_one_after_another_equal_a_plain_list(
    kind: tuple[str, str], capacity: int, fixed: bool, padding: int, before: list
) -> None:
    """Each node sees the text up to it, or its window of it; only the path's rows are kept."""
    layout, form = kind
    cache = make(layout, capacity, capacity + 9 if fixed and form == "append" else "capacity", form=form)
    text: list[int] = []
    for tokens, parents, path in before:
        width = len(tokens) + padding
        reach = token_tree(parents, len(tokens)).reach
        if not cache.layout.evicts and len(text) + reach > capacity:
            with pytest.raises(CapacityError):
                run(cache, tokens, width, parents)
            continue
        if cache.fitting_tokens(len(text), len(tokens), width) < len(tokens):
            assert form != "append"
            continue
        step = run(cache, tokens, width, parents)
        for node, keys in enumerate(seen(cache, step, form)):
            wanted = [*text, *(tokens[place] for place in along(parents, node))]
            wanted = wanted[max(0, len(wanted) - capacity) :] if cache.layout.evicts else wanted
            assert sorted(keys) == sorted(wanted)
        cache.commit(step, path)
        text += [tokens[place] for place in path]
        assert cache.length == len(text)
        positions, rows = cache.rows()
        assert rows["past.1.value"].reshape(-1, 2)[:, 0].tolist() == [2 * text[at] for at in positions]
        assert positions.tolist() == [*range(max(0, len(text) - capacity), len(text))]


def test_a_window_of_a_group_is_behind_the_node() -> None:
    """A group that sees two positions back sees them along the path, and not in the columns."""
    from workflows.kvcache import KVCache, StateTensor
    from workflows.kvcache.geometry import GroupFacts, StateFacts
    from workflows.kvcache.layouts import layout_named

    state = [
        StateTensor(f"past.{i}.{role}", f"present.{i}.{role}", i, role, (1, 1, 4, 2), "float32", "host")
        for i in (0, 1)
        for role in ("key", "value")
    ]
    groups = (GroupFacts("all", "attention_mask", (0,), None), GroupFacts("near", "near_mask", (1,), 2))
    cache = KVCache(state, layout_named("static"), 4, StateFacts("host", groups))
    assert cache.can_branch
    cache.planner.positions = 3
    cache.commit(cache.plan([7]))
    with pytest.raises(CapacityError, match="All 3 positions"):
        cache.plan([1, 2, 3], parents=[-1, 0, 1])
    step = cache.plan([1, 2, 3], parents=[-1, 0, -1])
    assert step.inputs["attention_mask"][0, 0].tolist() == [[0, X, X, X, 0, X, X], [0, X, X, X, 0, 0, X],
                                                            [0, X, X, X, X, X, 0]]  # fmt: skip
    assert step.inputs["near_mask"][0, 0].tolist() == [[0, X, X, X, 0, X, X], [X, X, X, X, 0, 0, X],
                                                       [0, X, X, X, X, X, 0]]  # fmt: skip
