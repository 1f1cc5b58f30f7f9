"""A bundle's scores in tasks of lm-eval, in a worker of its own; the run appears in the history.

start(EvalTasks) ──▶ progress … ──▶ HarnessReport | error
"""

from __future__ import annotations

from app.jobs.one_shot_worker import ReportModel
from workflows.wire.reports.harness import HarnessReport


class HarnessModel(ReportModel):
    """The tasks that run, or the last ones."""

    report: HarnessReport | None
