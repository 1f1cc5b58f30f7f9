"""Which part of the time axis is seen: all of it, its last seconds, or what a person zoomed to."""

from __future__ import annotations

import math

RECENT_S = 10.0
NARROWEST_S = 1e-3
MARGIN = 0.02
"""Share of the span that is kept free on both sides."""


def with_headroom(value: float) -> float:
    """`value` or up to a seventh more, in steps, so that a range that follows what grows seldom changes."""
    if value <= 0:
        return 1e-3
    step = 1.15
    return float(step ** math.ceil(math.log(value, step) - 1e-9))


class TimeZoom:
    """A range of seconds; it follows what is measured until a person chooses one. No zoom leaves what there is."""

    def __init__(self) -> None:
        self.recent = False
        self._low = self._high = 0.0
        self._chosen: tuple[float, float] | None = None

    @property
    def chosen(self) -> bool:
        """Whether a person has zoomed, so that following is off."""
        return self._chosen is not None

    @property
    def range(self) -> tuple[float, float]:
        """What is seen."""
        return self._chosen or self._following()

    @property
    def window(self) -> tuple[float, float]:
        """What figures are of: what is seen, and of all that there is no bound."""
        return self.range if self._chosen or self.recent else (-math.inf, math.inf)

    def extend(self, low: float, high: float) -> None:
        """There are steps from `low` to `high` now."""
        self._low, self._high = low, high

    def to(self, left: float, right: float) -> None:
        """Shows this range, or as much of it as there is; at least a millisecond."""
        low, high = self._whole()
        width = min(max(right - left, NARROWEST_S), high - low)
        left = min(max(left, low), high - width)
        self._chosen = (left, left + width)

    def by(self, factor: float, about: float | None = None) -> None:
        """Widens the range, or narrows it where `factor` is below 1; `about` stays in its place, else the middle."""
        left, right = self.range
        low, high = self._whole()
        if (right - left) * factor >= high - low:
            self.reset()
            return
        fixed = (left + right) / 2 if about is None else about
        self.to(fixed - (fixed - left) * factor, fixed + (right - fixed) * factor)

    def pan(self, share: float) -> None:
        """Goes sideways by a share of what is seen; without a zoom all is seen already."""
        if self._chosen:
            left, right = self._chosen
            step = (right - left) * share
            self.to(left + step, right + step)

    def reveal(self, second: float) -> None:
        """Goes there, where a zoom does not show it."""
        left, right = self.range
        if self._chosen and not left <= second <= right:
            self.to(second - (right - left) / 2, second + (right - left) / 2)

    def reset(self) -> None:
        """Follows what is measured again."""
        self._chosen = None

    def _whole(self) -> tuple[float, float]:
        length = with_headroom(self._high - self._low)
        return self._low - length * MARGIN, self._low + length * (1 + MARGIN)

    def _following(self) -> tuple[float, float]:
        if not self.recent or self._high - self._low <= RECENT_S:
            return self._whole()
        return self._high - RECENT_S, self._high + RECENT_S * MARGIN
