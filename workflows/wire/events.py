"""Progress, step and result events: the one vocabulary that the engine, the CLI, the worker and the window share.

    engine ──yield──▶ Event ──to_line──▶ one JSON line ──parse──▶ Event ──▶ the window's models

An event is a frozen dataclass whose `event` field names it on the wire. Times are in milliseconds where the
name ends in `_ms` and in seconds where it says seconds; bytes are bytes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from workflows.wire.codec import ABSENT, PayloadMismatch, dumps, read, read_in_steps, to_fields
from workflows.wire.reports.base import Report

Phase = Literal["prefill", "decode"]
FinishReason = Literal["eos", "length", "stop", "capacity", "cancelled"]
Stage = Literal[
    "checkpoint", "import", "export", "optimize", "goal", "quantize", "bundle", "compile", "assemble", "export-genai"
]
STAGES: tuple[Stage, ...] = get_args(Stage)
"""Of builds, and of the doors to other programs, in their order; `import` is torch's within the export, or a door's."""
StageState = Literal["started", "done", "reused", "skipped", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events have: a name on the wire."""

    event: ClassVar[str] = ""

    def to_dict(self) -> dict[str, object]:
        """Its name and its fields, for `codec.dumps`: what is inside them is as it is."""
        return {"event": self.event, **to_fields(self)}

    def to_line(self, job: int) -> str:
        """One line of JSON, without a line end, for the window's job `job`."""
        return dumps({"job": job, **self.to_dict()})


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEvent(Event):
    """A build stage began or ended. `note` says why it was skipped or failed."""

    event: ClassVar[str] = "stage"
    stage: Stage
    state: StageState
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
    probable tokens as [id, text, probability], where they were asked for. `drafted`: it was proposed by a draft and
    the model agreed, so that it came in the same run as the token before it.
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
    alternatives: list[tuple[int, str, float]] = field(default_factory=list)
    drafted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationEvent(Event):
    """One run of the model in a generation that drafts; it comes after the events of the run's tokens.

    step: that of its first token. drafted: tokens that `by` (a strategy: ngram, draft_model …) proposed and the run
    looked at; 0 of a plain run. accepted: those among them that the generation took. kept: all tokens that it took of
    the run, the model's own one included; none behind an end. latency_ms: of the run, with drafting.
    """

    event: ClassVar[str] = "speculation"
    step: int
    by: str
    drafted: int
    accepted: int
    kept: int
    latency_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """The slots of the layers that share one table.

    runs: (first slot, first position, count) of filled slots; every other slot is empty. rewindable: (first, last) of
    each range of lengths that can be gone back to. slides: the newest token is always in the last slot. allocated: the
    slots so far, and bytes what they take. shapes: of each layer's keys, where they are not all `shape`. A group whose
    layout is "cross" is what an encoder computed once: its slots are the tokens of the source.
    """

    name: str
    layout: str
    layers: list[int]
    capacity: int
    allocated: int
    window: int | None
    shape: list[int | str]
    dtype: str
    bytes: int
    writer: str
    length: int
    evicted: int
    runs: list[tuple[int, int, int]]
    rewindable: list[tuple[int, int]] = field(default_factory=list)
    slides: bool = False
    shapes: list[list[int | str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEvent(Event):
    """The KV cache as it stands."""

    event: ClassVar[str] = "cache"
    groups: list[GroupView]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUse:
    """The cache at the end of a generation: `used` slots of `capacity`, after `evicted` tokens had gone."""

    layout: str
    capacity: int
    used: int
    bytes: int
    evicted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationUse:
    """What came of drafts: `accepted` of the `drafted` tokens that the model looked at, `kept` in all, in `steps` runs.

    Sums, so that uses of several generations add up to one whose rates are those of all their runs.
    """

    drafted: int = 0
    accepted: int = 0
    steps: int = 0
    kept: int = 0

    @property
    def accept_rate(self) -> float | None:
        """The share of the drafted tokens that were accepted; None where none was drafted."""
        return self.accepted / self.drafted if self.drafted else None

    @property
    def tokens_per_step(self) -> float | None:
        """Tokens that a run of the model gave; None before the first."""
        return self.kept / self.steps if self.steps else None

    def __add__(self, other: SpeculationUse | SpeculationEvent) -> SpeculationUse:
        """With another use, or with one run more."""
        steps = other.steps if isinstance(other, SpeculationUse) else 1
        return SpeculationUse(
            drafted=self.drafted + other.drafted,
            accepted=self.accepted + other.accepted,
            steps=self.steps + steps,
            kept=self.kept + other.kept,
        )


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
    cache: CacheUse
    speculation: SpeculationUse | None = field(default=None, metadata=ABSENT)


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
    value: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEvent(Event):
    """A job failed. `message` is one sentence; `details` is the traceback, for the log alone.

    files: name → SHA-256 of the code that a checkpoint would run. reason: why a hub refused.
    """

    event: ClassVar[str] = "error"
    kind: str
    message: str
    details: str = ""
    files: dict[str, str] | None = field(default=None, metadata=ABSENT)
    reason: str | None = field(default=None, metadata=ABSENT)


FINAL_EVENTS = (BuildDone, GenerationDone, ReadyEvent, ResultEvent, ErrorEvent)
"""With one of these a job ends."""
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
        SpeculationEvent,
        CacheEvent,
        ErrorEvent,
    )
}


def parse(payload: object, answer: type) -> Event:
    """The event in a decoded JSON object, which belongs to a job that ends with an `answer`.

    Raises Mismatch, a ValueError, for one that is no event, or whose fields are not what they should be.
    """
    name, fields = _opened(payload)
    if name == ResultEvent.event:
        return ResultEvent(value=_value(fields, answer))
    return read(_kind(name, answer), fields)


def parse_in_steps(payload: object, answer: type) -> Generator[None, None, Event]:
    """The same with a pause after every few elements of a large report."""
    name, fields = _opened(payload)
    if name == ResultEvent.event:
        value = fields.get("value")
        return ResultEvent(value=(yield from read_in_steps(answer, value)))
    return read(_kind(name, answer), fields)


def _opened(payload: object) -> tuple[object, Mapping[str, object]]:
    if not isinstance(payload, dict):
        raise PayloadMismatch("needs an object as its")
    return payload.get("event"), {key: value for key, value in payload.items() if key not in ("event", "job")}


def _value(fields: Mapping[str, object], answer: type) -> Report:
    found: Report = read(answer, fields.get("value"))
    return found


def _kind(name: object, answer: type) -> type[Event]:
    if name == "done" and issubclass(answer, Event):
        return answer
    if not isinstance(name, str) or name not in _BY_NAME:
        raise PayloadMismatch("is called", f"{name}")
    return _BY_NAME[name]
