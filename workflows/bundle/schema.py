"""`pipeline.json`, version 2: which sessions there are, when each runs, what feeds what, and the state they share.

The keys are those of onnxruntime-genai's version 2 as proposed; Joinery's own facts stand under `metadata`, which
other readers ignore. Unknown keys and unknown enum values are errors that carry their JSON path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workflows.bundle.flow import Fault, Outline, Port, find_faults, find_unknown, path_of
from workflows.errors import BundleError

When = Literal["init", "step", "final"]
Setting = Literal["chunked_prefill", "sliding_window"]
_INSTEAD: dict[Setting, str] = {"chunked_prefill": "metadata.chunk", "sliding_window": "metadata.layout"}
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
    """Features that are scheduled when a session is opened, without a change of the graph.

    precision: the floating-point type that the session computes in, weights and all; absent where a part of it
    computes with integers, which no word here says: `build_requires.quantization` does.
    """

    precision: Literal["fp32", "fp16", "bf16", "fp8"] | None = None
    sliding_window: SlidingWindow | None = None
    chunked_prefill: ChunkedPrefill | None = None


class BuildRequires(Model):
    """What was done to the graph when it was built. quantization: the integers that its weights are."""

    quantization: Literal["none", "int8", "int4"] = "none"


class SessionOptions(Model):
    """Options of one session."""

    runtime: Runtime = Runtime()
    build_requires: BuildRequires | None = None


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
    """The names of the cache tensors; `%d` stands for the layer.

    format: `auto` takes the names from the graphs where they are not these.
    """

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
        for when in ("past", "present"):
            key, value = f"{when}_key_pattern", f"{when}_value_pattern"
            if getattr(self, key) == getattr(self, value):
                raise ValueError(f"{key} and {value} name one tensor, and keys and values are two")
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

    sessions: Annotated[dict[str, Session], Field(min_length=1, max_length=10)]
    flow: Annotated[list[FlowStage], Field(min_length=1, max_length=10)]
    dataflow: list[Edge] = []
    state: State = State()

    def outline(self) -> Outline:
        """The flow without its files."""
        cross = self.state.cross_cache
        return Outline(
            tuple(self.sessions),
            tuple((stage.run, stage.when) for stage in self.flow),
            tuple((_port(edge.source), _port(edge.target)) for edge in self.dataflow),
            cross.source if cross else None,
            self.state.kv_cache is not None,
        )


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
    """What Joinery knows of one session beyond running it. precision: a recipe's word; empty for the bundle's own."""

    name: str
    role: str
    precision: str = ""


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

    @property
    def chunk(self) -> int:
        """Prompt tokens that one run takes at most."""
        asked = self._asked("chunked_prefill")
        return next((value.max_batched_tokens for value in asked.values()), self.metadata.chunk)

    @property
    def window(self) -> int | None:
        """Tokens that stay in a cache that slides; None where the file asks for none."""
        return next((value.size for value in self._asked("sliding_window").values()), None)

    @property
    def decoder_start(self) -> int:
        """The token that a decoder behind an encoder begins with. Raises BundleError where the file names none."""
        if self.tokens.decoder_start is None:
            raise BundleError("The pipeline names no decoder_start token, so the decoder cannot begin.")
        return self.tokens.decoder_start

    def precision_of(self, session: str) -> str:
        """The recipe's word for the precision of a session."""
        own = next((c.precision for c in self.metadata.components if c.name == session), "")
        return own or self.metadata.precision

    def check(self, where: str) -> None:
        """Raises BundleError, with its JSON path, for what is wrong with the whole though each part is sound.

        where: the file. What the graphs themselves say to it is runtime/program.py's to ask.
        """
        for fault in (*find_faults(self.pipeline.outline()), *self._settings()):
            raise fault.error(where)

    def lacking(self) -> Iterator[Fault]:
        """Names that lead nowhere, and what a cache needs and is not there."""
        yield from find_unknown(self.pipeline.outline())
        if self.pipeline.state.kv_cache is not None:
            for path, value in (("generation", self.generation), ("metadata.vocabulary", self.metadata.vocabulary)):
                if value is None:
                    yield Fault(path, f"a pipeline with a KV cache needs {path}")

    def _settings(self) -> Iterator[Fault]:
        for key in get_args(Setting):
            yield from self._disagreements(key)
        if self.window and self.capacity and self.window > self.capacity:
            message = f"{self.window} tokens are more than the {self.capacity} of generation.max_length"
            yield Fault(self.path_of_setting("sliding_window"), message)

    def path_of_setting(self, key: Setting) -> str:
        """The JSON path of a runtime setting, at the first session that has it, or of what stands for it else."""
        asked = next(iter(self._asked(key)), None)
        return _INSTEAD[key] if asked is None else _setting(asked, key)

    def _disagreements(self, key: Setting) -> Iterator[Fault]:
        """One cache and one prompt are shared by all sessions, so that what they ask of them must be one thing."""
        asked = self._asked(key)
        first = next(iter(asked), "")
        for name, value in asked.items():
            if value != asked[first]:
                yield Fault(_setting(name, key), f"{first} asks for another {key}, and all sessions share one")

    def _asked(self, key: Setting) -> dict[str, Any]:
        """Session → what its runtime asks for under `key`, where it asks for something."""
        found = {name: getattr(one.session_options.runtime, key) for name, one in self.pipeline.sessions.items()}
        return {name: value for name, value in found.items() if value is not None}

    def role(self, session: str) -> str:
        """The role of a session; its own name where none was recorded."""
        return next((c.role for c in self.metadata.components if c.name == session), session)

    def to_json(self) -> str:
        """The file's text."""
        return self.model_dump_json(indent=2, by_alias=True, exclude_none=True) + "\n"


def _setting(session: str, key: str) -> str:
    """The JSON path of a session's runtime setting."""
    return f"pipeline.sessions.{session}.session_options.runtime.{key}"


def parse_pipeline(data: Any, where: str) -> Pipeline:
    """A checked Pipeline. Raises BundleError with the JSON path of the first thing that is wrong."""
    try:
        pipeline = Pipeline.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        path = path_of(first["loc"]) or "the file"
        raise Fault(path, first["msg"].removeprefix("Value error, ")).error(where) from None
    for fault in pipeline.lacking():
        raise fault.error(where)
    return pipeline


def _port(name: str) -> Port:
    session, tensor = name.split(".", 1)
    return session, tensor
