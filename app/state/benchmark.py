"""The benchmark of a bundle, in its own worker; its run appears in the history.

start(Bench) ──▶ progress … ──▶ BenchReport | error
"""

from __future__ import annotations

from app.jobs.one_shot_worker import ReportModel
from workflows.wire.reports.bench import BenchReport


class BenchmarkModel(ReportModel):
    """The benchmark that runs, or the last one."""

    report: BenchReport | None
