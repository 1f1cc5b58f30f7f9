"""A bundle's scores in tasks of EleutherAI's lm-eval."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass
class TaskScore:
    """One metric of a task or of a group of tasks. stderr: the standard error, where lm-eval gives one."""

    task: str
    metric: str
    value: float
    stderr: float | None
    higher_is_better: bool | None


@dataclass
class HarnessReport(Report):
    """scores: in lm-eval's order. samples: of all tasks together. limit: of each task, None for all its samples.

    version: of the package lm-eval.
    """

    scores: list[TaskScore]
    samples: int
    limit: int | None
    version: str
