"""What graphs that lie about as files make together, before anything is written."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report
from workflows.wire.reports.composite import Composite


@dataclass
class AssemblyReport(Report):
    """composite: how they run together, None where that cannot be told. lacking: what is missing, a sentence each.

    notes: what was taken for granted, a sentence each.
    """

    route: str
    composite: Composite | None
    lacking: list[str]
    notes: list[str]
