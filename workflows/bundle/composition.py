"""The key `pipeline` of the file: sessions, their order, their edges, and the state that they share.

`extends` names a preset, which completes what the file omits. The route is the kind of composite.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from workflows.bundle.outline import FlowStage, Outline, Port, modality, sessions_around
from workflows.bundle.session_options import SessionOptions
from workflows.bundle.strategy import ControllerReference, PluginReference, Roles, StrategySettings
from workflows.bundle.strict_model import NameInBundle, StrictModel
from workflows.common import tensor_names

Preset = Literal["autoregressive-decoder", "vision-language", "encoder-decoder", "speech-language"]
Route = Literal[
    "plugin", "encoder-decoder", "vision-language", "speech-language", "multimodal", "combined", "decoder-pipeline",
    "prefill-decode", "decoder", "single",
]  # fmt: skip
Name = Annotated[str, Field(min_length=1, pattern=r"^[^.]+$")]  # a session's name; a dot separates it from its tensor
_KEYS, _VALUES = ("past_key_pattern", "present_key_pattern"), ("past_value_pattern", "present_value_pattern")
_COMBINED = dict(zip(_KEYS, ("past_%d", "present_%d"), strict=True))
_CACHE: dict[str, Any] = {"kv_cache": {"format": "auto"}}


def _features(source: str, features: str) -> dict[str, Any]:
    """A session that reads an image or a sound; the embedding places its features."""
    return {
        "flow": [{"run": source, "when": "init"}, {"run": "embedding", "when": "init"}, {"run": "decoder"}],
        "dataflow": [
            {"from": f"{source}.{features}", "to": f"embedding.{features}"},
            {"from": "embedding.inputs_embeds", "to": "decoder.inputs_embeds"},
        ],
        "state": _CACHE,
    }


_PRESETS: dict[str, dict[str, Any]] = {  # the same as in onnxruntime-genai's version 2 as proposed
    "autoregressive-decoder": {"flow": [{"run": "decoder"}], "state": _CACHE},
    "encoder-decoder": {
        "flow": [{"run": "encoder", "when": "init"}, {"run": "decoder", "cross_attention_from": "encoder"}],
        "state": {**_CACHE, "cross_cache": {"source": "encoder", "frozen": True}},
    },
    "vision-language": _features("vision", "image_features"),
    "speech-language": _features("speech", "audio_features"),
}


class SessionSpec(StrictModel):
    """One graph file and its session options."""

    file: NameInBundle
    session_options: SessionOptions = SessionOptions()


class DataflowEdge(StrictModel):
    """A tensor of one session that feeds a tensor of another, each written `session.tensor`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    source: Annotated[str, Field(alias="from", pattern=r"^[^.]+\..+$")]
    target: Annotated[str, Field(alias="to", pattern=r"^[^.]+\..+$")]

    @property
    def ports(self) -> tuple[Port, Port]:
        """(session, tensor) of the source, and of the target."""
        (source, output), (target, input_name) = self.source.split(".", 1), self.target.split(".", 1)
        return (source, output), (target, input_name)


class KVState(StrictModel):
    """The names of the cache tensors; `%d` stands for the layer.

    format: `separate` keys and values; `combined` in one tensor [2, 1, kv_heads, slots, head_dim] per layer, which the
    key patterns name; `auto` reads format and names from the graphs where these names do not match.
    """

    format: Literal["auto", "separate", "combined"] = "separate"
    past_key_pattern: str = tensor_names.PAST_KEY
    past_value_pattern: str = tensor_names.PAST_VALUE
    present_key_pattern: str = tensor_names.PRESENT_KEY
    present_value_pattern: str = tensor_names.PRESENT_VALUE

    @model_validator(mode="before")
    @classmethod
    def _name_the_combined(cls, data: object) -> object:
        if not isinstance(data, dict) or data.get("format") != "combined":
            return data
        if named := next((name for name in _VALUES if name in data), None):
            raise ValueError(f"{named} names values only, and in the format combined the key patterns name both")
        return _COMBINED | data

    @model_serializer(mode="wrap")
    def _leave_out_the_unused(self, dump: SerializerFunctionWrapHandler) -> dict[str, str]:
        """Omits the names of values in the format `combined`, as they are omitted on reading."""
        fields: dict[str, str] = dump(self)
        return {key: value for key, value in fields.items() if self.format != "combined" or key not in _VALUES}

    @model_validator(mode="after")
    def _one_layer_each(self) -> KVState:
        for name in (*_KEYS, *_VALUES):
            if not tensor_names.is_layered(getattr(self, name)):
                raise ValueError(
                    f"{name} must hold %d exactly once, for the layer, and no other %: {getattr(self, name)}"
                )
        if self.format != "combined":
            for key, value in zip(_KEYS, _VALUES, strict=True):
                if getattr(self, key) == getattr(self, value):
                    raise ValueError(f"{key} and {value} name the same tensor, and keys and values need two")
        return self


class CrossState(StrictModel):
    """The encoder outputs that a decoder reads throughout a generation."""

    source: str
    frozen: Literal[True] = True


class PositionIds(StrictModel):
    """How the graphs receive positions.

    strategy: `default` one number per token, `windowed` the same in windows of the graph's width, `mrope_3d` time,
    height and width of each token (Qwen2-VL), `auto` by the input's shape. grid_source: the input with the grids
    [images, 3] of the pictures, in patches.
    """

    strategy: Literal["auto", "default", "windowed", "mrope_3d"] = "auto"
    input_name: Annotated[str, Field(min_length=1)] = tensor_names.POSITIONS
    grid_source: str | None = None


class SharedState(StrictModel):
    """State that sessions share between runs."""

    kv_cache: KVState | None = None
    cross_cache: CrossState | None = None
    position_ids: PositionIds | None = None


class Flow(StrictModel):
    """Sessions, their order and their edges. extends: the preset that completes what the file omits."""

    extends: Preset | None = None
    sessions: Annotated[dict[Name, SessionSpec], Field(min_length=1, max_length=10)]
    flow: Annotated[list[FlowStage], Field(min_length=1, max_length=10)]
    dataflow: list[DataflowEdge] = Field(default_factory=list)
    state: SharedState = SharedState()
    roles: Roles | None = None
    strategy: StrategySettings | None = None
    plugin: PluginReference | None = None
    controller: ControllerReference | None = None

    @model_validator(mode="before")
    @classmethod
    def _extend(cls, data: object) -> object:
        """Completes a flow by its preset, if that is known: `flow` and `dataflow` as a whole, `state` key by key."""
        if not isinstance(data, Mapping):
            return data
        if "plugin" in data and isinstance(data.get("sessions"), Mapping):  # the plug-in runs its sessions itself
            return {"flow": [{"run": name} for name in data["sessions"]], **data}
        preset = _PRESETS.get(data["extends"]) if isinstance(data.get("extends"), str) else None
        if preset is None:
            return data
        state = data.get("state", {})
        return {**preset, **data, "state": {**preset["state"], **state} if isinstance(state, Mapping) else state}

    @property
    def heads(self) -> str | None:
        """The session of extra heads that drafts; the flow does not run it."""
        return self.strategy.heads if self.strategy else None

    @property
    def head_edges(self) -> list[DataflowEdge]:
        """The edges to `heads`: from hidden states of the sessions for which it drafts."""
        return [edge for edge in self.dataflow if self.heads is not None and edge.ports[1][0] == self.heads]

    @property
    def draft(self) -> str | None:
        """The session that drafts, named by the strategy or the roles."""
        if self.strategy is None:
            return None
        return self.strategy.draft.session or (self.roles.draft if self.roles else None)

    @property
    def draft_sessions(self) -> tuple[str, ...]:
        """The sessions of the draft model in dataflow order; empty where no session drafts."""
        return self._around(self.draft)

    @property
    def amateur_sessions(self) -> tuple[str, ...]:
        """The sessions of the amateur model in dataflow order; empty where there is none."""
        return self._around(self.roles.amateur if self.roles else None)

    def _around(self, name: str | None) -> tuple[str, ...]:
        known = [edge.ports for edge in self.dataflow if {one for one, _ in edge.ports} <= self.sessions.keys()]
        return sessions_around(name, known) if name in self.sessions else ()

    @property
    def open_sessions(self) -> tuple[str, ...]:
        """The sessions that are open together: the outline's, and the heads that read its hidden states."""
        return (*self.outline().sessions, *([self.heads] if self.heads in self.sessions else []))

    def outline(self) -> Outline:
        """The flow without files and without the sessions that only the draft, the heads or the amateur use."""
        cross = self.state.cross_cache
        beside = {*self.draft_sessions, *self.amateur_sessions, *([self.heads] if self.heads else [])}
        own = beside - {stage.run for stage in self.flow}
        return Outline(
            tuple(name for name in self.sessions if name not in own),
            tuple(self.flow),
            tuple(one.ports for one in self.dataflow if not {one.ports[0][0], one.ports[1][0]} & own),
            cross.source if cross else None,
            self.state.kv_cache is not None,
        )


def route_of(flow: Flow) -> Route:
    """The kind of composite, computed from sessions, flow, edges and state, never from a model's name.

    The order of the checks is that of onnxruntime-genai's classification, so that both classify a file in the same way.
    """
    when: dict[str, set[str]] = {}
    for stage in flow.flow:
        when.setdefault(stage.run, set()).add(stage.when)
    if flow.plugin is not None:
        return "plugin"
    if flow.state.kv_cache is None:
        return "single"
    if flow.state.cross_cache is not None or any(stage.cross_attention_from for stage in flow.flow):
        return "encoder-decoder"
    outline = flow.outline()
    kinds = {modality(edge) for edge in outline.edges if when.get(edge[0][0]) == {"init"}} - {None}
    if kinds:
        return "multimodal" if len(kinds) > 1 else "speech-language" if kinds == {"audio"} else "vision-language"
    if flow.state.kv_cache.format == "combined":
        return "combined"
    if any(times == {"init"} for times in when.values()):
        return "prefill-decode"
    return "decoder-pipeline" if sum("step" in times for times in when.values()) > 1 else "decoder"
