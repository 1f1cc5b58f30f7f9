"""Graphs as the window draws them, differences of two graphs, and statistics of tensors.

Nodes are in topological order and refer to values by index. The fields `change` and `was` are set in differences only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workflows.wire.codec import ABSENT, ROWS
from workflows.wire.reports.base import Report
from workflows.wire.reports.inspection import ParityReport, PassRefusal

Change = Literal["", "removed", "added", "changed"]
CHANGES: tuple[Change, ...] = ("removed", "added", "changed")
Shape = list[int | str]


@dataclass(slots=True)
class ValueBefore:
    """A value before the change."""

    dtype: str
    shape: Shape | None


@dataclass(slots=True)
class GraphValue:
    """A tensor of a graph. kind: input, output, initializer or value. bytes: of an initializer. shape: or unknown."""

    name: str
    dtype: str
    shape: Shape | None
    kind: str
    bytes: int
    change: Change | None = field(default=None, metadata=ABSENT)
    was: ValueBefore | None = field(default=None, metadata=ABSENT)

    @property
    def type(self) -> str:
        """Element type and shape: float32 1 × 64 × hidden."""
        shape = "?" if self.shape is None else " × ".join(str(axis) for axis in self.shape) or "scalar"
        return f"{self.dtype} {shape}".strip()


@dataclass(slots=True)
class NodeBefore:
    """A node before the change; its inputs and outputs by name."""

    op: str
    domain: str
    attrs: dict[str, str]
    inputs: list[str] = field(metadata={"key": "in"})
    outputs: list[str] = field(metadata={"key": "out"})


@dataclass(slots=True)
class GraphNode:
    """One node. inputs, outputs: value indices, -1 for an omitted input. parent: index of the enclosing node, or -1.

    scope: the module path, model/layers/0/attn. made_by: the pass that made or changed it.
    """

    name: str
    op: str
    domain: str
    scope: str
    inputs: list[int] = field(metadata={"key": "in"})
    outputs: list[int] = field(metadata={"key": "out"})
    attrs: dict[str, str]
    made_by: str
    parent: int
    change: Change | None = field(default=None, metadata=ABSENT)
    was: NodeBefore | None = field(default=None, metadata=ABSENT)

    @property
    def operator(self) -> str:
        """The operator, with its domain unless it is ONNX's own."""
        return f"{self.domain}.{self.op}" if self.domain else self.op


@dataclass
class GraphStage:
    """A build stage. kind: export, pass, quantize or final. nodes, bytes: after the stage."""

    name: str
    title: str
    kind: str
    modified: bool
    nodes: int
    bytes: int
    seconds: float = 0.0
    parity: ParityReport | None = None
    refused: list[PassRefusal] = field(default_factory=list)


@dataclass
class GraphFacts:
    """Facts of a model file. bytes: of its weights. warnings: one sentence each."""

    producer: str
    ir_version: int
    opset: dict[str, int]
    bytes: int
    functions: int
    warnings: list[str]


@dataclass
class GraphReport(Report):
    """A graph: its origin, its build stages, nodes and values; inputs and outputs are indices of values."""

    title: str
    path: str
    component: str
    stage: str
    stages: list[GraphStage]
    values: list[GraphValue] = field(metadata=ROWS)
    nodes: list[GraphNode] = field(metadata=ROWS)
    inputs: list[int]
    outputs: list[int]
    facts: GraphFacts


@dataclass
class OperatorCounts:
    """The number of nodes of an operator before and after."""

    op: str
    before: int
    after: int


@dataclass
class ScopeCounts:
    """The number of changed nodes of a scope."""

    scope: str
    removed: int
    added: int
    changed: int


@dataclass
class DiffReport(Report):
    """The difference of two graphs. counts: nodes by change, and `same`; ops, scopes: only those that differ.

    initializers: names by change. notes: other differences, a sentence each.
    """

    graph: GraphReport
    counts: dict[str, int]
    ops: list[OperatorCounts]
    scopes: list[ScopeCounts]
    initializers: dict[str, list[str]]
    notes: list[str]


@dataclass
class ValueHistogram:
    """Counts of equal bins from `low` to `high`."""

    low: float
    high: float
    counts: list[int]


@dataclass
class TensorReport(Report):
    """Statistics of an initializer; None if no element is finite. head: its first elements."""

    name: str
    dtype: str
    shape: list[int]
    bytes: int
    count: int
    zeros: int
    nan: int
    inf: int
    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    histogram: ValueHistogram | None
    head: list[float | None]


@dataclass
class TrialReport(Report):
    """One run of a graph. random: the inputs that were not given. ms: of the run."""

    inputs: list[TensorReport]
    outputs: list[TensorReport]
    random: list[str]
    ms: float


@dataclass
class ExcerptReport(Report):
    """A small .onnx file of a graph or a scope."""

    file: str
    nodes: int
