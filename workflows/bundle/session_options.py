"""`session_options` of a session: onnxruntime's options, features scheduled at run time, requirements of the graph.

    session_options            onnxruntime's own keys (threads, memory, providers), and its configuration entries
        .runtime               applied when the session is opened; the graph is unchanged
        .build_requires        applied to the graph when it was built

The keys are those of onnxruntime-genai. A key in the wrong one of the three is an error that names the right one.
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
_OUTSIDE = ("/", "\\", "..")  # what the value of a path to another folder contains


def _refuse_misplaced(data: object, fields: set[str]) -> object:
    """Raises ValueError for a key that belongs to another of the three objects."""
    for key in data if isinstance(data, Mapping) else ():
        home = _HOMES.get(str(key), "session_options" if key in _OWN else "")
        if home and key not in fields:
            raise ValueError(f"{key} belongs to {home}")
    return data


class SlidingWindow(StrictModel):
    """size: tokens that stay in the cache; sink_tokens: how many of these are the first tokens, which are never
    evicted.

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
    """The most prompt tokens of one run."""

    max_batched_tokens: PositiveInt


class PrefixCache(StrictModel):
    """Whether the cached prefix of a prompt is reused."""

    enabled: StrictBool = True


class Paging(StrictModel):
    """A paged cache, which Joinery does not support."""

    enabled: StrictBool = False
    block_size: PositiveInt | None = None


class KVOptions(StrictModel):
    """The cache's dtype, which must be the graph's own."""

    dtype: Literal["fp32", "fp16", "bf16", "fp8", "int8", "int4"] | None = None
    quant: Literal["none", "per_token", "per_channel", "per_tensor"] = "none"

    @model_validator(mode="before")
    @classmethod
    def _refuse_methods(cls, data: object) -> object:
        if isinstance(data, Mapping) and data.get("dtype") in ("awq", "gptq"):
            raise ValueError(f"{data['dtype']} quantizes weights, not a cache: it belongs to {_BUILD}.quantization")
        return data


class RuntimeOptions(StrictModel):
    """Features that are applied when a session is opened; the graph is unchanged.

    precision: the floating-point type of weights and computation; absent where a part computes in integers, which
    `build_requires.quantization` states.
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
    """Properties that the graph got at build time. quantization: of its weights."""

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
    """Options of one session; an unknown key with a dot in its name is an onnxruntime configuration entry."""

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
        """These options overridden by those that `other` sets."""
        if other is None:
            return self
        return SessionOptions.model_validate(
            self.model_dump(exclude_unset=True) | other.model_dump(exclude_unset=True, exclude={"runtime"})
        )

    def settings(self) -> str:
        """All onnxruntime settings as a text: sessions with different texts cannot be shared."""
        return self.model_dump_json(exclude={"runtime", "build_requires"}, exclude_none=True)

    def of_provider(self, *names: str) -> dict[str, str]:
        """The options of a provider, known by any of `names`, without device filters."""
        selected: dict[str, str] = {}
        for row in self.provider_options or ():
            for name, options in row.items():
                if name.lower() in {known.lower() for known in names}:
                    selected |= {key: value for key, value in options.items() if isinstance(value, str)}
        return selected


def parse_options(pairs: Mapping[str, str]) -> SessionOptions:
    """Parses options given as texts. Raises RequestError that names the invalid one."""
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
    """Converts the text to the field's type: an integer, a boolean, or the text itself."""
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
        raise ValueError(f"{key} is a configuration entry, whose value must be a string")
    _check_inside(key, value)


def _check_inside(key: str, value: str) -> None:
    """Raises ValueError for a provider library or a compiled context (both are code) outside the bundle."""
    if any(part in value for part in _OUTSIDE):
        raise ValueError(f"{key} refers to a file outside the bundle, which is refused")
