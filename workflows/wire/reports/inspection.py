"""What a bundle or an .onnx file holds, as `joinery inspect --json` prints it; and whether a bundle is whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report
from workflows.wire.reports.composite import Composite


@dataclass
class TensorFacts:
    """An input or output of a graph; a dynamic axis is its name."""

    name: str
    shape: list[int | str]
    dtype: str


@dataclass
class ComponentReport:
    """One graph of a bundle. bytes: of its weights. warnings: what is odd about the file, a sentence each.

    faults: those of the warnings for which no runtime takes the graph.
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
        """Nodes in the graph, all operators together."""
        return sum(self.op_counts.values())


@dataclass
class KVGroupReport:
    """Layers that share one slot table. bytes: of all slots. note: what was inferred of a graph that says nothing."""

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


@dataclass
class ParityReport:
    """How far values moved; None where they are no numbers. The greedy tokens that came out the same, of how many."""

    max_abs_diff: float | None
    greedy_equal: int
    greedy_tokens: int
    note: str = ""


@dataclass
class PassRefusal:
    """Why a pass left a place alone; node is empty for the whole graph."""

    reason: str
    node: str = ""


@dataclass
class BuiltPass:
    """What one pass, or one quantization, did to one component. nodes and bytes are those after it, in seconds."""

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
    """What one stage of the build did to one component; parity is against the stage before."""

    name: str
    component: str
    passes: list[BuiltPass]
    nodes: int
    bytes: int
    seconds: float
    parity: ParityReport | None = field(default=None, metadata=ABSENT)


@dataclass
class InspectReport(Report):
    """A bundle, or one graph: then what only a bundle has is empty.

    doubts: what a bundle says of text that does not hold (generate/doubts.py), a sentence each.
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


@dataclass
class FileProblem:
    """What is wrong with one file: `missing`, `altered`, `truncated`, `link` or `unknown`."""

    file: str
    problem: str


@dataclass
class VerifyReport(Report):
    """What was read of a bundle, and what was wrong with it; ok: nothing. doubts: what it says that does not hold."""

    ok: bool
    files: int
    bytes: int
    problems: list[FileProblem]
    doubts: list[str] = field(default_factory=list)
