"""The rounding errors of a quantized graph's weights, by node."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class NodeRounding:
    """A node with a quantized weight. error: expected RMS of rounding over that of the weight. bits: per weight."""

    node: str
    op: str
    bits: int
    error: float


@dataclass
class RoundingReport(Report):
    """The largest errors first; empty for a graph without quantized weights."""

    nodes: list[NodeRounding]
