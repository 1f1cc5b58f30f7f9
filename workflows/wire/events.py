"""Progress, step and result events: the one vocabulary that the engine, the CLI, the worker and the window share.

    engine ──yield──▶ Event ──to_json──▶ one JSON line ──parse──▶ Event ──▶ the window's models

An event is a frozen dataclass whose `event` field names it on the wire. Times are in milliseconds where the
name ends in `_ms` and in seconds where it says seconds; bytes are bytes. This module imports nothing heavy:
the window's process reads it at start-up.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

Phase = Literal["prefill", "decode"]
FinishReason = Literal["eos", "length", "stop", "capacity", "cancelled"]
StageState = Literal["started", "done", "reused", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events have: a name on the wire."""

    event: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """The event as plain JSON values, its name first."""
        return {"event": self.event, **asdict(self)}

    def to_json(self) -> str:
        """The event as one line of JSON, without a line end."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEvent(Event):
    """A build stage began or ended. `note` says why it was skipped or failed."""

    event: ClassVar[str] = "stage"
    stage: str
    state: StageState
    component: str = ""
    seconds: float = 0.0
    peak_mib: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent(Event):
    """How far a stage is: `done` of `total` in `unit`; `total` 0 means not known."""

    event: ClassVar[str] = "progress"
    stage: str
    message: str = ""
    done: float = 0.0
    total: float = 0.0
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent(Event):
    """A line for the log tail."""

    event: ClassVar[str] = "log"
    message: str
    level: Literal["info", "warning"] = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeEvent(Event):
    """Something that a person should know and that is no error: `code` is stable, `message` one sentence."""

    event: ClassVar[str] = "notice"
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyEvent(Event):
    """A bundle is open and can generate.

    `completes`: a conversation is one text that it goes on with. `languages`: those that it can be asked to translate
    between.
    """

    event: ClassVar[str] = "ready"
    bundle: str
    model_type: str
    route: str
    provider: str
    layout: str
    capacity: int
    chunk: int
    vocabulary: int
    chat_template: bool
    load_seconds: float
    completes: bool = False
    languages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkEvent(Event):
    """One prefill chunk ran: `tokens` prompt tokens, the first of them at position `start`."""

    event: ClassVar[str] = "chunk"
    start: int
    tokens: int
    total: int
    latency_ms: float
    cache_used: int
    cache_capacity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEvent(Event):
    """One token was generated. `phase` is `prefill` for the first, whose logits came from the prompt.

    `text` is what became certain with it, so that the texts of all tokens joined are that of the end.
    `latency_ms` is the time from the token before (or, for the first, from the start of the prompt).
    `probability` is that of the token under the processed distribution; `alternatives` holds the most
    probable tokens as [id, text, probability], where they were asked for.
    """

    event: ClassVar[str] = "token"
    id: int
    text: str
    step: int
    phase: Phase
    latency_ms: float
    cache_used: int
    cache_capacity: int
    probability: float | None = None
    alternatives: list[list[Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEvent(Event):
    """The KV cache as it stands.

    A group is {"name","layout","layers","capacity","allocated","window","shape","dtype","bytes","writer","length",
    "evicted","runs","rewindable","slides"}; `runs` are [first slot, first position, count] of filled slots, every
    other slot is empty; `rewindable` are [first, last] of the lengths that can be gone back to; where the rows slide
    the newest token is always in the last slot. A group whose layout is "cross" is what an encoder computed once: its
    slots are the tokens of the source.
    """

    event: ClassVar[str] = "cache"
    groups: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationDone(Event):
    """A generation ended. `token_ids` are the generated tokens alone, the end token included where there was one."""

    event: ClassVar[str] = "done"
    prompt_ids: list[int]
    token_ids: list[int]
    text: str
    finish_reason: FinishReason
    ttft_ms: float
    decode_tokens_per_s: float
    prefill_tokens_per_s: float
    provider: str
    cache: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildDone(Event):
    """A build ended; the bundle is whole."""

    event: ClassVar[str] = "done"
    bundle: str
    seconds: float
    bytes: int
    components: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultEvent(Event):
    """The answer to a job that has one answer: a probe, an inspection, the devices …"""

    event: ClassVar[str] = "result"
    value: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The value as it is: a graph of 20,000 nodes is not copied."""
        return {"event": self.event, "value": self.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEvent(Event):
    """A job failed. `message` is one sentence; `details` is the traceback, for the log alone."""

    event: ClassVar[str] = "error"
    kind: str
    message: str
    details: str = ""
    data: dict[str, Any] = field(default_factory=dict)


_BY_NAME: dict[str, type[Event]] = {
    cls.event: cls
    for cls in (
        StageEvent,
        ProgressEvent,
        LogEvent,
        NoticeEvent,
        ReadyEvent,
        ChunkEvent,
        TokenEvent,
        CacheEvent,
        ResultEvent,
        ErrorEvent,
    )
}


def parse(payload: dict[str, Any]) -> Event:
    """The event in a decoded JSON object.

    Raises ValueError for an object that is no event, and TypeError for one with fields missing or unknown.
    """
    fields = {key: value for key, value in payload.items() if key not in ("event", "job")}
    name = payload.get("event")
    if name == "done":
        return BuildDone(**fields) if "bundle" in fields else GenerationDone(**fields)
    if name not in _BY_NAME:
        raise ValueError(f"no event is called {name!r}")
    return _BY_NAME[name](**fields)
