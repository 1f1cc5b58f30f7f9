"""`pipeline.json`, version 2: which sessions there are, when each runs, what feeds what, and the state they share.

The keys are those of onnxruntime-genai's version 2 as proposed; Joinery's own facts stand under `metadata`, which
other readers ignore. Unknown keys and unknown enum values are errors that carry their JSON path.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workflows.errors import BundleError, printable

When = Literal["init", "step", "final"]
NameInBundle = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.\-]*(/[A-Za-z0-9_][A-Za-z0-9_.\-]*)*$")]


class Model(BaseModel):
    """Unknown keys are refused, values are not changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SlidingWindow(Model):
    """Tokens that stay in the cache."""

    size: Annotated[int, Field(gt=0)]


class ChunkedPrefill(Model):
    """Prompt tokens that one run takes at most."""

    max_batched_tokens: Annotated[int, Field(gt=0)]


class Runtime(Model):
    """Features that are scheduled when a session is opened, without a change of the graph."""

    precision: Literal["fp32", "fp16", "bf16", "fp8"] = "fp32"
    sliding_window: SlidingWindow | None = None
    chunked_prefill: ChunkedPrefill | None = None


class SessionOptions(Model):
    """Options of one session."""

    runtime: Runtime = Runtime()


class Session(Model):
    """One graph file. `role` is Joinery's word for what the component does."""

    file: NameInBundle
    session_options: SessionOptions = SessionOptions()


class FlowStage(Model):
    """When a session runs: `init` over the prompt, `step` for each token, `final` at the end."""

    run: str
    when: When = "step"


class Edge(Model):
    """A tensor of one session that feeds one of another, each written `session.tensor`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    source: Annotated[str, Field(alias="from", pattern=r"^[^.]+\..+$")]
    target: Annotated[str, Field(alias="to", pattern=r"^[^.]+\..+$")]


class KVState(Model):
    """The names of the cache tensors; `%d` stands for the layer."""

    format: Literal["auto", "separate"] = "separate"
    past_key_pattern: str = "past_key_values.%d.key"
    past_value_pattern: str = "past_key_values.%d.value"
    present_key_pattern: str = "present.%d.key"
    present_value_pattern: str = "present.%d.value"

    @model_validator(mode="after")
    def _one_layer_each(self) -> KVState:
        for name in ("past_key_pattern", "past_value_pattern", "present_key_pattern", "present_value_pattern"):
            if getattr(self, name).count("%d") != 1:
                raise ValueError(f"{name} must hold %d exactly once")
        return self


class CrossState(Model):
    """What an encoder hands to the decoder for the whole of a generation."""

    source: str
    frozen: Literal[True] = True


class State(Model):
    """State that sessions share between runs."""

    kv_cache: KVState | None = None
    cross_cache: CrossState | None = None


class Flow(Model):
    """Sessions, their order and their edges."""

    sessions: Annotated[dict[str, Session], Field(min_length=1)]
    flow: Annotated[list[FlowStage], Field(min_length=1, max_length=10)]
    dataflow: list[Edge] = []
    state: State = State()

    @model_validator(mode="after")
    def _names_exist(self) -> Flow:
        for stage in self.flow:
            if stage.run not in self.sessions:
                raise ValueError(f"flow runs {stage.run!r}, which is no session")
        for edge in self.dataflow:
            for end in (edge.source, edge.target):
                if end.split(".", 1)[0] not in self.sessions:
                    raise ValueError(f"dataflow names {end!r}, whose session does not exist")
        cross = self.state.cross_cache
        if cross is not None and cross.source not in self.sessions:
            raise ValueError(f"cross_cache has the source {cross.source!r}, which is no session")
        return self


class Tokens(Model):
    """Special token ids."""

    eos: list[int] = []
    pad: int | None = None
    bos: int | None = None
    decoder_start: int | None = None


class Generation(Model):
    """Defaults of a generation; `max_length` is the cache's capacity in tokens."""

    max_length: Annotated[int, Field(gt=0)]


class Component(Model):
    """What Joinery knows of one session beyond running it."""

    name: str
    role: str


class Metadata(Model):
    """Facts about the build; `name` is what a person calls the model, `vocabulary` None without a cache.

    source_limit: tokens that an encoder can read at most; None where there is no encoder or it reads any number.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    model_type: str
    name: str = ""
    architecture: str = ""
    task: str = ""
    family: str = ""
    precision: str = "fp32"
    layout: str = "static"
    chunk: Annotated[int, Field(gt=0)] = 64
    vocabulary: Annotated[int, Field(gt=0)] | None = None
    source_limit: Annotated[int, Field(gt=0)] | None = None
    built_at: str = ""
    components: list[Component] = []


class Pipeline(Model):
    """The whole file."""

    version: Literal[2] = 2
    pipeline: Flow
    tokens: Tokens = Tokens()
    generation: Generation | None = None
    metadata: Metadata

    @model_validator(mode="after")
    def _can_generate(self) -> Pipeline:
        if self.pipeline.state.kv_cache is not None:
            for name, value in (("generation", self.generation), ("metadata.vocabulary", self.metadata.vocabulary)):
                if value is None:
                    raise ValueError(f"a pipeline with a KV cache needs {name}")
        return self

    @property
    def capacity(self) -> int | None:
        """The tokens that the cache holds; None without a cache."""
        return self.generation.max_length if self.generation else None

    @property
    def route(self) -> str:
        """The kind of composite, computed from the structure alone."""
        names = {stage.when for stage in self.pipeline.flow}
        if self.pipeline.state.kv_cache is None:
            return "single"
        if self.pipeline.state.cross_cache is not None:
            return "encoder-decoder"
        return "prefill-decode" if names >= {"init", "step"} else "decoder"

    def role(self, session: str) -> str:
        """The role of a session; its own name where none was recorded."""
        return next((c.role for c in self.metadata.components if c.name == session), session)

    def to_json(self) -> str:
        """The file's text."""
        return self.model_dump_json(indent=2, by_alias=True, exclude_none=True) + "\n"


def parse_pipeline(data: Any, where: str) -> Pipeline:
    """A checked Pipeline. Raises BundleError with the JSON path of the first thing that is wrong."""
    try:
        return Pipeline.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"]) or "the file"
        message = first["msg"].removeprefix("Value error, ")
        raise BundleError(
            f"{where} is not a pipeline that Joinery can run: at {printable(path)}: {printable(message)}."
        ) from None
