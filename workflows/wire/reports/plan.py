"""The reports before a build: the source, and the plan of its recipe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workflows.wire.reports.base import Report

Exactness = Literal["", "exact", "near", "close", "coarse"]
"""How near the output of a precision comes to that of fp32; empty where it is unknown."""
CalibrationOrigin = Literal["", "file", "demo", "sentences", "texts", "missing"]
"""What a recipe is calibrated with: nothing, a person's file, the demo's prompts, built-in sentences, or thousands of
tokens of built-in texts; missing: there is no tokenizer for the built-in ones."""

IMPLIED_PRESETS = {"int4": "balanced", "int8": "accurate"}
"""The preset that a precision is where none is named."""


@dataclass
class TokenizerFacts:
    """A checkpoint's tokenizer: algorithm, vocabulary size, whether it has a chat template."""

    kind: str
    vocabulary: int | None
    chat_template: bool


@dataclass
class DecoderFacts:
    """The sizes of a model with a KV cache. state_layers: how many layers keep state of fixed size."""

    layers: int
    hidden_size: int
    vocabulary: int
    max_positions: int
    kv_bytes_per_token: int
    state_layers: int = 0


@dataclass
class ProbeReport(Report):
    """The content of a source. reason: why it cannot be built. remote_code: name → SHA-256 of its Python files.

    tasks: the possible ones, the checkpoint's own first. own_task: the one of a build without a choice, if its files
    name it. left_out: task → a sentence about the parts that a build for it leaves out. decoder: None for a model
    without a cache. recommended: target → the precision to begin with; empty where a build without a choice keeps the
    checkpoint's own.
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
    own_task: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    recommended: dict[str, str] = field(default_factory=dict)


@dataclass
class RecipeSummary:
    """The settings of a recipe that the window shows; PlanReport.recipe has all."""

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
    calibration_origin: CalibrationOrigin = ""
    batch: int = 1


@dataclass
class BuildEstimate:
    """The resources that a build needs, and the free ones. builds: earlier builds that the time is derived from.

    stages: seconds of each. disk_bytes: of the bundle, with the snapshots of its graphs, snapshot_bytes. work_bytes: of
    the stages, beside the bundle. streamed: the weights are never in memory together. memory_short: by so much that the
    build is refused.
    """

    seconds: float
    memory_bytes: int
    disk_bytes: int
    kv_bytes: int
    free_memory_bytes: int
    free_disk_bytes: int
    builds: int = 0
    stages: dict[str, float] = field(default_factory=dict)
    snapshot_bytes: int = 0
    work_bytes: int = 0
    streamed: bool = False
    memory_short: bool = False


@dataclass
class PlanComponent:
    """A component in the picture of the recipe."""

    name: str
    role: str
    inputs: list[str]
    outputs: list[str]


@dataclass
class PlanEdge:
    """An edge between two components, each end as component.tensor."""

    source: str = field(metadata={"key": "from"})
    target: str = field(metadata={"key": "to"})
    kind: Literal["cache", "dataflow"]


@dataclass
class PlanOption:
    """An option, available or not. note: a clause why not, or a sentence about what it costs on the target."""

    name: str
    available: bool
    note: str = ""


@dataclass
class TargetOption:
    """A target of a build. title: of its provider. reasons: what it changes in the recipe, and why."""

    name: str
    title: str
    reasons: list[str]


@dataclass
class PassOption:
    """A pass, and whether it is on by default."""

    name: str
    title: str
    default: bool


@dataclass
class PrecisionOption:
    """A precision. bytes: of the weights. calibrated: whether it needs prompts. blocks: whether scales are per block.
    runs, trap, refused: of the chosen target, how it runs, what to beware of, or why it is impossible. speed: there, as
    a multiple of fp32; None where it was not measured.
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
    speed: float | None = None
    exactness: Exactness = ""
    recommended: bool = False


@dataclass
class PresetOption:
    """A choice of size against accuracy. precision: its own. bytes: of the weights.

    kl_mean, top1_agreement, tokens_per_s: of the last build of this model with it on this machine, and of the last
    reply of that bundle, on `provider`; None where there was none. kl_mean is in nats.
    """

    name: str
    precision: str
    bytes: int
    kl_mean: float | None = None
    top1_agreement: float | None = None
    tokens_per_s: float | None = None
    provider: str = ""


@dataclass
class PlanReport(Report):
    """The recipe of the given options, its picture, its cost, and the alternatives.

    offers_fast_prefill, offers_int8_cache: whether the recipe has fast_prefill or a cache in int8, or could.
    """

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
    presets: list[PresetOption] = field(default_factory=list)
    offers_fast_prefill: bool = False
    offers_int8_cache: bool = False
