"""Rows of numbers in fixed memory, which numpy views without a copy."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64 | np.signedinteger]
    """Returns views with the column's type: float64 for times and latencies, else an integer type."""


class ColumnStore:
    """The last `size` rows, always contiguous: when it is full, the newest half moves down.

    kinds: the type of each column, a letter as in `array`: `b` int8, `i` int32, `q` int64, `d` float64.
    """

    def __init__(self, kinds: str, size: int) -> None:
        self.size = size
        self._kinds = kinds
        self._data: tuple[array[float], ...] = ()  # allocated with the first row
        self._end = 0
        self._begin = 0

    def __len__(self) -> int:
        return self._end - self._begin

    def append(self, *row: float) -> None:
        """Adds a row; removes the oldest one if there are more than `size`."""
        if not self._data:
            arrays = (array(kind, (0,)) * (2 * self.size) for kind in self._kinds)
            self._data = cast("tuple[array[float], ...]", tuple(arrays))
        if self._end == 2 * self.size:
            for column in self._data:
                memoryview(column)[: self.size] = memoryview(column)[self._begin : self._end]
            self._begin, self._end = 0, self.size
        for column, value in zip(self._data, row, strict=True):
            column[self._end] = value
        self._end += 1
        self._begin += self._end - self._begin > self.size

    def remove_last(self, count: int) -> None:
        """Removes the newest `count` rows, or as many as there are."""
        self._end -= min(count, len(self))

    def newest(self) -> tuple[float, ...]:
        """The last row."""
        return tuple(column[self._end - 1] for column in self._data)

    def columns(self) -> tuple[Numbers, ...]:
        """The columns, oldest row first, each a view [n] of its type: valid until the next append."""
        import numpy as np

        if not self._data:
            return tuple(np.empty(0, kind) for kind in self._kinds)
        return tuple(np.frombuffer(one, one.typecode)[self._begin : self._end] for one in self._data)

    def clear(self) -> None:
        """Removes all rows."""
        self._begin = self._end = 0
