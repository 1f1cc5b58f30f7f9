"""Converts a pipeline to genai's configuration: version 1 for the released onnxruntime-genai, version 2 as proposed.

one decoder → model.decoder      stages of a decoder → model.decoder.pipeline
from version 1 originally → its own structure, from metadata.genai, updated with version 2's values
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import cast

from workflows.bundle.genai.keys import COMBINED, PARTS, SAME, SEPARATE, Json, drop, object_at, put, value_at
from workflows.bundle.genai.speculation import read_strategy
from workflows.bundle.outline import Fault, Port
from workflows.bundle.schema import Pipeline
from workflows.bundle.strategy import StrategySettings
from workflows.common import tensor_names

# the plain decoder types of release 0.18; any other becomes the generic type
TYPES = (
    "llama", "mistral", "qwen2", "qwen3", "phi", "phi3", "phi3small", "phimoe", "gemma", "gemma2", "gemma3_text",
    "olmo", "granite", "smollm3", "nemotron", "chatglm", "internlm2", "ernie4_5", "gptoss",
)  # fmt: skip
_FORWARDER = "output_names_forwarder"
_GENERIC, _STAGED, _CONVOLVED = "decoder", "decoder-pipeline", "lfm2"


@dataclass(frozen=True)
class DecoderGeometry:
    """The cache geometry in a configuration; heads and width: of the queries and the model, 0 if unknown.

    states: layer with state of fixed size → its tensors, `conv` and `recurrent`, and the size of their last axis.
    """

    layers: int
    kv_heads: int
    head_size: int
    heads: int = 0
    width: int = 0
    states: Mapping[int, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class TensorNames:
    """The input and output names of a graph."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


# keys of `metadata` that stay useful after reading the file again; the others describe Joinery's own graphs
_FACTS = ("model_type", "name", "architecture", "vocabulary", "source_limit", "carried", "kv_heads", "head_size",
          "names")  # fmt: skip


def unsupported_keys(pipeline: Pipeline, version: int = 1, *, composite: bool = False) -> Iterator[Fault]:
    """Yields what genai cannot express, by the key of version 2.

    version: of its configuration. composite: whether it is exported as one of the models with several graphs that
    version 1 knows.
    """
    flow = pipeline.pipeline
    if pipeline.metadata.layout in ("window", "fifo") or pipeline.window is not None:
        where = pipeline.settings.path("sliding_window")
        yield Fault(where, "genai does not support a sliding cache: build with cache=static")
    if version == 2:
        return
    was_version_1 = bool(pipeline.metadata.genai.get("model"))
    if pipeline.route not in ("decoder", "combined", "decoder-pipeline") and not (was_version_1 or composite):
        message = f"the released genai runs no composite of the route {pipeline.route} as Joinery builds it"
        yield Fault("pipeline.flow", message)
    if any(stage.when == "final" for stage in flow.flow):
        yield Fault("pipeline.flow", "genai runs no session after the last token")
    for name in ("roles", "plugin", "controller"):
        if getattr(flow, name) is not None:
            yield Fault(f"pipeline.{name}", "version 1 has no such key")
    data = read_strategy(pipeline.metadata.genai)
    if flow.strategy is not None and (data is None or StrategySettings.model_validate(data) != flow.strategy):
        yield Fault("pipeline.strategy", "version 1 has no such key, and states drafting differently")
    if pipeline.generation is not None and pipeline.generation.logits:
        yield Fault("generation.logits", "version 1 has no chain")
    if not composite:
        yield from _branching(pipeline)


def _branching(pipeline: Pipeline) -> Iterator[Fault]:
    """Yields tensors that feed two stages under two names: version 1 connects its stages by one name per tensor."""
    input_names: dict[Port, str] = {}
    parts = set(PARTS) - {"decoder"} if pipeline.metadata.genai else set[str]()
    for i, (source, (_, name)) in enumerate(pipeline.pipeline.outline().edges):
        if source[0] not in parts and input_names.setdefault(source, name) != name:
            message = f"{'.'.join(source)} feeds inputs of two names, and genai connects its stages by equal names"
            yield Fault(f"pipeline.dataflow[{i}]", message)


def to_plain_version2(pipeline: Pipeline) -> Json:
    """The configuration in version 2 with genai's keys only, plus facts under `metadata`, which genai ignores."""
    data: Json = pipeline.model_dump(mode="json", by_alias=True, exclude_none=True)
    sessions = cast(dict[str, Json], value_at(data, "pipeline.sessions"))
    for own in sessions.values():
        if not value_at(own, "session_options.runtime"):
            drop(own, "session_options.runtime")
    data["metadata"] = pipeline.metadata.model_dump(mode="json", exclude_none=True, include=set(_FACTS))
    return data


def to_version1(
    pipeline: Pipeline,
    geometry: DecoderGeometry,
    tensors: Mapping[str, TensorNames],
    *,
    shares_buffer: bool,
    defaults: Json,
) -> Json:
    """The configuration in version 1.

    tensors: by session. shares_buffer: whether past and present may share one buffer. defaults: of `search`, from the
    checkpoint. `unsupported_keys` must be empty for the pipeline.
    """
    made = version1_of_decoder(pipeline, geometry, shares_buffer=shares_buffer, defaults=defaults)
    _put_sessions(made, pipeline, _json_of(pipeline), tensors)
    return {key: made[key] for key in ("model", "search", "speculative", "engine") if key in made}


def version1_of_decoder(pipeline: Pipeline, geometry: DecoderGeometry, *, shares_buffer: bool, defaults: Json) -> Json:
    """The configuration without its sessions: tokens, lengths, search, and the decoder's sizes and cache."""
    data = _json_of(pipeline)
    made = deepcopy(pipeline.metadata.genai)
    made.pop("pipeline", None)
    was_version_1 = "model" in made
    for old, new in SAME.items():
        value = value_at(data, new)
        if old == "model.eos_token_id" and isinstance(value, list) and len(value) == 1:
            value = value[0]  # as in genai's own files
        if value is not None and value != []:
            put(made, old, value)
    _put_lengths(made, pipeline)
    if not was_version_1:
        _put_decoder(made, pipeline, geometry)
        put(made, "search", {"past_present_share_buffer": shares_buffer} | defaults | object_at(made, "search"))
    combined = value_at(data, "pipeline.state.kv_cache.format") == "combined"
    for path, (pattern, usual) in (COMBINED if combined else SEPARATE).items():
        put(made, path, value_at(data, f"pipeline.state.kv_cache.{pattern}") or usual)
    return made


def _json_of(pipeline: Pipeline) -> Json:
    data: Json = pipeline.model_dump(mode="json", by_alias=True, exclude_none=True)
    return data


def _put_lengths(made: Json, pipeline: Pipeline) -> None:
    """Sets the length limits that are missing; max_length 0 means the whole context."""
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
    if geometry.states:
        _put_states(made, geometry)
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


def _put_states(made: Json, geometry: DecoderGeometry) -> None:
    """State of convolutions alone is for one type of model; genai finds that of recurrences by its names."""
    kinds = {kind for tensors in geometry.states.values() for kind in tensors}
    for kind in sorted(kinds):
        put(made, f"model.decoder.inputs.past_{kind}_names", f"past.%d.{kind}")
        put(made, f"model.decoder.outputs.present_{kind}_names", f"present.%d.{kind}")
    own = "linear_attention" if "recurrent" in kinds else "conv"
    types = [own if layer in geometry.states else "full_attention" for layer in range(geometry.layers)]
    put(made, "model.decoder.layer_types", types)
    if own == "conv":
        put(made, "model.type", _CONVOLVED)
        put(made, "model.decoder.conv_cache_size", max(tensors["conv"] for tensors in geometry.states.values()))


def _put_sessions(made: Json, pipeline: Pipeline, data: Json, tensors: Mapping[str, TensorNames]) -> None:
    sessions = pipeline.pipeline.sessions
    own = pipeline.pipeline.outline().sessions
    is_staged = bool(value_at(made, "model.decoder.pipeline"))
    parts = [name for name in own if name in PARTS and (name != "decoder" or not is_staged)]
    if len(own) == 1 and not parts:
        parts = list(own)
    if pipeline.pipeline.draft is not None:
        put(made, "model.draft.filename", sessions[pipeline.pipeline.draft].file)
    for name in parts:
        target = name if name in PARTS else "decoder"
        for key, value in _of_session(data, name).items():
            put(made, f"model.{target}.{key}", value)
        if target == "decoder":
            _put_names(made, "model.decoder", tensors[name])
    _put_stages(made, pipeline, data, parts, tensors)


def _put_stages(
    made: Json, pipeline: Pipeline, data: Json, parts: Sequence[str], tensors: Mapping[str, TensorNames]
) -> None:
    """`decoder.pipeline` with all stages, in the original order of version 1."""
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
        stage = _stage(old.get(name, {}), _of_session(data, name, shared), times, name, tensors[name])
        renamed = {
            output: input_name for (source, output), (_, input_name) in edges if source == name and output != input_name
        }
        before = stage.get(_FORWARDER, {})
        rows[name] = stage | ({_FORWARDER: before | renamed} if renamed and isinstance(before, dict) else {})
    put(made, "model.decoder.pipeline", [rows])
    ends = [tensors[name] for name in stages]
    inputs, outputs = [name for one in ends for name in one.inputs], [name for one in ends for name in one.outputs]
    _put_names(made, "model.decoder", TensorNames(tuple(inputs), tuple(outputs)))


def _of_session(data: Json, name: str, shared: object = None) -> Json:
    """The file and onnxruntime's options of a session, without the runtime features that Joinery schedules.

    shared: options of a session that has none.
    """
    sessions = value_at(data, "pipeline.sessions")
    own = sessions[name] if isinstance(sessions, dict) else {}
    options = {
        key: value for key, value in own.get("session_options", {}).items() if key not in ("runtime", "build_requires")
    }
    return {"filename": own["file"]} | ({"session_options": options} if options and options != shared else {})


def _old_stages(made: Json) -> dict[str, Json]:
    """The original version 1 entry of each stage."""
    rows = value_at(made, "model.decoder.pipeline")
    listed = rows if isinstance(rows, list) else [rows] if isinstance(rows, dict) else []
    return {name: stage for row in listed for name, stage in row.items()}


def _stage(old: Json, session: Json, times: Mapping[str, set[str]], name: str, tensors: TensorNames) -> Json:
    """A stage; when it runs comes from the flow, and is written where it does not always run. times: of every stage."""
    made: Json = {"inputs": list(tensors.inputs), "outputs": list(tensors.outputs)} | old | session
    if times[name] == {"init"}:
        made["run_on_token_gen"] = False
    elif times[name] == {"step"} and any("init" in when for when in times.values()):
        made["run_on_prompt"] = False
    return made


def _put_names(made: Json, path: str, tensors: TensorNames) -> None:
    """Writes the graphs' names of the standard decoder tensors, where the file lacks them."""
    known = {
        "inputs": (tensor_names.IDS, tensor_names.EMBEDS, tensor_names.MASK, tensor_names.POSITIONS),
        "outputs": (tensor_names.LOGITS,),
    }
    for side, keys in known.items():
        for key in keys:
            if key in getattr(tensors, side) and value_at(made, f"{path}.{side}.{key}") is None:
                put(made, f"{path}.{side}.{key}", key)
