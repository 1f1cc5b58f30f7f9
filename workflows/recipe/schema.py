"""The schema of a recipe: what is built from which checkpoint, and how. A bundle stores it as `recipe.json`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.recipe.target import TARGETS, Opset, Target, TargetName, resolve_alias

Graphs = Literal["single", "prefill-decode"]
Cache = Literal["static", "window", "scatter", "gqa"]
Precision = Literal["fp32", "fp16", "bf16", "int8", "int4", "int8-dynamic", "w8a16", "w8a8", "stored"]
BlockSize = Literal[16, 32, 64, 128]
BLOCK_SIZES: tuple[BlockSize, ...] = get_args(BlockSize)
Variant = Literal["plain", "transformer-only"]

ProviderName = Annotated[TargetName, BeforeValidator(resolve_alias)]

DEFAULT_OPSET: Opset = 23
SCATTER_FROM: Opset = 24  # the first opset with TensorScatter; see the kernel preconditions
IN_BLOCKS: tuple[Precision, ...] = ("int8", "int4")  # precisions with a scale per block of weights
# precisions that keep the types between nodes
MIXABLE: tuple[Precision, ...] = ("fp32", "int8", "int4", "int8-dynamic", "stored")
Preset = Literal["compact", "balanced", "accurate"]
PRESETS: dict[Preset, Precision] = {"compact": "int4", "balanced": "int4", "accurate": "int8"}
"""Points of size and accuracy, chosen by a table of trained models (resources/docs/quantization.md) → their precision;
int4 without a preset is balanced, and int8 is accurate."""
Rounding = Literal["nearest", "search", "compensated"]
AdapterUse = Literal["merged", "runtime"]
CacheWriter = Literal["host", "gqa", "scatter"]

MOST_ROWS = 256  # texts that a step continues
DEFAULT_CHUNK = 64
IN_PLACE_CHUNK = 128
"""For layouts that copy no row of a prompt: 5 % faster than 64; 256 is not faster."""
INTEGER_CACHE_CHUNK = 512
"""For a cache in integers, all of which a prompt's run converts."""
DEFAULT_SOURCE_LENGTH = 512


def cache_writer(cache: str) -> CacheWriter:
    """Returns who writes rows of a cache layout into their slots."""
    return {"gqa": "gqa", "scatter": "scatter"}.get(cache, "host")  # type: ignore[return-value]


def single_graph_output(task: str) -> str:
    """The output of a graph without a cache for its task, by transformers' name."""
    return {"feature-extraction": "last_hidden_state", "depth-estimation": "predicted_depth"}.get(task, "logits")


class CalibrationSettings(BaseModel):
    """How activation ranges are calibrated: by running these prompts.

    prompts: a text file or a data set folder; empty for the checkpoint's or demo's own. samples: observed runs, a
    prompt or a token each; steps: greedy tokens after each prompt. percentile: of the method of that name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Literal["minmax", "percentile", "entropy"] = "minmax"
    prompts: str = ""
    samples: Annotated[int, Field(gt=0, le=1 << 16)] = 160
    steps: Annotated[int, Field(ge=0, le=1 << 12)] = 16
    percentile: Annotated[float, Field(gt=50, le=100)] = 99.99


Role = Literal["head", "embedding", "first_layer", "last_layer", "attention_output", "down_projection"]
ROLES: tuple[Role, ...] = get_args(Role)
"""What a weight is for, the more specific roles first: of several roles of one weight, the most exact one counts."""


def _role_text(value: object) -> object:
    """What older recipes have for the head and the embedding, true and false, as text."""
    return {True: None, False: "fp32"}[value] if isinstance(value, bool) else value


RolePrecision = Annotated[
    Annotated[str, Field(pattern=r"^(fp32|fp16|(int8|int4)(/(16|32|64|128))?)$")] | None, BeforeValidator(_role_text)
]
"""`fp32`, `fp16`, `int8`, `int4`, or with a block size `int8/64`; None for the precision of the other weights."""


class NodePrecision(BaseModel):
    """The precision of one node. fp16: stored so, and computed in fp32. block_size: of int4 and int8."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    precision: Literal["int4", "int8", "int8-dynamic", "fp16"]
    block_size: BlockSize = 32


class QuantizeSettings(BaseModel):
    """How the weights are quantized to the recipe's precision.

    block_size: the most weights with one scale: rows are divided evenly. fine_block_size: the same, in int4, for the
    most sensitive weights by size: output head, embedding and the product after attention; None for no difference.
    accuracy_level: how onnxruntime computes with weight-only integers: 4 in 8-bit integers, 1 in float32, 0 by its own
    choice. symmetric: no zero points. head, embedding, first_layer, last_layer, attention_output, down_projection: the
    precision of the weights in that role; a matrix that is head and embedding may exist twice. heads: whether 4-D
    activations, between projections and attention, are quantized as well. exclude: nodes to skip. nodes: node → its
    own precision. components: component → its own precision, all its roles included.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    block_size: BlockSize = 32
    fine_block_size: BlockSize | None = None
    accuracy_level: Literal[0, 1, 2, 3, 4] = 4
    symmetric: bool = False
    rounding: Rounding = "search"
    head: RolePrecision = None
    embedding: RolePrecision = "fp32"
    first_layer: RolePrecision = None
    last_layer: RolePrecision = None
    attention_output: RolePrecision = None
    down_projection: RolePrecision = None
    heads: bool = True
    exclude: tuple[str, ...] = ()
    nodes: dict[str, NodePrecision] = {}
    components: dict[str, Precision] = {}
    calibration: CalibrationSettings = CalibrationSettings()

    @model_validator(mode="after")
    def _one_word_a_node(self) -> QuantizeSettings:
        both = next((name for name in self.exclude if name in self.nodes), None)
        if both is not None:
            raise ValueError(f"exclude and nodes both name {both!r}: name it in one of them")
        return self

    @property
    def roles(self) -> dict[Role, NodePrecision | None]:
        """The roles with a precision of their own; None for fp32."""
        named = {role: text for role in ROLES if (text := getattr(self, role)) is not None}
        return {role: self._node_precision(text) for role, text in named.items()}

    @property
    def mixes(self) -> bool:
        """Whether some weights are to be stored in another precision than the others, but for those in fp32."""
        return bool(self.nodes) or any(one is not None for one in self.roles.values())

    @property
    def has_table_blocks(self) -> bool:
        """Whether the embedding is quantized in blocks."""
        own = self.roles.get("embedding", NodePrecision(precision="int4"))
        return own is not None and own.precision != "fp16"

    def _node_precision(self, text: str) -> NodePrecision | None:
        precision, _, block = text.partition("/")
        fine = self.fine_block_size or self.block_size
        size = int(block) if block else fine if precision == "int4" else self.block_size
        facts = {"precision": precision, "block_size": size}
        return None if precision == "fp32" else NodePrecision.model_validate(facts)


class AdapterSettings(BaseModel):
    """An adapter of peft, merged into the weights or beside them. folder: its path, its name alone in a bundle.

    scale: of its low-rank changes. sha256: over its settings and weights, filled in when it is opened.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Annotated[str, Field(min_length=1)]
    scale: Annotated[float, Field(allow_inf_nan=False)] = 1.0
    sha256: str = ""


def comparison_chunk(chunk: int, any_width: bool) -> int:
    """Prompt tokens per run in comparisons of graphs: with any width, fewer tokens give the same result sooner."""
    return min(chunk, DEFAULT_CHUNK) if any_width else chunk


class Recipe(BaseModel):
    """All options of a build.

    graphs: `single` is one graph with symbolic sequence and slot axes; `prefill-decode` is two with fixed shapes, for
    providers without dynamic shapes. preset: where precision and quantize come from, but for what is chosen besides.
    capacity: cache slots. chunk: prompt tokens per prefill run. source_length: the
    fixed length of an encoder, to which shorter sources are padded; None for any length. passes: optimizer pass →
    whether it runs. variant: `plain` keeps the model whole; `transformer-only` divides it into embeddings, transformer
    and head, in operators of NPUs. kv_dtype: of the cache tensors; int8 has calibrated scales
    (quantize/integer_cache.py), and the precisions fp16 and bf16 have their own dtype. early_exit: the number of first
    layers that draft, as a graph over the same weights; None for no draft. session_options: component, or `all` →
    onnxruntime session options (bundle/session_options.py) of the bundle. fast_prefill: whether prompts run through a
    graph of their own, whose products multiply 8-bit columns of the weights. batch: how many texts a step may continue;
    more than one gives the graphs an axis of rows. place: component → its provider, if not
    the target. expose: additional outputs: the last hidden states, from which extra heads draft, or of Whisper the
    attention to the sound, from which the times of words follow. compile: whether the target's provider compiles the
    bundle's graphs after the build (`joinery compile`), with the options in session_options. check: `quick` compares
    the model and the graphs in fewer ways (compatibility.check_notice). tokenizer: whether the bundle has the
    checkpoint's; without one it takes token ids alone. adapter: what is merged into the weights, in order. adapters:
    `runtime` merges none, and a generation chooses one of them: their factors are inputs of the graphs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    source: str
    adapter: tuple[AdapterSettings, ...] = ()
    adapters: AdapterUse = "merged"
    model_type: str
    family: str
    task: str
    target: ProviderName = "cpu"
    variant: Variant = "plain"
    graphs: Graphs = "single"
    cache: Cache = "static"
    kv_dtype: Literal["float32", "float16", "int8"] = "float32"
    early_exit: Annotated[int, Field(gt=0)] | None = None
    fast_prefill: bool = False
    batch: Annotated[int, Field(gt=0, le=MOST_ROWS)] = 1
    capacity: Annotated[int, Field(gt=0, le=1 << 24)] = DEFAULT_CAPACITY
    chunk: Annotated[int, Field(gt=0, le=1 << 16)] = DEFAULT_CHUNK
    source_length: Annotated[int, Field(gt=0, le=1 << 16)] | None = None
    preset: Preset | None = None
    precision: Precision = "fp32"
    quantize: QuantizeSettings = QuantizeSettings()
    passes: dict[str, bool] = {}
    session_options: dict[str, dict[str, Any]] = {}
    place: dict[str, ProviderName] = {}
    expose: Literal["hidden_states", "alignment"] | None = None
    compile: bool = False
    opset: Opset = DEFAULT_OPSET
    check: Literal["full", "quick"] = "full"
    tokenizer: bool = True

    @property
    def build_target(self) -> Target:
        """The target with its provider's properties."""
        return TARGETS[self.target]

    @property
    def compared_chunk(self) -> int:
        """See the function comparison_chunk."""
        return comparison_chunk(self.chunk, any_width=self.graphs == "single")

    @model_validator(mode="after")
    def _chunk_fits(self) -> Recipe:
        if self.chunk > self.capacity:
            raise ValueError(f"a chunk of {self.chunk} does not fit a capacity of {self.capacity}")
        return self

    @model_validator(mode="after")
    def _preset_fits(self) -> Recipe:
        if self.preset is not None and self.precision not in ("fp32", wanted := PRESETS[self.preset]):
            raise ValueError(f"the preset {self.preset} is in {wanted}, not in {self.precision}: choose one of them")
        return self

    @model_validator(mode="after")
    def _nodes_fit(self) -> Recipe:
        odd = next((one for one in sorted(self.precisions) if one not in MIXABLE), None)
        if self.quantize.mixes and odd is not None:
            named = next((role for role, own in self.quantize.roles.items() if own is not None), "nodes")
            raise ValueError(f"quantize.{named} goes with {', '.join(MIXABLE)}, and not with {odd}")
        return self

    @model_validator(mode="after")
    def _rounding_fits(self) -> Recipe:
        named = {one.precision for one in self.quantize.nodes.values()}
        named |= {one.precision for one in self.quantize.roles.values() if one is not None}
        if self.quantize.rounding == "compensated" and "int4" not in self.precisions | named:
            raise ValueError("the rounding compensated needs int4")
        return self

    @property
    def precisions(self) -> frozenset[Precision]:
        """The recipe's precision, and those of its components."""
        return frozenset((self.precision, *self.quantize.components.values()))

    @property
    def keeps_weights(self) -> bool:
        """Whether every weight is unchanged."""
        return self.precisions == {"fp32"} and not self.quantize.mixes

    @property
    def quantizes(self) -> bool:
        """Whether the stage `quantize` has something to do: weights, or the cache."""
        return not self.keeps_weights or self.kv_dtype == "int8"

    def precision_of(self, component: str) -> Precision:
        """The component's own precision, or the recipe's."""
        return self.quantize.components.get(component, self.precision)
