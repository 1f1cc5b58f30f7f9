"""How long each node of a graph took, as `joinery profile --json` prints it."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class NodeTime:
    """One node as onnxruntime ran it. name: what it calls it; own: the graph's node, "" where onnxruntime made it.

    total_us, median_us: microseconds over all calls and of one, without the nodes inside a body. share: calls ×
    median, of the sum of all nodes. activation_bytes: of what a call reads and writes, without initializers.
    """

    name: str
    own: str
    op: str
    provider: str
    calls: int
    total_us: int
    median_us: float
    share: float
    activation_bytes: int


@dataclass(frozen=True, slots=True)
class ComponentProfile:
    """The counted runs of one graph in one phase: source, prefill, decode, or run for a graph without a cache.

    run_us: microseconds of a run, the median; it is more than its nodes' sum by what lies between them. nodes: the
    slowest first.
    """

    name: str
    phase: str
    runs: int
    run_us: float
    nodes: list[NodeTime]

    @property
    def made(self) -> list[NodeTime]:
        """Those that onnxruntime made itself, which are in no graph of ours."""
        return [node for node in self.nodes if not node.own]


@dataclass
class ProfileReport(Report):
    """One of each component and phase that ran. provider: onnxruntime's word for it is each node's own."""

    provider: str
    components: list[ComponentProfile]
