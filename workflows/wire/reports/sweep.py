"""The steps of a sweep, their results, and its state: what the files of a sweep's folder hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report
from workflows.wire.reports.runs import RunRecord

StepKind = Literal["build", "eval", "bench"]
StepState = Literal["done", "failed"]
StepProgress = Literal["done", "failed", "blocked", "running", "waiting"]
"""blocked: a step that it needs failed."""
LOCAL_MACHINE = "local"
"""The name of the machine that runs the step, among those of `joinery remote`."""


@dataclass(frozen=True)
class SweepStep:
    """One step. bundle: the folder's name in `bundles`. arguments: those of its kind, by name.

    machine: that of a benchmark. digest: SHA-256 of everything that its result depends on. needs: the ids of the steps
    that come before. tags: what a worker of a cluster must have. seconds: after which it is ended.
    """

    id: str
    kind: StepKind
    bundle: str
    digest: str
    source: str
    recipe: str
    layout: str
    provider: str
    machine: str
    arguments: dict[str, object]
    needs: list[str] = field(default_factory=list)
    tags: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True)
class StepResult:
    """The end of a step. digest: of its inputs. reason: why it failed, one sentence. runs: what the history recorded.

    bundle_digest: of the bundle's graphs and weights. time: when it ended, UTC, ISO. machine: its name.
    """

    step: str
    digest: str
    state: StepState
    time: str
    machine: str
    seconds: float
    reason: str = ""
    bundle_digest: str = ""
    runs: list[RunRecord] = field(default_factory=list)


@dataclass(frozen=True)
class SweepPlanFile:
    """`sweep.json`: the steps of the plan that ran last, in its order."""

    plan: str
    steps: list[SweepStep]
    format: Literal[1] = 1


@dataclass(frozen=True)
class SweepStatus:
    """`status.json`: the client of a sweep, rewritten while it runs. time: seconds since the epoch. ended: why, if so.

    session: a random name of this run of the sweep. interval_s: seconds within which the next rewriting follows.
    """

    session: str
    machine: str
    pid: int
    time: float
    interval_s: float
    running: list[str]
    ended: str | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class SweepCounts:
    """How many steps are in each state; `total` is their sum."""

    done: int
    failed: int
    blocked: int
    running: int
    waiting: int

    @property
    def total(self) -> int:
        return self.done + self.failed + self.blocked + self.running + self.waiting


@dataclass
class SweepReport(Report):
    """The end of a sweep. failures: step → why. report: the HTML file."""

    counts: SweepCounts
    failures: dict[str, str]
    report: str
