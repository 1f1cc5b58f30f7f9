"""`session_options` of a session: how onnxruntime opens it, what is scheduled at run time, what its graph must be.

    session_options            onnxruntime's own words (threads, memory, providers), and its configuration entries
        .runtime               scheduled when the session is opened, without a change of the graph
        .build_requires        done to the graph when it was built

The keys are those of onnxruntime-genai. A word that stands in the wrong one of the three is an error that names the
right one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationError, model_validator

from workflows.bundle.strict_model import StrictModel
from workflows.common.errors import RequestError, printable

NonNegativeInt = Annotated[int, Field(ge=0, strict=True)]
PositiveInt = Annotated[int, Field(gt=0, strict=True)]
StrictBool = Annotated[bool, Field(strict=True)]
FloatPrecision = Literal["fp32", "fp16", "bf16", "fp8"]
_RUNTIME, _BUILD = "session_options.runtime", "session_options.build_requires"
_HOMES = {
    **dict.fromkeys(("precision", "kv_cache", "paging", "prefix_cache", "sliding_window", "chunked_prefill"), _RUNTIME),
    **dict.fromkeys(("attention", "quantization", "extra_heads"), _BUILD),
}
_OWN = (  # onnxruntime's
    "log_id", "enable_profiling", "intra_op_num_threads", "inter_op_num_threads", "log_severity_level",
    "log_verbosity_level", "enable_cpu_mem_arena", "enable_mem_pattern", "graph_optimization_level", "provider_options",
)  # fmt: skip
_OUTSIDE = ("/", "\\", "..")  # what a value that leads to a file elsewhere holds


def _refuse_misplaced(data: object, fields: set[str]) -> object:
    """Raises ValueError for a word that belongs to another of the three."""
    for key in data if isinstance(data, Mapping) else ():
        home = _HOMES.get(str(key), "session_options" if key in _OWN else "")
        if home and key not in fields:
            raise ValueError(f"{key} belongs to {home}")
    return data


class SlidingWindow(StrictModel):
    """size: tokens that stay in the cache; sink_tokens: of these, how many of the first that ever were stay for good.

    Sinks: Xiao et al., Efficient Streaming Language Models with Attention Sinks (2023); positions stay absolute.
    """

    size: PositiveInt
    sink_tokens: NonNegativeInt = 0

    @model_validator(mode="after")
    def _leaves_room(self) -> SlidingWindow:
        if self.sink_tokens >= self.size:
            raise ValueError(f"{self.sink_tokens} sink tokens leave no room in a window of {self.size}")
        return self


class ChunkedPrefill(StrictModel):
    """Prompt tokens that one run takes at most."""

    max_batched_tokens: PositiveInt


class PrefixCache(StrictModel):
    """Whether what the cache holds of a prompt is used again."""

    enabled: StrictBool = True


class Paging(StrictModel):
    """Whether the cache is kept in pages, which Joinery does not do."""

    enabled: StrictBool = False
    block_size: PositiveInt | None = None


class KVOptions(StrictModel):
    """The type of the cache, which must be the graph's own."""

    dtype: Literal["fp32", "fp16", "bf16", "fp8", "int8", "int4"] | None = None
    quant: Literal["none", "per_token", "per_channel", "per_tensor"] = "none"

    @model_validator(mode="before")
    @classmethod
    def _refuse_methods(cls, data: object) -> object:
        if isinstance(data, Mapping) and data.get("dtype") in ("awq", "gptq"):
            raise ValueError(f"{data['dtype']} quantizes weights, not a cache: it belongs to {_BUILD}.quantization")
        return data


class RuntimeOptions(StrictModel):
    """Features that are scheduled when a session is opened, without a change of the graph.

    precision: the floating-point type that the session computes in, weights and all; absent where a part of it
    computes with integers, which no word here says: `build_requires.quantization` does.
    """

    precision: FloatPrecision | None = None
    kv_cache: KVOptions | None = None
    paging: Paging | None = None
    prefix_cache: PrefixCache | None = None
    sliding_window: SlidingWindow | None = None
    chunked_prefill: ChunkedPrefill | None = None

    @model_validator(mode="before")
    @classmethod
    def _place(cls, data: object) -> object:
        return _refuse_misplaced(data, set(cls.model_fields))


class BuildRequires(StrictModel):
    """What was done to the graph when it was built. quantization: what its weights are."""

    attention: Literal["mha", "mqa", "gqa"] | None = None
    quantization: Literal["none", "awq", "gptq", "int8", "int4", "fp8"] = "none"
    extra_heads: Literal["none", "medusa", "mtp", "eagle", "eagle3", "hydra"] = "none"

    @model_validator(mode="before")
    @classmethod
    def _place(cls, data: object) -> object:
        if isinstance(data, Mapping) and (home := _HOMES.get(str(data.get("extra_heads")))):
            raise ValueError(f"{data['extra_heads']} is no extra head: it belongs to {home}")
        return _refuse_misplaced(data, set(cls.model_fields))


class SessionOptions(StrictModel):
    """Options of one session; what has no field of its own and a dot in its name is a configuration entry."""

    model_config = ConfigDict(extra="allow", frozen=True)

    log_id: str | None = None
    enable_profiling: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\-]+$")] | None = None
    intra_op_num_threads: NonNegativeInt | None = None
    inter_op_num_threads: NonNegativeInt | None = None
    log_severity_level: Annotated[int, Field(ge=0, le=4, strict=True)] | None = None
    log_verbosity_level: NonNegativeInt | None = None
    enable_cpu_mem_arena: StrictBool | None = None
    enable_mem_pattern: StrictBool | None = None
    graph_optimization_level: (
        Literal["ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_LAYOUT", "ORT_ENABLE_ALL"]
        | None
    ) = None
    provider_options: list[dict[str, dict[str, str | dict[str, str]]]] | None = None
    runtime: RuntimeOptions = RuntimeOptions()
    build_requires: BuildRequires | None = None

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: object) -> object:
        _refuse_misplaced(data, set(cls.model_fields))
        for key, value in data.items() if isinstance(data, Mapping) else ():
            if key == "custom_ops_library":
                raise ValueError("custom_ops_library is code, and Joinery runs none that a bundle brings")
            if key not in cls.model_fields:
                _check_entry(str(key), value)
        return data

    @model_validator(mode="after")
    def _stays_inside(self) -> SessionOptions:
        rows = [options for row in self.provider_options or () for options in row.values()]
        for key, value in ((key, value) for options in rows for key, value in options.items()):
            if isinstance(value, str):
                _check_inside(f"provider_options.{key}", value)
        return self

    @property
    def entries(self) -> dict[str, str]:
        """onnxruntime's configuration entries, name → value."""
        return {name: str(value) for name, value in (self.__pydantic_extra__ or {}).items()}

    def overlaid(self, other: SessionOptions | None) -> SessionOptions:
        """These with what `other` sets in their place."""
        if other is None:
            return self
        return SessionOptions.model_validate(
            self.model_dump(exclude_unset=True) | other.model_dump(exclude_unset=True, exclude={"runtime"})
        )

    def settings(self) -> str:
        """What onnxruntime is told of them, as a text: sessions that differ in it cannot be one."""
        return self.model_dump_json(exclude={"runtime", "build_requires"}, exclude_none=True)

    def of_provider(self, *names: str) -> dict[str, str]:
        """The options for a provider, known by any of `names`; what filters devices is not among them."""
        found: dict[str, str] = {}
        for row in self.provider_options or ():
            for name, options in row.items():
                if name.lower() in {known.lower() for known in names}:
                    found |= {key: value for key, value in options.items() if isinstance(value, str)}
        return found


def parse_options(pairs: Mapping[str, str]) -> SessionOptions:
    """Options that a person gives as texts. Raises RequestError that names the one that cannot be."""
    if not pairs:
        return SessionOptions()
    try:
        return SessionOptions.model_validate({key: _value(key, text) for key, text in pairs.items()})
    except ValidationError as error:
        first = error.errors()[0]
        message = printable(first["msg"].removeprefix("Value error, "))
        named = f"{printable(first['loc'][0], 60)} cannot be {printable(first['input'], 40)}: " if first["loc"] else ""
        raise RequestError(f"The session options cannot be: {named}{message}.") from None


def _value(key: str, text: str) -> object:
    """The text as what the field takes: a whole number, a switch, or itself."""
    field = SessionOptions.model_fields.get(key)
    kind = str(field.annotation) if field is not None else "str"
    if "bool" in kind and text.lower() in ("true", "false", "1", "0"):
        return text.lower() in ("true", "1")
    return int(text) if "int" in kind and text.lstrip("-").isdecimal() else text


def _check_entry(key: str, value: object) -> None:
    if "." not in key:
        known = ", ".join(sorted(SessionOptions.model_fields))
        raise ValueError(f"there is no option {key!r}: there are {known}, and onnxruntime's entries, as session.x")
    if not isinstance(value, str):
        raise ValueError(f"{key} is a configuration entry, and these are texts")
    _check_inside(key, value)


def _check_inside(key: str, value: str) -> None:
    """A provider's library and a compiled context are code: one that lies elsewhere is not the bundle's to name."""
    if any(part in value for part in _OUTSIDE):
        raise ValueError(f"{key} leads to a file elsewhere, and a bundle's options may not")
