"""What a search for the smallest mix tried and chose: `goal.json` of a bundle, the picture of size against error."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.goals import Metric
from workflows.wire.reports.base import Report

GOAL_FILE = "goal.json"


@dataclass
class TriedPoint:
    """One mix, measured. bytes: of the weights. figure: of the goal's metric. levels: each unit's, in their order.

    kl: mean, in nats; None where the logits are no numbers. at_worst: the figure less one standard error, by which it
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
    """A weight with the nodes that use it. alone: the mean divergence in nats where it alone is in `probed`."""

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
