"""Before a build: what a source is, and what a recipe would make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workflows.wire.reports.base import Report


@dataclass
class TokenizerFacts:
    """What a checkpoint's tokenizer is: its algorithm, its tokens, whether it has a chat template."""

    kind: str
    vocabulary: int | None
    chat_template: bool


@dataclass
class DecoderFacts:
    """The sizes of a model that keeps a cache."""

    layers: int
    hidden_size: int
    vocabulary: int
    max_positions: int
    kv_bytes_per_token: int


@dataclass
class ProbeReport(Report):
    """What a source holds. reason: why it cannot be built. remote_code: name → SHA-256 of its own Python files.

    tasks: what it can be built for, the checkpoint's own first. decoder: None for a model without a cache.
    """

    source: str
    path: str
    kind: str
    model_type: str
    architectures: list[str]
    parameters: int
    dtype: str
    weights_bytes: int
    tokenizer: TokenizerFacts | None
    remote_code: dict[str, str]
    family: str | None
    tasks: list[str]
    supported: bool
    reason: str
    decoder: DecoderFacts | None


@dataclass
class RecipeSummary:
    """What the wizard shows of a recipe; PlanReport.recipe is all of it."""

    target: str
    variant: str
    graphs: str
    cache: str
    capacity: int
    chunk: int
    source_length: int | None
    place: dict[str, str]
    precision: str
    passes: dict[str, bool]
    calibration_prompts: str
    calibration_method: str


@dataclass
class BuildEstimate:
    """What a build will take, and what there is. builds: earlier ones of like size that the seconds were taken from."""

    seconds: float
    memory_bytes: int
    disk_bytes: int
    kv_bytes: int
    free_memory_bytes: int
    free_disk_bytes: int
    builds: int = 0


@dataclass
class PlanComponent:
    """A component in the recipe's picture."""

    name: str
    role: str
    inputs: list[str]
    outputs: list[str]


@dataclass
class PlanEdge:
    """What goes from one box to another, each end as component.tensor."""

    source: str = field(metadata={"key": "from"})
    target: str = field(metadata={"key": "to"})
    kind: Literal["cache", "dataflow"]


@dataclass
class PlanOption:
    """Something that can be chosen, or why not."""

    name: str
    available: bool
    note: str = ""


@dataclass
class TargetOption:
    """What a build can be made for. title: of its provider. reasons: what it makes otherwise, and why."""

    name: str
    title: str
    reasons: list[str]


@dataclass
class PassOption:
    """A pass, and whether it is on unless a person says otherwise."""

    name: str
    title: str
    default: bool


@dataclass
class PrecisionOption:
    """A precision. bytes: what the weights would take. calibrated: it needs prompts. blocks: weights share a scale
    block by block. Of the chosen target: how it runs there, what one overlooks, or why the target cannot have it.
    """

    name: str
    title: str
    note: str
    runs: str
    trap: str
    bytes: int
    calibrated: bool
    blocks: bool = False
    refused: str = ""


@dataclass
class PlanReport(Report):
    """The recipe that options give, its picture, its price, and what else could be chosen."""

    recipe: dict[str, object]
    chosen: RecipeSummary
    estimate: BuildEstimate
    components: list[PlanComponent]
    edges: list[PlanEdge]
    layouts: list[PlanOption]
    variants: list[PlanOption]
    targets: list[TargetOption]
    passes: list[PassOption]
    precisions: list[PrecisionOption]
