"""Which int4 format is fastest on this processor."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass
class TuneReport(Report):
    """block_size, symmetric: the format that builds take now. share: of a token's time with the default format.

    others: the share of the processor that other processes used meanwhile.
    """

    processor: str
    block_size: int
    symmetric: bool
    share: float
    others: float
