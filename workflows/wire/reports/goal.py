"""The tried and chosen mixes of a goal search: `goal.json` of a bundle, and the chart of size against error."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.goals import Metric
from workflows.wire.reports.base import Report

GOAL_FILE = "goal.json"


@dataclass
class TriedPoint:
    """A measured mix. bytes: of the weights. figure: of the goal's metric. levels: of the units, in their order.

    kl: mean, in nats; None if logits are NaN. at_worst: the figure less one standard error, by which it
    is met. confirmed: whether it held over prompts that no mix was judged by; None where it was not asked.
    """

    what: str
    bytes: int
    figure: float | None
    top1: float | None
    kl: float | None
    met: bool
    levels: list[str]
    seconds: float
    at_worst: float | None = None
    confirmed: bool | None = None


@dataclass
class GoalUnit:
    """A weight and the nodes that use it. alone: mean divergence in nats if it alone has the level `probed`."""

    name: str
    nodes: list[str]
    parameters: int
    alone: float


@dataclass
class GoalReport(Report):
    """The search. judged, ranked: on what goals were held and units ranked, in words. front: places of the Pareto
    front in `points`, the smallest first. full: bytes of the weights as they were."""

    metric: Metric
    limit: float
    judged: str
    ranked: str
    positions: int
    probed: str
    full: int
    units: list[GoalUnit]
    points: list[TriedPoint]
    chosen: int
    front: list[int]
