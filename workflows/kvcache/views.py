"""What the window draws of a cache."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from workflows.kvcache.drivers import EMPTY
from workflows.kvcache.layouts import Positions


@dataclass(frozen=True)
class GroupView:
    """What the window draws of a group.

    runs: [first slot, first position, count] of filled slots. rewindable: [first, last] of each range of lengths that
    can be gone back to. slides: the newest token is always in the last slot. shapes: of each layer's keys, where they
    are not all `shape`.
    """

    name: str
    layout: str
    layers: list[int]
    capacity: int
    allocated: int
    window: int | None
    shape: list[int | str]
    dtype: str
    bytes: int
    writer: str
    length: int
    evicted: int
    runs: list[list[int]]
    rewindable: list[list[int]] = field(default_factory=list)
    slides: bool = False
    shapes: list[list[int | str]] = field(default_factory=list)


def unlike(shapes: list[list[int | str]]) -> list[list[int | str]]:
    """The shapes of a group's layers, or nothing where they are all the first one."""
    return shapes if any(shape != shapes[0] for shape in shapes) else []


def runs_of(table: Positions) -> list[list[int]]:
    """The filled slots of a table, [allocated] int64, as GroupView's runs."""
    slots = np.flatnonzero(table != EMPTY)
    if not len(slots):
        return []
    breaks = np.flatnonzero((np.diff(slots) != 1) | (np.diff(table[slots]) != 1)) + 1
    return [[int(run[0]), int(table[run[0]]), len(run)] for run in np.split(slots, breaks)]
