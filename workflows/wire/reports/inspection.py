"""The content of a bundle or an .onnx file (`joinery inspect --json`), and the check of a bundle's files."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report
from workflows.wire.reports.composite import Composite, LayerGroup
from workflows.wire.reports.cost import QuantizationCost


@dataclass
class TensorFacts:
    """An input or output of a graph; a dynamic axis is a string, its name."""

    name: str
    shape: list[int | str]
    dtype: str


@dataclass
class ComponentReport:
    """One graph of a bundle. bytes: of its weights. warnings: problems of the file, a sentence each.

    faults: the warnings for which every runtime rejects the graph.
    """

    name: str
    file: str
    role: str
    inputs: list[TensorFacts]
    outputs: list[TensorFacts]
    op_counts: dict[str, int]
    opset: dict[str, int]
    bytes: int
    warnings: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def nodes(self) -> int:
        """Number of nodes of the graph."""
        return sum(self.op_counts.values())


@dataclass
class KVGroupReport:
    """Layers that share a slot table. bytes: of all slots. note: what was inferred where the graph has no metadata.

    The layout "state" is that of layers with state of fixed size: it has no slots, `states` are its tensors, and bytes
    those of all.
    """

    group: str
    layout: str
    layers: list[int]
    capacity: int | None
    window: int | None
    shape: list[int | str]
    dtype: str
    bytes: int | None
    bytes_per_token: int
    writer: str
    note: str = ""
    states: list[LayerGroup] = field(default_factory=list)


@dataclass
class ParityReport:
    """The largest difference of values, None for NaN; and how many of the greedy tokens are equal."""

    max_abs_diff: float | None
    greedy_equal: int
    greedy_tokens: int
    note: str = ""


@dataclass
class PassRefusal:
    """Why a pass was not applied at a node; node is empty for the whole graph."""

    reason: str
    node: str = ""


@dataclass
class BuiltPass:
    """The effect of one pass or quantization on a component. nodes, bytes: after it."""

    name: str
    modified: bool
    nodes_before: int
    nodes_after: int
    refused: list[PassRefusal]
    seconds: float
    title: str
    bytes: int
    parity: ParityReport | None = None


@dataclass
class BuiltStage:
    """The effect of one build stage on a component; parity is against the stage before."""

    name: str
    component: str
    passes: list[BuiltPass]
    nodes: int
    bytes: int
    seconds: float
    parity: ParityReport | None = field(default=None, metadata=ABSENT)


@dataclass
class InspectReport(Report):
    """A bundle, or one graph, whose bundle fields are empty.

    doubts: problems of the bundle's tokenizer and template (generate/text_problems.py), a sentence each. cost: what
    quantizing it cost; None where nothing states it.
    """

    model_type: str
    task: str
    family: str
    route: str
    components: list[ComponentReport]
    kv: list[KVGroupReport]
    stages: list[BuiltStage]
    name: str
    path: str
    precision: str
    layout: str
    capacity: int | None
    chunk: int | None
    bytes: int
    metadata: dict[str, object]
    composite: Composite | None = None
    doubts: list[str] = field(default_factory=list)
    cost: QuantizationCost | None = field(default=None, metadata=ABSENT)


@dataclass
class FileProblem:
    """A problem of one file: `missing`, `altered`, `truncated`, `link` or `unknown`."""

    file: str
    problem: str


@dataclass
class VerifyReport(Report):
    """The checked files of a bundle and their problems; ok: there are none. doubts: as in InspectReport."""

    ok: bool
    files: int
    bytes: int
    problems: list[FileProblem]
    doubts: list[str] = field(default_factory=list)
