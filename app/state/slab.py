"""Rows of numbers in fixed memory, that numpy views without a copy."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Slab:
    """The last `size` rows of `columns` floats each, always contiguous: when full, the newest half moves down."""

    def __init__(self, columns: int, size: int) -> None:
        self.size = size
        self._columns = columns
        self._data: tuple[array[float], ...] = ()  # made with the first row: a window that measures nothing has none
        self._end = 0
        self._begin = 0

    def __len__(self) -> int:
        return self._end - self._begin

    def append(self, *row: float) -> int:
        """Adds a row; says how many old rows were dropped (0 or 1)."""
        if not self._data:
            self._data = tuple(array("d", bytes(16 * self.size)) for _ in range(self._columns))
        if self._end == 2 * self.size:
            for column in self._data:
                memoryview(column)[: self.size] = memoryview(column)[self._begin : self._end]
            self._begin, self._end = 0, self.size
        for column, value in zip(self._data, row, strict=True):
            column[self._end] = value
        self._end += 1
        dropped = int(self._end - self._begin > self.size)
        self._begin += dropped
        return dropped

    def take_back(self, count: int) -> int:
        """Forgets the newest `count` rows, or as many as there are; how many those were."""
        taken = min(count, len(self))
        self._end -= taken
        return taken

    def first(self, column: int) -> float:
        """The oldest value of a column."""
        return self._data[column][self._begin]

    def column(self, index: int) -> Floats:
        """The rows of a column, oldest first, as a view [n] float64: valid until the next append."""
        import numpy as np

        if not self._data:
            return np.empty(0)
        return np.frombuffer(self._data[index], dtype=np.float64)[self._begin : self._end]

    def clear(self) -> None:
        """Forgets every row."""
        self._begin = self._end = 0
