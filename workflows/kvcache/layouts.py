"""Where a token goes: the only polymorphic part of the cache; mask, positions and rewinds derive from the table.

    static   slot = position                 left-aligned; full when the positions reach the capacity
    window   slot = position mod capacity    a ring: the oldest token's slot is taken by the newest, no byte moves
    gqa      like static; the graph writes in place (GroupQueryAttention over a shared buffer)
    scatter  like static; the graph writes in place (TensorScatter)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workflows.errors import CapacityError, RecipeError
from workflows.kvcache.geometry import Writer

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """`writer` is who puts the rows into their slots; a ring `evicts`, every other layout gets full."""

    name: str
    writer: Writer
    evicts: bool = False

    def place(self, positions: Positions, capacity: int) -> Positions:
        """The slots, [n] int64 below `capacity`, of tokens at `positions` ([n] int64, ascending).

        Raises CapacityError when there is no slot left.
        """
        if self.evicts:
            return positions % capacity
        if len(positions) and positions[-1] >= capacity:
            raise CapacityError(
                f"The cache holds {capacity:,} tokens and position {int(positions[-1]):,} was asked for: "
                "build or open with a larger capacity, or use the window cache."
            )
        return positions


LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("static", "host"),
        Layout("window", "host", evicts=True),
        Layout("gqa", "gqa"),
        Layout("scatter", "scatter"),
    )
}


def layout_named(name: str) -> Layout:
    """The layout called `name`. Raises RecipeError that lists what there is."""
    if name not in LAYOUTS:
        raise RecipeError(f"No cache layout is called {name!r}: choose one of {', '.join(LAYOUTS)}.")
    return LAYOUTS[name]
