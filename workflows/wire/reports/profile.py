"""The times of a graph's nodes; `joinery profile --json` prints them."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class NodeTime:
    """A node as onnxruntime ran it. name: in onnxruntime; own: in the bundle's graph, "" if not there.

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
        """The nodes that onnxruntime made, which are in no graph of the bundle."""
        return [node for node in self.nodes if not node.own]


@dataclass
class ProfileReport(Report):
    """The profiles by component and phase. provider: the requested one; each node names the one that ran it.

    adapter: the active one, empty for none; None for what takes none.
    """

    provider: str
    components: list[ComponentProfile]
    adapter: str | None = field(default=None, metadata=ABSENT)
