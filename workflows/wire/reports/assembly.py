"""The pipeline that graphs from single files would make, before anything is written."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report
from workflows.wire.reports.composite import Composite


@dataclass
class AssemblyReport(Report):
    """composite: the inferred composite; None if it cannot be inferred. lacking: missing parts, a sentence each.

    notes: assumptions, a sentence each.
    """

    route: str
    composite: Composite | None
    lacking: list[str]
    notes: list[str]
