"""The search for the first value where two runs diverge, in its own worker.

start(Diverge) ──▶ progress … ──▶ DivergenceReport | error
"""

from __future__ import annotations

from app.jobs.one_shot_worker import ReportModel
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.requests import Diverge


class DivergenceModel(ReportModel):
    """The search that runs, or the last one."""

    request: Diverge | None
    report: DivergenceReport | None
