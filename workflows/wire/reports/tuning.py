"""Which int4 format and how many threads are fastest on this processor."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report

BUSY = 0.1
"""The share of the processor used by others above which times are no measure."""


@dataclass
class TuneReport(Report):
    """block_size, symmetric: the format that builds take now. share: of a token's time with the default format.

    others: the share of the processor that other processes used meanwhile. threads: those that sessions take now; None
    for a thread for each core. width: the tokens of a prompt's run that builds take now.
    """

    processor: str
    block_size: int
    symmetric: bool
    share: float
    others: float
    threads: int | None = None
    width: int | None = None
