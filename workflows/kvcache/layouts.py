"""Where a token goes: the only polymorphic part of the cache; masks, positions and rewinds derive from the table.

    static   slot = position                 left-aligned; full when the positions reach the capacity
    window   slot = position mod capacity    a ring: the newest token takes the oldest token's slot, no byte moves;
                                             with sinks the first tokens keep their slots, and the ring is the rest
    fifo     the newest in the last slot     right-aligned: every step moves the rows, the oldest falls off at the left
    gqa      like static; the graph writes in place (GroupQueryAttention over a shared buffer)
    scatter  like static; the graph writes in place (TensorScatter)
    state    no slots: the graph keeps state of fixed size alone, and never gets full

A graph that counts slots back from the newest key needs right-aligned rows: `window` then becomes `fifo`, and `static`
slides too, but becomes full instead of evicting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import CapacityError, RecipeError
from workflows.kvcache.geometry import StateFacts, Writer

Positions = NDArray[np.int64]
STATE = "state"  # the layout of a graph without keys and values


@dataclass(frozen=True)
class Layout:
    """A cache layout.

    writer: who writes rows into their slots. evicts: whether the oldest tokens go when it is full. slides: whether rows
    move so that the newest is always in the last slot. sinks: how many of the first tokens are never evicted.
    """

    name: str
    writer: Writer
    evicts: bool = False
    slides: bool = False
    sinks: int = 0

    def slots(self, positions: Positions, capacity: int) -> int:
        """How many slots tokens at `positions` [n], ascending, need. Raises CapacityError for more than `capacity`."""
        last = int(positions[-1]) if len(positions) else -1
        if last >= capacity and not self.evicts:
            raise CapacityError(
                f"The cache holds {capacity:,} tokens, and position {last:,} is beyond it: "
                "build or open with a larger capacity, or use the window cache."
            )
        return min(last + 1, capacity)

    def place(self, positions: Positions, capacity: int, allocated: int) -> Positions:
        """The slots, [n] int64, of tokens at `positions` in a buffer of `allocated` slots.

        Where rows slide, the slot after sliding; below zero for a token that has already fallen off.
        """
        if self.slides and len(positions):
            return positions + (allocated - 1 - int(positions[-1]))
        if not self.evicts:
            return positions
        ring = self.sinks + (positions - self.sinks) % (capacity - self.sinks)
        return np.where(positions < self.sinks, positions, ring) if self.sinks else ring

    def held(self, length: int, count: int) -> Positions:
        """The positions, [count] int64 ascending, that have a slot after `length` tokens where `count` tokens have."""
        sinks = min(self.sinks, count)
        return np.concatenate((np.arange(sinks), np.arange(length - count + sinks, length)))

    def with_sinks(self, tokens: int) -> Layout:
        """The same layout with `tokens` sinks. Raises RecipeError for a layout that evicts nothing, or slides."""
        if tokens and (self.slides or not self.evicts):
            why = "moves its rows" if self.slides else "evicts no token"
            raise RecipeError(f"Sink tokens need a cache that evicts others in place; the {self.name} cache {why}.")
        return replace(self, sinks=tokens)

    def right_aligned(self) -> Layout:
        """The same layout for a graph that expects the newest key in the last slot."""
        return LAYOUTS["fifo"] if self.evicts else replace(self, slides=True)


LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("static", "host"),
        Layout("window", "host", evicts=True),
        Layout("gqa", "gqa"),
        Layout("scatter", "scatter"),
        Layout("fifo", "host", evicts=True, slides=True),
        Layout(STATE, "host", evicts=True),
    )
}


def layout_named(name: str) -> Layout:
    """The layout called `name`. Raises RecipeError that lists the layouts."""
    if name not in LAYOUTS:
        raise RecipeError(f"No cache layout is called {name!r}: choose one of {', '.join(LAYOUTS)}.")
    return LAYOUTS[name]


def choose_layout(requested: str | None, built: str, facts: StateFacts) -> Layout:
    """The layout to run a graph with: the `requested` one, else the one that it was `built` for.

    Raises RecipeError with the reason for a layout that the graph does not support.
    """
    if not facts.groups:
        if requested and layout_named(requested).name not in (built, STATE):
            raise RecipeError(
                f"This bundle keeps state of fixed size and no slots, so the {requested} cache has no use."
            )
        return LAYOUTS[STATE]
    layout = layout_named(requested) if requested else built_layout(built, facts)
    if layout.writer != facts.writer:
        legal = ", ".join(name for name, other in LAYOUTS.items() if other.writer == facts.writer)
        raise RecipeError(
            f"This bundle's graph was built for the cache {legal}, and {layout.name} needs another graph: "
            f"build one with --cache {layout.name}."
        )
    if layout.evicts and (why := _left_aligned_reason(facts)):
        raise RecipeError(f"This bundle does not support the {layout.name} cache: its graph {why}; use static.")
    return layout.right_aligned() if facts.right_aligned else layout


def built_layout(name: str, facts: StateFacts) -> Layout:
    """The layout that a bundle names; static where its graph does not support it, as `facts.note` says."""
    layout = layout_named(name)
    return LAYOUTS["static"] if facts.note and layout.writer != facts.writer else layout


def _left_aligned_reason(facts: StateFacts) -> str:
    """Why no layout may evict tokens of the graph's cache; empty where one may."""
    if facts.left_aligned:
        return "uses slots as positions, which a window reassigns"
    if facts.mutual:
        what = "a prompt" if facts.mutual == "prompt" else "a picture"
        return f"reads the whole of {what} at once, of which a window may have lost a part"
    if facts.counts:
        return "takes the number of slots as the number of tokens, and a window has fewer slots"
    return "writes rows into their slots itself" if facts.joins == "place" else ""
