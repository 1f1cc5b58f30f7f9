"""Rows of numbers in fixed memory, that numpy views without a copy."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64 | np.signedinteger]
    """Of a column's own kind: times and latencies are float64, all else is whole."""


class ColumnStore:
    """The last `size` rows, always contiguous: when full, the newest half moves down.

    kinds: of the columns, a letter each, as `array` has them: `b` int8, `i` int32, `q` int64, `d` float64.
    """

    def __init__(self, kinds: str, size: int) -> None:
        self.size = size
        self._kinds = kinds
        self._data: tuple[array[float], ...] = ()  # made with the first row: a window that measures nothing has none
        self._end = 0
        self._begin = 0

    def __len__(self) -> int:
        return self._end - self._begin

    def append(self, *row: float) -> None:
        """Adds a row; the oldest goes when there are more than `size`."""
        if not self._data:
            room = (array(kind, (0,)) * (2 * self.size) for kind in self._kinds)
            self._data = cast("tuple[array[float], ...]", tuple(room))
        if self._end == 2 * self.size:
            for column in self._data:
                memoryview(column)[: self.size] = memoryview(column)[self._begin : self._end]
            self._begin, self._end = 0, self.size
        for column, value in zip(self._data, row, strict=True):
            column[self._end] = value
        self._end += 1
        self._begin += self._end - self._begin > self.size

    def take_back(self, count: int) -> None:
        """Forgets the newest `count` rows, or as many as there are."""
        self._end -= min(count, len(self))

    def newest(self) -> tuple[float, ...]:
        """The row that was added last."""
        return tuple(column[self._end - 1] for column in self._data)

    def columns(self) -> tuple[Numbers, ...]:
        """Each column's rows, oldest first, as a view [n] of its own kind: valid until the next append."""
        import numpy as np

        if not self._data:
            return tuple(np.empty(0, kind) for kind in self._kinds)
        return tuple(np.frombuffer(one, one.typecode)[self._begin : self._end] for one in self._data)

    def clear(self) -> None:
        """Forgets every row."""
        self._begin = self._end = 0
