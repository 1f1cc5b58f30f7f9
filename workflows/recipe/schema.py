"""The recipe: what is built from which checkpoint, and how. It is stored in the bundle as `recipe.json`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Graphs = Literal["single", "prefill-decode"]
Cache = Literal["static", "window", "scatter", "gqa"]
Precision = Literal["fp32"]
Variant = Literal["plain", "transformer-only"]

Writer = Literal["host", "gqa", "scatter"]

POSITIONS_KEY = "joinery.positions"  # in a graph's metadata: how many positions the model has
DEFAULT_CAPACITY = 4096
DEFAULT_CHUNK = 64
DEFAULT_SOURCE_LENGTH = 512


def writer_of(cache: str) -> Writer:
    """Who puts the rows of a cache layout into their slots."""
    return {"gqa": "gqa", "scatter": "scatter"}.get(cache, "host")  # type: ignore[return-value]


def single_output(task: str) -> str:
    """What a graph without a cache gives for its task, as transformers names it."""
    return {"feature-extraction": "last_hidden_state", "depth-estimation": "predicted_depth"}.get(task, "logits")


class Recipe(BaseModel):
    """Every choice of a build.

    graphs: `single` is one graph with symbolic sequence and slot axes; `prefill-decode` is two with fixed shapes,
    as providers without dynamic shapes need them. capacity: cache slots. chunk: prompt tokens a prefill run takes.
    source_length: tokens that an encoder is fixed to, shorter sources are padded; None takes any number.
    passes: optimizer pass → whether it runs. variant: `plain` keeps the model whole; `transformer-only` has embeddings,
    transformer and head as components of their own, in operators of NPUs. kv_dtype: that of the cache's tensors.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    source: str
    model_type: str
    family: str
    task: str
    target: Literal["cpu", "npu"] = "cpu"
    variant: Variant = "plain"
    graphs: Graphs = "single"
    cache: Cache = "static"
    kv_dtype: Literal["float32", "float16"] = "float32"
    capacity: Annotated[int, Field(gt=0, le=1 << 24)] = DEFAULT_CAPACITY
    chunk: Annotated[int, Field(gt=0, le=1 << 16)] = DEFAULT_CHUNK
    source_length: Annotated[int, Field(gt=0, le=1 << 16)] | None = None
    precision: Precision = "fp32"
    passes: dict[str, bool] = {}
    opset: Literal[23, 24] = 23

    @model_validator(mode="after")
    def _chunk_fits(self) -> Recipe:
        if self.graphs == "prefill-decode" and self.chunk > self.capacity:
            raise ValueError(f"a chunk of {self.chunk} does not fit a capacity of {self.capacity}")
        return self
