"""Which axes of different sessions are one size: a symbol of one is tied to a number, or to a symbol of another.

prefill [1, "sequence", 96] ──edge──▶ head [1, "rows", 96]      sequence ≡ rows;  64 ≡ 32 is an AxisConflict
"""

from __future__ import annotations

Axis = int | tuple[str, str]  # a size, or (owner, symbol)


class AxisConflict(ValueError):  # noqa: N818 - it describes the axes
    """Two different sizes of one axis; its text names both."""


class AxisSizes:
    """Axes tied to one another."""

    def __init__(self) -> None:
        self._next: dict[Axis, Axis] = {}

    def tie(self, one: Axis, other: Axis) -> None:
        """Makes the two one size. Raises AxisConflict where both are known and differ."""
        a, b = self._last(one), self._last(other)
        if isinstance(a, int) and isinstance(b, int):
            if a != b:
                raise AxisConflict(f"{a} and {b}")
        elif isinstance(a, int):
            self._next[b] = a
        elif a != b:
            self._next[a] = b

    def size(self, axis: Axis) -> int | None:
        """The fixed size of the axis; None for any size."""
        last = self._last(axis)
        return last if isinstance(last, int) else None

    def _last(self, axis: Axis) -> Axis:
        while axis in self._next:
            axis = self._next[axis]
        return axis
