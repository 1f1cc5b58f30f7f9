"""The visible part of the time axis: everything, the last seconds, or a range that the user selected."""

from __future__ import annotations

import math

RECENT_S = 10.0
NARROWEST_S = 1e-3
MARGIN = 0.02
"""The share of the range that stays empty on both sides."""


def with_headroom(value: float) -> float:
    """`value` rounded up to a power of 1.15, so that a growing range changes rarely."""
    if value <= 0:
        return 1e-3
    step = 1.15
    return float(step ** math.ceil(math.log(value, step) - 1e-9))


class TimeZoom:
    """A range of seconds. It follows new steps until the user selects one, and never exceeds the data."""

    def __init__(self) -> None:
        self.recent = False
        self._low = self._high = 0.0
        self._chosen: tuple[float, float] | None = None

    @property
    def is_zoomed(self) -> bool:
        """Whether the user has zoomed."""
        return self._chosen is not None

    @property
    def range(self) -> tuple[float, float]:
        return self._chosen or self._following()

    @property
    def window(self) -> tuple[float, float]:
        """The range that the figures cover: the visible one, or unbounded if everything is visible."""
        return self.range if self._chosen or self.recent else (-math.inf, math.inf)

    def set_data_range(self, low: float, high: float) -> None:
        """Set the range of the data."""
        self._low, self._high = low, high

    def show_range(self, left: float, right: float) -> None:
        """Show a range, limited to the data; at least a millisecond."""
        low, high = self._whole()
        width = min(max(right - left, NARROWEST_S), high - low)
        left = min(max(left, low), high - width)
        self._chosen = (left, left + width)

    def scale(self, factor: float, about: float | None = None) -> None:
        """Widen the range (factor > 1) or narrow it about a time, or about its middle."""
        left, right = self.range
        low, high = self._whole()
        if (right - left) * factor >= high - low:
            self.reset()
            return
        fixed = (left + right) / 2 if about is None else about
        self.show_range(fixed - (fixed - left) * factor, fixed + (right - fixed) * factor)

    def pan(self, share: float) -> None:
        """Move the range by a share of its width; without a zoom, everything is visible already."""
        if self._chosen:
            left, right = self._chosen
            step = (right - left) * share
            self.show_range(left + step, right + step)

    def reveal(self, second: float) -> None:
        """Move a zoomed range to a time that it does not contain."""
        left, right = self.range
        if self._chosen and not left <= second <= right:
            self.show_range(second - (right - left) / 2, second + (right - left) / 2)

    def reset(self) -> None:
        """Follow new steps again."""
        self._chosen = None

    def _whole(self) -> tuple[float, float]:
        length = with_headroom(self._high - self._low)
        return self._low - length * MARGIN, self._low + length * (1 + MARGIN)

    def _following(self) -> tuple[float, float]:
        if not self.recent or self._high - self._low <= RECENT_S:
            return self._whole()
        return self._high - RECENT_S, self._high + RECENT_S * MARGIN
