"""Converts version 1 to version 2: each sub-model, or each stage of a decoder, becomes a session; equal names, edges.

    decoder                      decoder                                             at each step
    decoder.pipeline             its stages, edges by equal tensor names             prompt only: init
    encoder + decoder            encoder │ decoder, cross cache frozen               the encoder once
    vision, speech, embedding    ─▶ embedding ─▶ decoder                             features at their tokens

faults.py refuses before what cannot run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import cast

from workflows.bundle.genai.keys import COMBINED, PARTS, SAME, SEPARATE, Json, drop, put, value_at
from workflows.bundle.genai.speculation import DRAFT, write_drafts
from workflows.bundle.genai.version1 import GenaiConfig, PipelineStage, SubModel
from workflows.common import tensor_names

NameTable = Mapping[str, str]
_MROPE = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_5", "qwen3_5_moe", "fara")  # positions of three numbers
_SINGLY = (*_MROPE, "pixtral", "mistral3")  # vision processes one picture per run
# inputs fed from the cache's table: genai's name → Joinery's
_DRIVEN = {
    "input_ids": tensor_names.IDS,
    "attention_mask": tensor_names.MASK,
    "past_sequence_length": tensor_names.SEQLENS,
    "total_sequence_length": tensor_names.TOTAL_LENGTH,
    "write_indices": tensor_names.WRITE_INDICES,
    "nonpad_kv_seqlen": tensor_names.VALID_LENGTH,
    "encoder_attention_mask": tensor_names.PLAIN_SOURCE_MASK,
}
_READERS = {
    "embedding": (tensor_names.IDS, "image_features", "audio_features"),
    "encoder": (tensor_names.IDS, tensor_names.MASK),
}
_ATTENTIVE = ("full_attention", "sliding_attention")  # layer types with keys and values


def to_version2(config: GenaiConfig, data: Json) -> Json:
    """The file in version 2. said: the decoded file behind `config`; keys without an equivalent are kept."""
    rest = deepcopy(data)
    made: Json = {"version": 2}
    for old, new in SAME.items():
        value = value_at(data, old)
        if value is None or not _is_none(old, value):
            drop(rest, old)
        if value is not None and not _is_none(old, value):
            put(made, new, value)
    put(made, "generation.max_length", config.search.max_length or config.model.context_length)
    put(made, "pipeline", _Flow(config, rest).whole())
    decoder = config.model.decoder
    sizes = {"kv_heads": decoder.num_key_value_heads, "head_size": decoder.head_size}
    for key, size in sizes.items():
        if size:
            put(made, f"metadata.{key}", size)
    put(made, "metadata.names", _renamed(config))
    put(made, "metadata.carried", _carried(config))
    write_drafts(made, rest)
    put(made, "metadata.genai", rest)
    return made


def _is_none(path: str, value: object) -> bool:
    """Whether an id means "none": genai writes -1 there, or an empty list."""
    return path.endswith("token_id") and ((isinstance(value, int) and value < 0) or value == [])


class _Flow:
    """Builds `pipeline` of version 2; converted keys are dropped from `rest`."""

    def __init__(self, config: GenaiConfig, rest: Json) -> None:
        self._model, self._rest = config.model, rest
        self._stages = self._model.decoder.stages()
        self._parts = [part for part in PARTS if self._has(part)]

    def _has(self, part: str) -> bool:
        sub = getattr(self._model, part)
        return sub is not None and bool(sub.filename)

    def whole(self) -> Json:
        made: Json = {
            "sessions": self._sessions(),
            "flow": self._flow(),
            "dataflow": [{"from": source, "to": target} for source, target in dict.fromkeys(self._edges())],
            "state": self._state(),
        }
        return made

    def _sessions(self) -> dict[str, Json]:
        sessions: dict[str, Json] = {}
        for part in self._parts:
            sub: SubModel = getattr(self._model, part)
            sessions[part] = _session(sub.filename, self._rest, f"model.{part}")
        rows = cast(Json, self._rest["model"]).get("decoder")
        for name, (stage, own) in self._own_stages(rows).items():
            sessions[name] = _session(stage.filename, own, "")
            shared = self._model.decoder.session_options
            if "session_options" not in sessions[name] and shared and stage.inherit_session_options is not False:
                sessions[name]["session_options"] = shared.model_dump(exclude_unset=True)
        return sessions

    def _own_stages(self, decoder: object) -> dict[str, tuple[PipelineStage, Json]]:
        """Stage name → the stage, and its object in the rest."""
        if not isinstance(decoder, dict) or not self._stages:
            return {}
        rows = decoder["pipeline"]
        own = {name: row[name] for row in (rows if isinstance(rows, list) else [rows]) for name in row}
        return {name: (stage, own[name]) for name, stage in self._stages.items()}

    def _when(self, stage: PipelineStage) -> tuple[str, ...]:
        """A stage for prompts only is init; others run at each step, and at init too where a prompt passes them."""
        split = any(not one.run_on_token_gen or not one.run_on_prompt for one in self._stages.values())
        if not split:
            return ("step",)
        return ("init",) * stage.run_on_prompt + ("step",) * stage.run_on_token_gen

    def _flow(self) -> list[Json]:
        read = [part for part in self._parts if part != "decoder"]
        rows: list[Json] = [{"run": part, "when": "init"} for part in read]
        for row in rows:
            if row["run"] == "vision" and self._model.type in _SINGLY:
                row["loop"] = "per_image"
        if self._has("decoder"):
            rows.append({"run": "decoder", **self._attends()})
        whens = [(when, name) for name, stage in self._stages.items() for when in self._when(stage)]
        rows += [{"run": name, "when": when, **self._attends()} for when, name in sorted(whens, key=lambda one: one[0])]
        return rows

    def _attends(self) -> Json:
        crossed = "encoder" in self._parts and not self._stages
        return {"cross_attention_from": "encoder"} if crossed else {}

    def _edges(self) -> Iterator[tuple[str, str]]:
        decoder = self._model.decoder.inputs
        takers = list(self._stages) or ["decoder"]
        embedding = self._model.embedding if "embedding" in self._parts else None
        for part, features in (("vision", "image_features"), ("speech", "audio_features")):
            if part in self._parts and embedding is not None:
                source = getattr(self._model, part).outputs.get(features, features)
                yield f"{part}.{source}", f"embedding.{features}"  # _renamed maps it to the graph's name
        if embedding is not None:
            for tensor in (tensor_names.EMBEDS, "per_layer_inputs"):
                if tensor == tensor_names.EMBEDS or tensor in embedding.outputs:
                    yield from self._handed(embedding.outputs.get(tensor, tensor), decoder.get(tensor, tensor))
        if "encoder" in self._parts and takers:
            yield from self._cross(takers)
        yield from self._between()

    def _handed(self, source: str, target: str) -> Iterator[tuple[str, str]]:
        """From the embedding to the decoder, or to its stages that take the tensor."""
        takers = [name for name, stage in self._stages.items() if target in stage.inputs] or list(self._stages)[:1]
        for taker in takers or ["decoder"]:
            yield f"embedding.{source}", f"{taker}.{target}"

    def _cross(self, takers: Sequence[str]) -> Iterator[tuple[str, str]]:
        encoder, decoder = self._model.encoder, self._model.decoder
        assert encoder is not None
        pairs = [(f"cross_present_{half}_names", f"cross_past_{half}_names") for half in ("key", "value")]
        named = [pair for pair in pairs if pair[0] in encoder.outputs or pair[1] in decoder.inputs]
        hidden = "encoder_hidden_states"
        if hidden in decoder.inputs or not named:
            output = encoder.outputs.get(hidden, encoder.outputs.get("encoder_outputs", hidden))
            yield f"encoder.{output}", f"{takers[0]}.{decoder.inputs.get(hidden, hidden)}"
        for layer in range(decoder.num_hidden_layers or 0):
            for output, input_name in named:
                half = output.split("_")[2]
                source = encoder.outputs.get(output, f"present_{half}_cross_%d")
                target = decoder.inputs.get(input_name, f"past_{half}_cross_%d")
                yield f"encoder.{_of_layer(source, layer)}", f"{takers[0]}.{_of_layer(target, layer)}"

    def _between(self) -> Iterator[tuple[str, str]]:
        """Edges between stages: from the last stage that produces a tensor to the later ones of the same run."""
        for when in ("init", "step"):
            givers: dict[str, str] = {}
            for name, stage in self._stages.items():
                if when not in self._when(stage):
                    continue
                for tensor in stage.inputs:
                    if tensor in givers:
                        yield givers[tensor], f"{name}.{tensor}"
                for tensor in stage.outputs:
                    givers[stage.output_names_forwarder.get(tensor, tensor)] = f"{name}.{tensor}"

    def _state(self) -> Json:
        decoder = self._model.decoder
        state: Json = {"kv_cache": self._cache()}
        if "encoder" in self._parts and not self._stages:
            state["cross_cache"] = {"source": "encoder", "frozen": True}
        positions: Json = {}
        if self._model.type in _MROPE and self._model.vision is not None:
            grid = self._model.vision.inputs.get("image_grid_thw", "image_grid_thw")
            positions = {"strategy": "mrope_3d", "grid_source": f"vision.{grid}"}
        elif decoder.sliding_window is not None and decoder.sliding_window.slide_inputs:
            positions = {"strategy": "windowed"}
        if decoder.inputs.get(tensor_names.POSITIONS, tensor_names.POSITIONS) != tensor_names.POSITIONS:
            positions["input_name"] = decoder.inputs[tensor_names.POSITIONS]
        return state | ({"position_ids": positions} if positions else {})

    def _cache(self) -> Json:
        combined = "past_names" in self._model.decoder.inputs
        cache: Json = {"format": "combined" if combined else "separate"}
        for path, (pattern, usual) in (COMBINED if combined else SEPARATE).items():
            key = path.rpartition(".")[2]
            side = getattr(self._model.decoder, path.split(".")[2])
            cache[pattern] = side.get(key, usual)
            drop(self._rest, path)
        return cache


def _session(file: str, own: Json, path: str) -> Json:
    """A session of version 2; converted keys are dropped from the sub-model's object at `path` of `own`."""
    prefix = f"{path}." if path else ""
    options = value_at(own, f"{prefix}session_options")
    drop(own, f"{prefix}filename")
    drop(own, f"{prefix}session_options")
    return {"file": file} | ({"session_options": options} if options else {})


def _renamed(config: GenaiConfig) -> NameTable:
    """`session.tensor` → Joinery's name, where the graph's name differs."""
    model = config.model
    table: dict[str, str] = {}
    stages = model.decoder.stages()
    for key, ours in _DRIVEN.items():
        own = model.decoder.inputs.get(key, ours)
        for name in [name for name, stage in stages.items() if own in stage.inputs] if stages else ["decoder"]:
            table[f"{name}.{own}"] = ours
    draft = model.draft
    if draft is not None:
        table |= {f"{DRAFT}.{draft.inputs.get(key, ours)}": ours for key, ours in _DRIVEN.items()}
        table[f"{DRAFT}.{draft.outputs.get(tensor_names.LOGITS, tensor_names.LOGITS)}"] = tensor_names.LOGITS
    logits = model.decoder.outputs.get(tensor_names.LOGITS, tensor_names.LOGITS)
    givers = [name for name, stage in stages.items() if logits in stage.outputs]
    table |= {f"{name}.{logits}": tensor_names.LOGITS for name in givers or ["decoder"]}
    for part, keys in _READERS.items():
        sub: SubModel | None = getattr(model, part)
        if sub is not None:
            table |= {f"{part}.{sub.inputs.get(key, key)}": key for key in keys}
    return {port: ours for port, ours in table.items() if port.split(".", 1)[1] != ours}


def _carried(config: GenaiConfig) -> NameTable:
    """`session.input` → the output with its next value, for layers without keys and values."""
    model = config.model
    pairs = [("past_conv_names", "present_conv_names"), ("past_recurrent_names", "present_recurrent_names")]
    layers = [i for i, kind in enumerate(model.decoder.layer_types or ()) if kind not in _ATTENTIVE]
    taker = next(iter(model.decoder.stages()), "decoder")
    return {
        f"{taker}.{_of_layer(model.decoder.inputs[past], layer)}": _of_layer(model.decoder.outputs[present], layer)
        for past, present in pairs
        if past in model.decoder.inputs and present in model.decoder.outputs
        for layer in layers
    }


def _of_layer(pattern: str, layer: int) -> str:
    return pattern.replace("%d", str(layer))
