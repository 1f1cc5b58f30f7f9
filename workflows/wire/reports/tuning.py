"""Which int4 format is fastest on this processor."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report

BUSY = 0.1
"""The share of the processor used by others above which times are no measure."""


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
