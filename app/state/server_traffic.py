"""The last minutes of a server: tokens a second, requests and cache, in points that the charts draw.

ServerStatus ──sample, twice a second──▶ TrafficPoint … ──▶ charts
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from workflows.wire.reports.server import ServerStatus

WINDOW_S = 120.0
"""The seconds that are drawn."""
_RATE_S = 2.0  # over which the rate is measured: a status comes twice a second, not at the same moments as a sample


@dataclass(frozen=True, slots=True)
class TrafficPoint:
    """A moment. at: seconds by a monotonic clock. tokens: generated since the start. cache_share: of all slots."""

    at: float
    tokens: int
    tokens_per_s: float
    running: int
    waiting: int
    cache_share: float


class ServerTraffic:
    """The points of one run of a server, oldest first."""

    def __init__(self) -> None:
        self.points = deque[TrafficPoint]()

    @property
    def rate(self) -> float:
        """The tokens a second of the newest point; 0 before the first."""
        return self.points[-1].tokens_per_s if self.points else 0.0

    def sample(self, at: float, status: ServerStatus) -> None:
        """Adds a point, and removes those before the window."""
        while self.points and self.points[0].at < at - WINDOW_S:
            self.points.popleft()
        used = sum(one.cache_used for one in status.bundles)
        slots = sum(one.cache_slots for one in status.bundles)
        self.points.append(
            TrafficPoint(
                at=at,
                tokens=status.tokens,
                tokens_per_s=self._rate_at(at, status.tokens),
                running=sum(one.running for one in status.bundles),
                waiting=sum(one.waiting for one in status.bundles),
                cache_share=used / slots if slots else 0.0,
            )
        )

    def _rate_at(self, at: float, tokens: int) -> float:
        before = next((one for one in self.points if one.at >= at - _RATE_S), None)
        if before is None or at <= before.at:
            return 0.0
        return max(tokens - before.tokens, 0) / (at - before.at)
