"""Where a token goes: the only polymorphic part of the cache; mask, positions and rewinds derive from the table.

    static   slot = position                 left-aligned; full when the positions reach the capacity
    window   slot = position mod capacity    a ring: the oldest token's slot is taken by the newest, no byte moves
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workflows.errors import CapacityError, RecipeError

Positions = NDArray[np.int64]


class Layout(Protocol):
    """Maps absolute positions to slots."""

    name: str
    evicts: bool

    def place(self, positions: Positions, capacity: int) -> Positions:
        """The slots, [n] int64 below `capacity`, of tokens at `positions` ([n] int64, ascending).

        Raises CapacityError when there is no slot left.
        """
        ...


class Static:
    """Left-aligned: a token's slot is its position, for good."""

    name = "static"
    evicts = False

    def place(self, positions: Positions, capacity: int) -> Positions:
        """See Layout.place."""
        if len(positions) and positions[-1] >= capacity:
            raise CapacityError(
                f"The cache holds {capacity:,} tokens and position {int(positions[-1]):,} was asked for: "
                "build or open with a larger capacity, or use the window cache."
            )
        return positions


class Window:
    """A ring: the last `capacity` tokens are kept, older ones are evicted where they stand."""

    name = "window"
    evicts = True

    def place(self, positions: Positions, capacity: int) -> Positions:
        """See Layout.place; never full."""
        return positions % capacity


LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in (Static(), Window())}


def layout_named(name: str) -> Layout:
    """The layout called `name`. Raises RecipeError that lists what there is."""
    if name not in LAYOUTS:
        raise RecipeError(f"No cache layout is called {name!r}: choose one of {', '.join(LAYOUTS)}.")
    return LAYOUTS[name]
