"""How coarse the weights of a quantized graph are, node by node."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class NodeRounding:
    """A node with a quantized weight. error: expected root mean square of its rounding, relative to the weight's own.

    bits: of a weight.
    """

    node: str
    op: str
    bits: int
    error: float


@dataclass
class RoundingReport(Report):
    """The coarsest first; empty for a graph whose weights are in floating point."""

    nodes: list[NodeRounding]
