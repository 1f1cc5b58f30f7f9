"""What the window draws of a cache."""

from __future__ import annotations

import numpy as np

from workflows.kvcache.drivers import EMPTY
from workflows.kvcache.layouts import Positions


def unlike(shapes: list[list[int | str]]) -> list[list[int | str]]:
    """The shapes of a group's layers, or nothing where they are all the first one."""
    return shapes if any(shape != shapes[0] for shape in shapes) else []


def runs_of(table: Positions) -> list[tuple[int, int, int]]:
    """The filled slots of a table, [allocated] int64, as GroupView's runs."""
    slots = np.flatnonzero(table != EMPTY)
    if not len(slots):
        return []
    breaks = np.flatnonzero((np.diff(slots) != 1) | (np.diff(table[slots]) != 1)) + 1
    return [(int(run[0]), int(table[run[0]]), len(run)) for run in np.split(slots, breaks)]
