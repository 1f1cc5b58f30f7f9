"""`pipeline.json`, version 2: the sessions, when each runs, their edges, and the state they share.

The keys are those of onnxruntime-genai's version 2 as proposed; Joinery's own facts are under `metadata`, which
other readers ignore. Unknown keys and unknown enum values are errors with their JSON path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import not_
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from workflows.bundle.composition import Flow, PositionIds, Route, route_of
from workflows.bundle.outline import Fault, Modality, find_faults, find_unknown_sessions, path_of
from workflows.bundle.picture_tasks import DepthSettings
from workflows.bundle.session_options import PositiveInt, SlidingWindow, StrictBool
from workflows.bundle.speculation import strategy_faults, sub_flow
from workflows.bundle.strategy import Fraction, LogitsOp, chain_faults
from workflows.bundle.strict_model import NameInBundle, StrictModel, refuse_newer
from workflows.bundle.text_tasks import ClassificationSettings, EmbeddingSettings, TextLimits

RuntimeSetting = Literal["chunked_prefill", "sliding_window", "prefix_cache", "kv_cache"]
_INSTEAD: dict[str, str] = {"chunked_prefill": "metadata.chunk", "sliding_window": "metadata.layout"}
VERSION: Literal[2] = 2
_LONGEST = (1 << 31) - 1  # tokens; graphs count them in 32 bits
TokenId = Annotated[int, Field(ge=0, strict=True)]
TokenIds = Annotated[list[TokenId], BeforeValidator(lambda value: [value] if isinstance(value, int) else value)]
PortName = Annotated[str, Field(pattern=r"^[^.]+\..+$")]  # session.tensor


class SpecialTokens(StrictModel):
    """Special token ids. image_token, audio_token, video_token: placeholders that features of each modality replace."""

    eos: TokenIds = Field(default_factory=list)
    pad: TokenId | None = None
    bos: TokenId | None = None
    decoder_start: TokenId | None = None
    sep: TokenId | None = None
    image_token: TokenId | None = None
    audio_token: TokenId | None = None
    video_token: TokenId | None = None


class SamplingDefaults(StrictModel):
    """Sampling defaults of the file."""

    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    top_k: Annotated[int, Field(ge=0, strict=True)] | None = None
    top_p: Fraction | None = None
    do_sample: StrictBool | None = None
    repetition_penalty: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class GenerationDefaults(StrictModel):
    """Defaults of a generation; `max_length` is the cache's capacity in tokens. stop: ignored, as other readers do."""

    max_length: Annotated[PositiveInt, Field(le=_LONGEST)]
    min_length: Annotated[int, Field(ge=0, strict=True)] | None = None
    num_beams: PositiveInt | None = None
    sampling: SamplingDefaults | None = None
    stop: list[str] | None = None
    logits: list[LogitsOp] | None = None


class ComponentMetadata(StrictModel):
    """Facts about one session. precision: the recipe's; empty for the bundle's own."""

    name: str
    role: str
    precision: str = ""


class BundleReference(StrictModel):
    """Another bundle. name: its display name. digest: SHA-256 of its graphs' digest, empty if unknown."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    digest: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""


class BundledAdapter(StrictModel):
    """An adapter beside the weights. name: by which a generation chooses it. file: its factors, by the graphs' inputs.

    rank: the largest one. scale: of its changes, which the file has already. sha256: of the adapter that peft wrote.
    """

    name: Annotated[str, Field(min_length=1, max_length=200)]
    file: NameInBundle
    rank: PositiveInt
    scale: Annotated[float, Field(allow_inf_nan=False)] = 1.0
    sha256: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""


class Metadata(StrictModel):
    """Facts about the build; `name` is the model's display name, `vocabulary` the number of its tokens, None
    where it reads none. batch: how many texts a step may continue.

    source_limit: the most tokens that the encoder reads; None without an encoder or a limit. carried: input
    `session.input` of a step → the output with its next value, where the names do not tell. counts: whether graphs with
    a growing cache treat every slot as a token, whatever their mask says, so that no slot may be empty
    (GroupQueryAttention). names: `session.tensor` of a graph → Joinery's name for it. kv_heads, head_size: of a cache
    whose graphs leave them open. place: session → the provider that it runs on, if not the default one. draft: the
    bundle that drafts, where no session does; a person states its location. texts, embedding, classification: of a
    graph without a cache that reads tokens. longer_than: the tokens up to which the checkpoint rotates a text by other
    angles than the graphs do (longrope). adapters: those that a generation can choose; None where the graphs have no
    inputs for any. genai: the keys of an onnxruntime-genai configuration that have no
    equivalent in this file.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    model_type: str = ""
    name: str = ""
    architecture: str = ""
    task: str = ""
    family: str = ""
    precision: str = "fp32"
    layout: str = "static"
    chunk: PositiveInt = 64
    batch: Annotated[int, Field(gt=0, exclude_if=lambda value: value == 1)] = 1
    vocabulary: Annotated[int, Field(gt=0)] | None = None
    source_limit: Annotated[int, Field(gt=0)] | None = None
    carried: dict[PortName, str] = Field(default_factory=dict, exclude_if=not_)
    kv_heads: PositiveInt | None = None
    head_size: PositiveInt | None = None
    counts: Annotated[bool, Field(exclude_if=not_)] = False
    names: dict[PortName, str] = Field(default_factory=dict, exclude_if=not_)
    place: dict[str, str] = Field(default_factory=dict, exclude_if=not_)
    draft: Annotated[BundleReference | None, Field(exclude_if=not_)] = None
    texts: Annotated[TextLimits | None, Field(exclude_if=not_)] = None
    embedding: Annotated[EmbeddingSettings | None, Field(exclude_if=not_)] = None
    classification: Annotated[ClassificationSettings | None, Field(exclude_if=not_)] = None
    depth: Annotated[DepthSettings | None, Field(exclude_if=not_)] = None
    longer_than: Annotated[int | None, Field(gt=0, exclude_if=not_)] = None
    adapters: Annotated[list[BundledAdapter] | None, Field(exclude_if=lambda value: value is None)] = None
    genai: dict[str, Any] = Field(default_factory=dict, exclude_if=not_)
    built_at: str = ""
    components: list[ComponentMetadata] = Field(default_factory=list)

    def precision_of(self, session: str) -> str:
        """The precision of a session in the recipe's terms."""
        own = next((c.precision for c in self.components if c.name == session), "")
        return own or self.precision

    def own_names(self, session: str) -> dict[str, str]:
        """Joinery's name → the graph's own, for the renamed tensors of the session."""
        ports = ((port.split(".", 1), name) for port, name in self.names.items())
        return {name: own for (one, own), name in ports if one == session}

    def role(self, session: str) -> str:
        """The role of a session; its own name where none is recorded."""
        return next((c.role for c in self.components if c.name == session), session)


class SharedSettings:
    """The runtime settings that all sessions of a flow share: one cache and one prompt serve all of them."""

    def __init__(self, flow: Flow) -> None:
        sessions = {name: flow.sessions[name] for name in flow.outline().sessions}
        self._runtimes = {name: session.session_options.runtime for name, session in sessions.items()}

    @property
    def chunk(self) -> int | None:
        """The most prompt tokens of one run; None where the file does not state it."""
        stated = (one.chunked_prefill for one in self._runtimes.values())
        return next((one.max_batched_tokens for one in stated if one is not None), None)

    @property
    def window(self) -> SlidingWindow | None:
        """The window of a sliding cache; None where the cache does not slide."""
        return next((one.sliding_window for one in self._runtimes.values() if one.sliding_window is not None), None)

    @property
    def reuses_prefix(self) -> bool:
        """Whether the cached prefix of a prompt is reused."""
        return all(one.prefix_cache.enabled for one in self._runtimes.values() if one.prefix_cache is not None)

    def path(self, key: RuntimeSetting) -> str:
        """The JSON path of a runtime setting at the first session that has it, else of its substitute."""
        first = next(iter(self._values(key)), None)
        return _INSTEAD[key] if first is None else _setting(first, key)

    def disagreements(self) -> Iterator[Fault]:
        """Yields the settings in which a session differs from the first that has it."""
        for key in get_args(RuntimeSetting):
            values = self._values(key)
            first = next(iter(values), "")
            for name, value in values.items():
                if value != values[first]:
                    yield Fault(_setting(name, key), f"{first} has a different {key}, and all sessions share one")

    def _values(self, key: RuntimeSetting) -> dict[str, object]:
        """Session → its runtime setting `key`, for the sessions that have it."""
        values = {name: getattr(one, key) for name, one in self._runtimes.items()}
        return {name: value for name, value in values.items() if value is not None}


class Pipeline(StrictModel):
    """The whole file."""

    version: Literal[2] = VERSION
    pipeline: Flow
    tokens: SpecialTokens = SpecialTokens()
    generation: GenerationDefaults | None = None
    metadata: Metadata = Metadata()

    @property
    def capacity(self) -> int | None:
        """The cache's capacity in tokens; None without a cache."""
        return self.generation.max_length if self.generation else None

    @property
    def route(self) -> Route:
        """The kind of composite, computed from the structure alone; see workflows.bundle.composition."""
        return route_of(self.pipeline)

    @property
    def settings(self) -> SharedSettings:
        return SharedSettings(self.pipeline)

    @property
    def chunk(self) -> int:
        """The most prompt tokens of one run."""
        stated = self.settings.chunk
        return self.metadata.chunk if stated is None else stated

    @property
    def states_chunk(self) -> bool:
        """Whether the file states `chunk`; otherwise the graphs decide."""
        return self.settings.chunk is not None or "chunk" in self.metadata.model_fields_set

    @property
    def window(self) -> SlidingWindow | None:
        """The window of a sliding cache; None where the cache does not slide."""
        return self.settings.window

    @property
    def positions(self) -> PositionIds:
        return self.pipeline.state.position_ids or PositionIds()

    @property
    def feature_tokens(self) -> dict[Modality, int]:
        """Modality → the token that its features replace."""
        named: dict[Modality, int | None] = {
            "image": self.tokens.image_token, "audio": self.tokens.audio_token, "video": self.tokens.video_token,
        }  # fmt: skip
        return {kind: token for kind, token in named.items() if token is not None}

    @property
    def decoder_start(self) -> int:
        """The token with which a decoder behind an encoder begins. Raises BundleError where the file names none."""
        if self.tokens.decoder_start is None:
            message = "a decoder behind an encoder needs a start token, and the file names none"
            raise Fault("tokens.decoder_start", message).error("The pipeline file")
        return self.tokens.decoder_start

    def draft_pipeline(self, capacity: int) -> Pipeline | None:
        """The draft model as a pipeline with a cache of `capacity` tokens; None where no session drafts.

        Facts about the target's graphs and cache are left out: the draft's own graphs decide.
        """
        return self._sub_pipeline(self.pipeline.draft_sessions, capacity)

    def amateur_pipeline(self, capacity: int) -> Pipeline | None:
        """The amateur model as a pipeline, as draft_pipeline; None where there is none."""
        return self._sub_pipeline(self.pipeline.amateur_sessions, capacity)

    def _sub_pipeline(self, names: tuple[str, ...], capacity: int) -> Pipeline | None:
        flow = sub_flow(self.pipeline, names)
        if flow is None:
            return None
        targets = {"layout", "chunk", "vocabulary", "carried", "source_limit", "place", "draft"}
        facts = self.metadata.model_dump(exclude=targets, exclude_unset=True)
        facts["place"] = {name: place for name, place in self.metadata.place.items() if name in flow.sessions}
        generation = GenerationDefaults(max_length=capacity)
        return Pipeline(pipeline=flow, tokens=self.tokens, generation=generation, metadata=Metadata(**facts))

    @property
    def uses_integers(self) -> bool:
        """Whether a session may compute in integers: the file names no floating-point type for it."""
        options = (self.pipeline.sessions[name].session_options for name in self.pipeline.open_sessions)
        return any(one.runtime.precision is None for one in options)

    def missing_names(self) -> Iterator[Fault]:
        """Yields unknown session names, and a cache without generation settings."""
        yield from find_unknown_sessions(self.pipeline.outline())
        if self.pipeline.state.kv_cache is not None and self.generation is None:
            yield Fault("generation", "a pipeline with a KV cache needs generation")

    def check(self, location: str) -> None:
        """Raises BundleError with its JSON path for the first fault of the pipeline as a whole; each key is valid by
        itself.

        location: the file's name. runtime/program/compiler.py checks the graphs against it.
        """
        for fault in (*_unsupported(self), *find_faults(self.pipeline.outline()), *_setting_faults(self)):
            raise fault.error(location)

    def with_files(self, files: Mapping[str, str]) -> Pipeline:
        """The same program over other files; files: current name → new name."""
        flow = self.pipeline
        sessions = {name: one.model_copy(update={"file": files[one.file]}) for name, one in flow.sessions.items()}
        return self.model_copy(update={"pipeline": flow.model_copy(update={"sessions": sessions})})

    def to_json(self) -> str:
        return self.model_dump_json(indent=2, by_alias=True, exclude_none=True) + "\n"


def _unsupported(pipeline: Pipeline) -> Iterator[Fault]:
    flow, generation = pipeline.pipeline, pipeline.generation
    yield from strategy_faults(flow, elsewhere=pipeline.metadata.draft is not None)
    if generation and generation.logits:
        amateur = flow.roles.amateur if flow.roles else None
        yield from chain_faults(generation.logits, pipeline.metadata.vocabulary, amateur)


def _setting_faults(pipeline: Pipeline) -> Iterator[Fault]:
    yield from pipeline.settings.disagreements()
    window, capacity = pipeline.window, pipeline.capacity
    if window and capacity and window.size > capacity:
        message = f"{window.size} tokens exceed the {capacity} of generation.max_length"
        yield Fault(pipeline.settings.path("sliding_window"), message)
    for name, session in pipeline.pipeline.sessions.items():
        if (paging := session.session_options.runtime.paging) and paging.enabled:
            yield Fault(_setting(name, "paging"), "Joinery does not support paged caches: leave it out")


def _setting(session: str, key: str) -> str:
    """The JSON path of a session's runtime setting."""
    return f"pipeline.sessions.{session}.session_options.runtime.{key}"


def parse_pipeline(data: Any, location: str) -> Pipeline:
    """Parses and checks a pipeline. Raises BundleError with the JSON path of the first fault."""
    refuse_newer(data, VERSION, location)
    try:
        pipeline = Pipeline.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        path = path_of(first["loc"]) or "the file"
        raise Fault(path, first["msg"].removeprefix("Value error, ")).error(location) from None
    for fault in pipeline.missing_names():
        raise fault.error(location)
    return pipeline
