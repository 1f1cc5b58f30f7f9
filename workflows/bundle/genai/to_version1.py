"""A pipeline in the peer's words: in version 1 for the released onnxruntime-genai, in 2 for what it proposes.

one decoder → model.decoder      stages of a decoder → model.decoder.pipeline
what was version 1 before → its own shape, from metadata.genai, with what version 2 says put in its place
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import cast

from workflows.bundle.genai.keys import COMBINED, PARTS, SAME, SEPARATE, Json, drop, object_at, put, value_at
from workflows.bundle.genai.speculation import read_strategy
from workflows.bundle.outline import Fault, Port
from workflows.bundle.schema import Pipeline
from workflows.bundle.strategy import StrategySettings
from workflows.common import tensor_names

# the types of a plain decoder that release 0.18 knows; any other is its generic one
TYPES = (
    "llama", "mistral", "qwen2", "qwen3", "phi", "phi3", "phi3small", "phimoe", "gemma", "gemma2", "gemma3_text",
    "olmo", "granite", "smollm3", "nemotron", "chatglm", "internlm2", "ernie4_5", "gptoss",
)  # fmt: skip
_FORWARDER = "output_names_forwarder"
_GENERIC, _STAGED = "decoder", "decoder-pipeline"


@dataclass(frozen=True)
class DecoderGeometry:
    """What a configuration says of a decoder's cache; heads and width: of the queries and the model, 0 if unknown."""

    layers: int
    kv_heads: int
    head_size: int
    heads: int = 0
    width: int = 0


@dataclass(frozen=True)
class TensorNames:
    """The names of what a graph takes and gives."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


# of `metadata`, what stays of use where it is read again: the rest is of Joinery's own graphs
_FACTS = ("model_type", "name", "architecture", "vocabulary", "source_limit", "carried", "kv_heads", "head_size",
          "names")  # fmt: skip


def unsupported_keys(pipeline: Pipeline, version: int = 1) -> Iterator[Fault]:
    """What genai has no words for, by the key of version 2; version: of its configuration."""
    flow = pipeline.pipeline
    if pipeline.metadata.layout in ("window", "fifo") or pipeline.window is not None:
        where = pipeline.path_of_setting("sliding_window")
        yield Fault(where, "genai forgets no token to take another: build with cache=static")
    if version == 2:
        return
    was_version_1 = bool(pipeline.metadata.genai.get("model"))
    if pipeline.route not in ("decoder", "combined", "decoder-pipeline") and not was_version_1:
        message = f"the released genai runs no composite of the route {pipeline.route} as Joinery builds it"
        yield Fault("pipeline.flow", message)
    if any(stage.when == "final" for stage in flow.flow):
        yield Fault("pipeline.flow", "genai runs nothing after the last token")
    for name in ("roles", "plugin", "controller"):
        if getattr(flow, name) is not None:
            yield Fault(f"pipeline.{name}", "version 1 has no such key")
    said = read_strategy(pipeline.metadata.genai)
    if flow.strategy is not None and (said is None or StrategySettings.model_validate(said) != flow.strategy):
        yield Fault("pipeline.strategy", "version 1 has no such key, and says otherwise how tokens are drafted")
    if pipeline.generation is not None and pipeline.generation.logits:
        yield Fault("generation.logits", "version 1 has no chain")
    yield from _branching(pipeline)


def _branching(pipeline: Pipeline) -> Iterator[Fault]:
    """Tensors that go to two stages under two names: version 1 joins its stages by one name a tensor."""
    taken: dict[Port, str] = {}
    parts = set(PARTS) - {"decoder"} if pipeline.metadata.genai else set[str]()
    for i, (source, (_, name)) in enumerate(pipeline.pipeline.outline().edges):
        if source[0] not in parts and taken.setdefault(source, name) != name:
            message = f"{'.'.join(source)} goes to inputs of two names, and genai joins its stages by one"
            yield Fault(f"pipeline.dataflow[{i}]", message)


def to_plain_version2(pipeline: Pipeline) -> Json:
    """The configuration in version 2, in the peer's words alone, but for facts under `metadata`, which it ignores."""
    said: Json = pipeline.model_dump(mode="json", by_alias=True, exclude_none=True)
    sessions = cast(dict[str, Json], value_at(said, "pipeline.sessions"))
    for own in sessions.values():
        if not value_at(own, "session_options.runtime"):
            drop(own, "session_options.runtime")
    said["metadata"] = pipeline.metadata.model_dump(mode="json", exclude_none=True, include=set(_FACTS))
    return said


def to_version1(
    pipeline: Pipeline,
    geometry: DecoderGeometry,
    tensors: Mapping[str, TensorNames],
    *,
    shares_buffer: bool,
    defaults: Json,
) -> Json:
    """The configuration in version 1.

    tensors: by session. shares_buffer: whether past and present may be one buffer. defaults: of `search`, from the
    checkpoint. Raises nothing: `unsayable` was asked before.
    """
    said = pipeline.model_dump(mode="json", by_alias=True, exclude_none=True)
    made = deepcopy(pipeline.metadata.genai)
    made.pop("pipeline", None)
    was_version_1 = "model" in made
    for old, new in SAME.items():
        value = value_at(said, new)
        if value is not None and value != []:
            put(made, old, _plain(old, value))
    _put_lengths(made, pipeline)
    if not was_version_1:
        _put_decoder(made, pipeline, geometry)
        put(made, "search", {"past_present_share_buffer": shares_buffer} | defaults | object_at(made, "search"))
    _put_state(made, said)
    _put_sessions(made, pipeline, said, tensors)
    return {key: made[key] for key in ("model", "search", "speculative", "engine") if key in made}


def _plain(path: str, value: object) -> object:
    """A list of one end token as the token itself, as the peer's own files have it."""
    return value[0] if path == "model.eos_token_id" and isinstance(value, list) and len(value) == 1 else value


def _put_lengths(made: Json, pipeline: Pipeline) -> None:
    """How many tokens there may be, where it is not said already; max_length 0 is all that the context takes."""
    capacity = pipeline.capacity or 0
    context = value_at(made, "model.context_length")
    if not context:
        put(made, "model.context_length", capacity)
    if (value_at(made, "search.max_length") or context) != capacity:
        put(made, "search.max_length", capacity)


def _put_decoder(made: Json, pipeline: Pipeline, geometry: DecoderGeometry) -> None:
    staged = pipeline.route == "decoder-pipeline"
    kind = pipeline.metadata.model_type
    put(made, "model.type", _STAGED if staged else kind if kind in TYPES else _GENERIC)
    sizes = {
        "num_hidden_layers": geometry.layers,
        "num_key_value_heads": geometry.kv_heads,
        "head_size": geometry.head_size,
        "num_attention_heads": geometry.heads,
        "hidden_size": geometry.width,
    }
    for key, size in sizes.items():
        if size:
            put(made, f"model.decoder.{key}", size)


def _put_state(made: Json, said: Json) -> None:
    combined = value_at(said, "pipeline.state.kv_cache.format") == "combined"
    for path, (pattern, usual) in (COMBINED if combined else SEPARATE).items():
        put(made, path, value_at(said, f"pipeline.state.kv_cache.{pattern}") or usual)


def _put_sessions(made: Json, pipeline: Pipeline, said: Json, tensors: Mapping[str, TensorNames]) -> None:
    sessions = pipeline.pipeline.sessions
    own = pipeline.pipeline.outline().sessions
    parts = [name for name in own if name in PARTS and (name != "decoder" or not _is_staged(made))]
    if len(own) == 1 and not parts:
        parts = list(own)
    if pipeline.pipeline.draft is not None:
        put(made, "model.draft.filename", sessions[pipeline.pipeline.draft].file)
    for name in parts:
        target = name if name in PARTS else "decoder"
        for key, value in _of_session(said, name).items():
            put(made, f"model.{target}.{key}", value)
        if target == "decoder":
            _put_names(made, "model.decoder", tensors[name])
    _put_stages(made, pipeline, said, parts, tensors)


def _put_stages(
    made: Json, pipeline: Pipeline, said: Json, parts: Sequence[str], tensors: Mapping[str, TensorNames]
) -> None:
    """`decoder.pipeline`, in the order that version 1 had before; all stages in one row."""
    flow, old = pipeline.pipeline.flow, _old_stages(made)
    known = [name for name in old if name in pipeline.pipeline.sessions]
    stages = [name for name in dict.fromkeys([*known, *(stage.run for stage in flow)]) if name not in parts]
    if not stages:
        return
    times: dict[str, set[str]] = {name: {stage.when for stage in flow if stage.run == name} for name in stages}
    shared = value_at(made, "model.decoder.session_options")
    edges = [edge for edge in pipeline.pipeline.outline().edges if {edge[0][0], edge[1][0]} <= {*stages}]
    rows: Json = {}
    for name in stages:
        stage = _stage(old.get(name, {}), _of_session(said, name, shared), times, name, tensors[name])
        renamed = {given: taken for (source, given), (_, taken) in edges if source == name and given != taken}
        before = stage.get(_FORWARDER, {})
        rows[name] = stage | ({_FORWARDER: before | renamed} if renamed and isinstance(before, dict) else {})
    put(made, "model.decoder.pipeline", [rows])
    _put_names(made, "model.decoder", _joined_names([tensors[name] for name in stages]))


def _is_staged(made: Json) -> bool:
    return bool(value_at(made, "model.decoder.pipeline"))


def _of_session(said: Json, name: str, shared: object = None) -> Json:
    """The file and onnxruntime's options of a session; what Joinery schedules is not among them.

    shared: options that a session has which says none.
    """
    sessions = value_at(said, "pipeline.sessions")
    own = sessions[name] if isinstance(sessions, dict) else {}
    options = {
        key: value for key, value in own.get("session_options", {}).items() if key not in ("runtime", "build_requires")
    }
    return {"filename": own["file"]} | ({"session_options": options} if options and options != shared else {})


def _old_stages(made: Json) -> dict[str, Json]:
    """What version 1 said of each stage before."""
    rows = value_at(made, "model.decoder.pipeline")
    listed = rows if isinstance(rows, list) else [rows] if isinstance(rows, dict) else []
    return {name: stage for row in listed for name, stage in row.items()}


def _stage(old: Json, session: Json, times: Mapping[str, set[str]], name: str, tensors: TensorNames) -> Json:
    """A stage; when it runs is told by the flow, and said where it does not run always. times: of every stage."""
    made: Json = {"inputs": list(tensors.inputs), "outputs": list(tensors.outputs)} | old | session
    if times[name] == {"init"}:
        made["run_on_token_gen"] = False
    elif times[name] == {"step"} and any("init" in when for when in times.values()):
        made["run_on_prompt"] = False
    return made


def _put_names(made: Json, path: str, tensors: TensorNames) -> None:
    """What the graphs call the tensors that every decoder has, where the file has not said it."""
    known = {
        "inputs": (tensor_names.IDS, tensor_names.EMBEDS, tensor_names.MASK, tensor_names.POSITIONS),
        "outputs": (tensor_names.LOGITS,),
    }
    for side, keys in known.items():
        for key in keys:
            if key in getattr(tensors, side) and value_at(made, f"{path}.{side}.{key}") is None:
                put(made, f"{path}.{side}.{key}", key)


def _joined_names(parts: Sequence[TensorNames]) -> TensorNames:
    return TensorNames(
        tuple(name for part in parts for name in part.inputs), tuple(name for part in parts for name in part.outputs)
    )
