"""The recipe: what is built from which checkpoint, and how. It is stored in the bundle as `recipe.json`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.recipe.target import Opset, TargetName, resolve_alias

Graphs = Literal["single", "prefill-decode"]
Cache = Literal["static", "window", "scatter", "gqa"]
Precision = Literal["fp32", "fp16", "bf16", "int8", "int4", "int8-dynamic", "w8a16", "w8a8"]
BlockSize = Literal[16, 32, 64, 128]
BLOCK_SIZES: tuple[BlockSize, ...] = get_args(BlockSize)
Variant = Literal["plain", "transformer-only"]

ProviderName = Annotated[TargetName, BeforeValidator(resolve_alias)]

DEFAULT_OPSET: Opset = 23
SCATTER_FROM: Opset = 24  # the first with TensorScatter, as workflows/common/kernel_constraints.py has it
IN_BLOCKS: tuple[Precision, ...] = ("int8", "int4")  # weights that share a scale block by block
MIXABLE: tuple[Precision, ...] = ("fp32", "int8", "int4", "int8-dynamic")  # that leave the types between nodes alone
Rounding = Literal["nearest", "search", "compensated"]
CacheWriter = Literal["host", "gqa", "scatter"]

DEFAULT_CHUNK = 64
IN_PLACE_CHUNK = 128
"""Where no row of a prompt is copied: a twentieth less time than 64, and 256 gains nothing more."""
DEFAULT_SOURCE_LENGTH = 512


def cache_writer(cache: str) -> CacheWriter:
    """Who puts the rows of a cache layout into their slots."""
    return {"gqa": "gqa", "scatter": "scatter"}.get(cache, "host")  # type: ignore[return-value]


def single_graph_output(task: str) -> str:
    """What a graph without a cache gives for its task, as transformers names it."""
    return {"feature-extraction": "last_hidden_state", "depth-estimation": "predicted_depth"}.get(task, "logits")


class CalibrationSettings(BaseModel):
    """Where the ranges of activations come from: what the model sees while it answers these prompts.

    prompts: a text file or a data set folder; empty for the checkpoint's or demo's own. samples: runs that are looked
    at, a prompt or a token each; steps: greedy tokens after each prompt. percentile: of the method of that name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Literal["minmax", "percentile", "entropy"] = "minmax"
    prompts: str = ""
    samples: Annotated[int, Field(gt=0, le=1 << 16)] = 160
    steps: Annotated[int, Field(ge=0, le=1 << 12)] = 16
    percentile: Annotated[float, Field(gt=50, le=100)] = 99.99


class NodePrecision(BaseModel):
    """What one node has instead of its component's precision. fp16: the weight is stored so, and computed with in fp32.

    block_size: of int4 and int8.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    precision: Literal["int4", "int8", "int8-dynamic", "fp16"]
    block_size: BlockSize = 32


class QuantizeSettings(BaseModel):
    """How the recipe's precision is made of the weights.

    block_size: weights that share a scale, at most: rows are parted evenly. fine_block_size: the same of what costs
    most in accuracy for its bytes, the output head, the table of tokens and the product behind attention, in int4;
    None where they have no blocks of their own. accuracy_level: how onnxruntime computes with weight-only integers, 4
    in 8-bit integers, 1 in float32, 0 as it likes. symmetric: no zero point of a block's own. head, embedding: whether
    the output head and the table of tokens are quantized too. heads: whether activations of four axes, between
    projections and attention, are put on grids as well. exclude: nodes to leave alone. nodes: node → the method that it
    has instead. components: component → the precision that it has instead of the recipe's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    block_size: BlockSize = 32
    fine_block_size: BlockSize | None = None
    accuracy_level: Literal[0, 1, 2, 3, 4] = 4
    symmetric: bool = False
    rounding: Rounding = "search"
    head: bool = True
    embedding: bool = False
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


def comparison_chunk(chunk: int, any_width: bool) -> int:
    """Prompt tokens a run takes where graphs are compared: those of any width say the same of fewer, sooner."""
    return min(chunk, DEFAULT_CHUNK) if any_width else chunk


class Recipe(BaseModel):
    """Every choice of a build.

    graphs: `single` is one graph with symbolic sequence and slot axes; `prefill-decode` is two with fixed shapes,
    as providers without dynamic shapes need them. capacity: cache slots. chunk: prompt tokens a prefill run takes.
    source_length: tokens that an encoder is fixed to, shorter sources are padded; None takes any number.
    passes: optimizer pass → whether it runs. variant: `plain` keeps the model whole; `transformer-only` has embeddings,
    transformer and head as components of their own, in operators of NPUs. kv_dtype: that of the cache's tensors
    in the exported graphs; the precisions fp16 and bf16 have it in their own type. early_exit: how many of the first
    layers are to draft for all of them, as a graph of its own over the same weights; None for none. session_options:
    component, or `all` → options of onnxruntime's sessions (bundle/options.py), which the bundle then has. place:
    component → the provider that it runs on, whatever the others run on. expose: what the graphs give beside
    the logits: the last hidden states, from which extra heads draft. compile: whether the target's provider
    compiles the bundle's graphs once they are there (`joinery compile`), with the options that session_options give it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    source: str
    model_type: str
    family: str
    task: str
    target: ProviderName = "cpu"
    variant: Variant = "plain"
    graphs: Graphs = "single"
    cache: Cache = "static"
    kv_dtype: Literal["float32", "float16"] = "float32"
    early_exit: Annotated[int, Field(gt=0)] | None = None
    capacity: Annotated[int, Field(gt=0, le=1 << 24)] = DEFAULT_CAPACITY
    chunk: Annotated[int, Field(gt=0, le=1 << 16)] = DEFAULT_CHUNK
    source_length: Annotated[int, Field(gt=0, le=1 << 16)] | None = None
    precision: Precision = "fp32"
    quantize: QuantizeSettings = QuantizeSettings()
    passes: dict[str, bool] = {}
    session_options: dict[str, dict[str, Any]] = {}
    place: dict[str, ProviderName] = {}
    expose: Literal["hidden_states"] | None = None
    compile: bool = False
    opset: Opset = DEFAULT_OPSET

    @property
    def compared_chunk(self) -> int:
        """See the function of that name."""
        return comparison_chunk(self.chunk, any_width=self.graphs == "single")

    @model_validator(mode="after")
    def _chunk_fits(self) -> Recipe:
        if self.chunk > self.capacity:
            raise ValueError(f"a chunk of {self.chunk} does not fit a capacity of {self.capacity}")
        return self

    @model_validator(mode="after")
    def _nodes_fit(self) -> Recipe:
        odd = next((one for one in sorted(self.precisions) if one not in MIXABLE), None)
        if self.quantize.nodes and odd is not None:
            raise ValueError(f"quantize.nodes goes with {', '.join(MIXABLE)}, and not with {odd}")
        return self

    @model_validator(mode="after")
    def _rounding_fits(self) -> Recipe:
        if self.quantize.rounding == "compensated" and ("int4" not in self.precisions or self.quantize.nodes):
            raise ValueError("the rounding compensated is of int4, and not of nodes with a method of their own")
        return self

    @property
    def precisions(self) -> frozenset[Precision]:
        """The recipe's own, and those of its components."""
        return frozenset((self.precision, *self.quantize.components.values()))

    @property
    def keeps_weights(self) -> bool:
        """Whether every weight stays as it is."""
        return self.precisions == {"fp32"} and not self.quantize.nodes

    def precision_of(self, component: str) -> Precision:
        """The component's own precision, or the recipe's."""
        return self.quantize.components.get(component, self.precision)
