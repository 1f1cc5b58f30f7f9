"""A graph that writes each token's id into its row, times the layer's number plus one; and caches for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.common.tensors import TensorSpec
from workflows.kvcache import KVCache, StateTensor, Step
from workflows.kvcache.cache_inputs import IDS, POSITIONS
from workflows.kvcache.geometry import MASK, GroupFacts, KeyJoin, PresentContent, StateFacts
from workflows.kvcache.layouts import layout_named

# how foreign graphs join past and new keys, what they give as present, and the axes of their mask
FORMS: dict[str, tuple[KeyJoin, PresentContent, int]] = {
    "append": ("append", "rows", 4),
    "append, one mask row": ("append", "rows", 2),
    "append, joined": ("append", "joined", 2),
    "slide": ("slide", "rows", 2),
    "slide, whole buffer": ("slide", "buffer", 2),
    "place, whole buffer": ("place", "buffer", 4),
    "place": ("place", "rows", 2),
    "count": ("append", "joined", 2),
}


def make(
    layout: str,
    capacity: int,
    slots: int | str = "capacity",
    layers: int = 2,
    form: str = "append",
    pad_left: bool = False,
) -> KVCache:
    """A cache of `layout` for the graph above, which treats its keys as `form` says."""
    shape = (1, slots, 2) if layout == "scatter" else (1, 1, slots, 2)
    chosen = layout_named(layout)
    joins, gives, axes = FORMS[form] if chosen.writer == "host" else ("place", "buffer", 4)
    writer = "host" if chosen.writer == "host" else "graph"
    state = [
        StateTensor(f"past.{i}.{role}", f"present.{i}.{role}", i, role, shape, "float32", writer, gives)
        for i in range(layers)
        for role in ("key", "value")
    ]
    groups = (GroupFacts("all", MASK, tuple(range(layers)), None),)
    facts = StateFacts(chosen.writer, groups, counts=form == "count", joins=joins)
    drivers = {name: TensorSpec(name, (1, "sequence"), "int64") for name in (IDS, POSITIONS)}
    drivers[MASK] = TensorSpec(MASK, ("x",) * axes, "float32" if axes == 4 else "int64")
    if axes == 2 and joins != "place":
        chosen = chosen.right_aligned() if form != "count" else chosen
    return KVCache(state, chosen, capacity, facts, drivers, pad_left=pad_left)


def feed(cache: KVCache, tokens: list[int], width: int | None = None) -> Step:
    """The graph, and its step committed."""
    step = run(cache, tokens, width)
    cache.commit(step)
    return step


def run(cache: KVCache, tokens: list[int], width: int | None = None, parents: Sequence[int] | None = None) -> Step:
    """The graph alone: it writes the new rows where its kind of present has them."""
    step = cache.plan(tokens, width, parents)
    tensor = next(iter(cache.tensors.values()))
    for name in [one.present for one in cache.tensors.values()]:
        rows = step.inputs["input_ids"][0] * (int(name.split(".")[1]) + 1)
        target = cache.buffers.fresh(name, step.width).reshape(-1, 2)  # one head: [slots, 2]
        if tensor.gives == "buffer" and not cache.layout.slides:
            start = step.start
        else:
            start = len(target) - step.width  # rows alone are all of it
        if cache.layout.writer == "host":
            target[:] = 77  # whatever else a graph gives
        target[start : start + step.width] = rows[:, None]
    return step


def seen(cache: KVCache, step: Step, form: str) -> list[list[int]]:
    """What the graph's attention sees before the step is committed: by token, the ids of the keys, in their order.

    A mask of one row leaves it to the graph which of the step's own keys come after a query.
    """
    joins = FORMS[form][0] if cache.layout.writer == "host" else "place"
    past, new = cache.past("past.0.key").reshape(-1, 2)[:, 0], step.inputs["input_ids"][0]
    if joins == "place":
        keys, base = past.copy(), step.start
        keys[base : base + step.width] = new
    else:
        keys = np.concatenate((past, new))[step.width if joins == "slide" else 0 :]
        base = len(keys) - step.width
    mask: NDArray = step.inputs[MASK]
    keys = keys[: mask.shape[-1]] if joins == "place" else keys  # slots beyond are reserved, and nobody's yet
    columns = np.arange(len(keys))
    result = []
    for row in range(step.real.start, step.real.stop):
        visible = mask[0, 0, row] == 0 if mask.ndim == 4 else (mask[0] != 0) & (columns <= base + row)
        result.append([int(key) for key in keys[visible]])
    return result


def table(cache: KVCache) -> list[int]:
    """The first group's."""
    return [int(position) for position in cache.groups[0].table]


def mask(step: Step) -> list[list[float]]:
    """Rows of queries, columns of keys."""
    return step.inputs[MASK][0, 0].tolist()
