"""A graph as the window draws it, two graphs as one, and what is in a tensor.

Nodes stand in topological order, and name values by their place in `values`. The fields `change` and `was` are of a
difference alone.
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
    """What a value was."""

    dtype: str
    shape: Shape | None


@dataclass(slots=True)
class GraphValue:
    """What flows along an edge. kind: input, output, initializer or value. bytes: of an initializer's data.

    shape: None where it is not known.
    """

    name: str
    dtype: str
    shape: Shape | None
    kind: str
    bytes: int
    change: Change | None = field(default=None, metadata=ABSENT)
    was: ValueBefore | None = field(default=None, metadata=ABSENT)

    @property
    def type(self) -> str:
        """Element type and shape in words: float32 1 × 64 × hidden."""
        shape = "?" if self.shape is None else " × ".join(str(axis) for axis in self.shape) or "scalar"
        return f"{self.dtype} {shape}".strip()


@dataclass(slots=True)
class NodeBefore:
    """What a node was; its ends by name."""

    op: str
    domain: str
    attrs: dict[str, str]
    inputs: list[str] = field(metadata={"key": "in"})
    outputs: list[str] = field(metadata={"key": "out"})


@dataclass(slots=True)
class GraphNode:
    """One operator. inputs, outputs: places in the values, -1 for an omitted input. parent: the node it is in, or -1.

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
        """The operator with its domain where that is not ONNX's own."""
        return f"{self.domain}.{self.op}" if self.domain else self.op


@dataclass
class GraphStage:
    """One stop of the slider; `kind` is export, pass, quantize or final. `nodes` and `bytes` are those after it."""

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
    """What a file says of itself. bytes: of its weights. warnings: one sentence each."""

    producer: str
    ir_version: int
    opset: dict[str, int]
    bytes: int
    functions: int
    warnings: list[str]


@dataclass
class GraphReport(Report):
    """A graph: where it is from, the stages beside it, its nodes and values; inputs and outputs are values' places."""

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
    """How many nodes of an operator there were and are."""

    op: str
    before: int
    after: int


@dataclass
class ScopeCounts:
    """How many nodes of a scope differ."""

    scope: str
    removed: int
    added: int
    changed: int


@dataclass
class DiffReport(Report):
    """Two graphs as one. counts: nodes by change, and `same`; ops, scopes: those that differ alone.

    initializers: names by what became of them. notes: what else differs, a sentence each.
    """

    graph: GraphReport
    counts: dict[str, int]
    ops: list[OperatorCounts]
    scopes: list[ScopeCounts]
    initializers: dict[str, list[str]]
    notes: list[str]


@dataclass
class ValueHistogram:
    """`counts` of equal bins from `low` to `high`."""

    low: float
    high: float
    counts: list[int]


@dataclass
class TensorReport(Report):
    """Statistics of an initializer; None where nothing is finite. head: its first elements."""

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
class ExcerptReport(Report):
    """A small .onnx file of a graph or a scope."""

    file: str
    nodes: int
