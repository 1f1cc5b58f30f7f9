"""Progress, step and result events, shared by engine, command line, worker and window.

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
from workflows.wire.reports.composite import LayerGroup
from workflows.wire.reports.cost import QuantizationCost
from workflows.wire.reports.sweep import StepKind, StepProgress, SweepCounts

Phase = Literal["prefill", "decode"]
FinishReason = Literal["eos", "length", "stop", "capacity", "cancelled"]
Stage = Literal[
    "checkpoint", "export", "import", "optimize", "goal", "quantize", "measure", "bundle", "compile", "assemble",
    "export-genai", "export-gguf",
]  # fmt: skip
STAGES: tuple[Stage, ...] = get_args(Stage)
"""The stages of builds, imports and exports, in order; `import` is that of torch within `export`, or a genai import."""
STATE = "state"  # the layout of a cache group of state of fixed size, and of a cache that has no other
StageState = Literal["started", "done", "reused", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Event:
    """The base of all events; `event` is its name in JSON."""

    event: ClassVar[str] = ""

    def to_dict(self) -> dict[str, object]:
        """Its name and its fields, for `codec.dumps`; nested values are not converted."""
        return {"event": self.event, **to_fields(self)}

    def to_line(self, job: int) -> str:
        """One line of JSON, without a line end, with the job's id."""
        return dumps({"job": job, **self.to_dict()})


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEvent(Event):
    """A build stage started or ended. note: why it was skipped or failed."""

    event: ClassVar[str] = "stage"
    stage: Stage
    state: StageState
    seconds: float = 0.0
    peak_mib: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent(Event):
    """Progress of a stage: `done` of `total` in `unit`; total 0 is unknown. component: name or role of the graph."""

    event: ClassVar[str] = "progress"
    stage: str
    message: str = ""
    done: float = 0.0
    total: float = 0.0
    unit: str = ""
    component: str | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepStepEvent(Event):
    """A step of a sweep started or ended. reason: why it failed or is blocked. counts: of all steps, afterwards."""

    event: ClassVar[str] = "step"
    step: str
    kind: StepKind
    state: StepProgress
    seconds: float = 0.0
    reason: str = ""
    counts: SweepCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent(Event):
    """A line for the log."""

    event: ClassVar[str] = "log"
    message: str
    level: Literal["info", "warning"] = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeEvent(Event):
    """A message to the user that is not an error. code: a stable name; message: one sentence."""

    event: ClassVar[str] = "notice"
    code: str
    message: str


SpeechTask = Literal["transcribe", "translate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechChoices:
    """What a bundle that transcribes leaves open. languages: codes; tasks: empty where there is but one.

    task: what it does where none is chosen. times: whether segments can have times.
    """

    languages: list[str] = field(default_factory=list)
    tasks: list[SpeechTask] = field(default_factory=list)
    task: SpeechTask = "transcribe"
    times: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyEvent(Event):
    """A bundle is open and can generate.

    completes: a chat is one text that the model continues. languages: those that it translates between. sees: messages
    may have pictures. takes_sound: they may have recordings. speech: a request is a sound to transcribe; None for a
    bundle that takes a text. adapters: of which a generation may choose one.
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
    sees: bool = False
    takes_sound: bool = False
    speech: SpeechChoices | None = field(default=None, metadata=ABSENT)
    adapters: list[str] = field(default_factory=list)

    @property
    def listens(self) -> bool:
        """Whether a request is a sound to transcribe."""
        return self.speech is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkEvent(Event):
    """One prefill chunk ran: `tokens` prompt tokens from position `start`."""

    event: ClassVar[str] = "chunk"
    start: int
    tokens: int
    total: int
    latency_ms: float
    cache_used: int
    cache_capacity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEvent(Event):
    """One token was generated. phase: `prefill` for the first one, whose logits are the prompt's.

    text: the characters that it completes; the texts of all tokens joined are the final text.
    latency_ms: from the token before, or for the first one from the start of the prompt.
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
class WordTime:
    """A word of a transcript, with the space before it. start_s, end_s: as those of a segment."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentEvent(Event):
    """A segment of a transcript ended. start_s, end_s: seconds from the beginning of the recording.

    token_ids: its tokens with their time stamps. words: their times, where they were asked for; token_times: the second
    at which each of its tokens ends, then too.
    """

    event: ClassVar[str] = "segment"
    start_s: float
    end_s: float
    text: str
    token_ids: list[int]
    words: list[WordTime] | None = field(default=None, metadata=ABSENT)
    token_times: list[float] | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSpan:
    """A picture of a prompt. runs: (first position, count) of the tokens that its features replace."""

    path: str
    runs: list[tuple[int, int]]

    @property
    def count(self) -> int:
        """The number of its tokens."""
        return sum(count for _, count in self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturesEvent(Event):
    """The pictures of the prompt that is going to be run, in its order; none for a prompt of text alone.

    Given only for a bundle that sees. It applies from the next CacheEvent on.
    """

    event: ClassVar[str] = "pictures"
    pictures: list[PictureSpan]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationEvent(Event):
    """One model run of a generation with drafts, after the events of its tokens.

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
    """The cache slots of layers that share a slot table.

    runs: (first slot, first position, count) of filled slots; every other slot is empty. rewindable: (first, last) of
    each range of lengths that can be gone back to. slides: the newest token is always in the last slot. allocated: the
    slots so far, and bytes what they take. shapes: of each layer's keys, where they are not all `shape`. A group whose
    layout is "cross" is what an encoder computed once: its slots are the tokens of the source. One whose layout is
    "state" has no slots: `states` are its tensors of fixed size, which every token replaces and which summarize the
    first `length` tokens; shape and dtype are the first one's, and bytes those of all. snapshots: how many earlier
    values of the state are stored besides, each of as many bytes.
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
    states: list[LayerGroup] = field(default_factory=list)
    snapshots: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEvent(Event):
    """The state of the KV cache."""

    event: ClassVar[str] = "cache"
    groups: list[GroupView]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUse:
    """The cache at the end of a generation: `used` of `capacity` slots, after `evicted` tokens were evicted."""

    layout: str
    capacity: int
    used: int
    bytes: int
    evicted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationUse:
    """Draft statistics: `accepted` of `drafted` tokens, `kept` tokens in all, in `steps` model runs.

    All are sums: the statistics of several generations add up.
    """

    drafted: int = 0
    accepted: int = 0
    steps: int = 0
    kept: int = 0

    @property
    def accept_rate(self) -> float | None:
        """The accepted share of the drafted tokens; None without drafts."""
        return self.accepted / self.drafted if self.drafted else None

    @property
    def tokens_per_step(self) -> float | None:
        """Mean number of tokens per model run; None before the first."""
        return self.kept / self.steps if self.steps else None

    def __add__(self, other: SpeculationUse | SpeculationEvent) -> SpeculationUse:
        """The sum with other statistics or with one more run."""
        steps = other.steps if isinstance(other, SpeculationUse) else 1
        return SpeculationUse(
            drafted=self.drafted + other.drafted,
            accepted=self.accepted + other.accepted,
            steps=self.steps + steps,
            kept=self.kept + other.kept,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool in a reply. arguments: a JSON object as text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationDone(Event):
    """A generation ended. token_ids: the generated tokens, with the end token if there is one.

    calls: of tools, where a request asked for them; an empty list for a reply of text alone.
    """

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
    calls: list[ToolCall] | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildDone(Event):
    """A build ended; the bundle is complete. streamed: its weights were never in memory together.

    cost: what quantizing cost; None where no weight was quantized, or it was not to be measured.
    """

    event: ClassVar[str] = "done"
    bundle: str
    seconds: float
    bytes: int
    components: list[str]
    streamed: bool = False
    cost: QuantizationCost | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultEvent(Event):
    """The report of a job: a probe, an inspection, the devices …"""

    event: ClassVar[str] = "result"
    value: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEvent(Event):
    """A job failed. message: one sentence; details: the traceback, for the log.

    files: name → SHA-256 of the checkpoint's code files. reason: why the hub refused, or the part of
    Joinery that is missing.
    """

    event: ClassVar[str] = "error"
    kind: str
    message: str
    details: str = ""
    files: dict[str, str] | None = field(default=None, metadata=ABSENT)
    reason: str | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class HelloEvent(Event):
    """The first event of a worker, which belongs to no job. wire: see wire/version.py."""

    event: ClassVar[str] = "hello"
    joinery: str
    wire: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEvent(Event):
    """A worker on another machine works; belongs to no job. memory: its resident bytes."""

    event: ClassVar[str] = "process"
    memory: int


FINAL_EVENTS = (BuildDone, GenerationDone, ReadyEvent, ResultEvent, ErrorEvent)
"""The classes of a job's last event."""
_BY_NAME: dict[str, type[Event]] = {
    cls.event: cls
    for cls in (
        StageEvent,
        ProgressEvent,
        SweepStepEvent,
        LogEvent,
        NoticeEvent,
        ReadyEvent,
        ChunkEvent,
        TokenEvent,
        SegmentEvent,
        PicturesEvent,
        SpeculationEvent,
        CacheEvent,
        HelloEvent,
        ProcessEvent,
        ErrorEvent,
    )
}


def parse(payload: object, answer: type) -> Event:
    """The event of a decoded JSON object. answer: the class of the job's report or last event.

    Raises PayloadMismatch, a ValueError, for an unknown event or wrong fields.
    """
    name, fields = _opened(payload)
    if name == ResultEvent.event:
        value: Report = read(answer, fields.get("value"))
        return ResultEvent(value=value)
    return read(_event_class(name, answer), fields)


def parse_in_steps(payload: object, answer: type) -> Generator[None, None, Event]:
    """As `parse`, but yields after every few elements of a large report."""
    name, fields = _opened(payload)
    if name == ResultEvent.event:
        return ResultEvent(value=(yield from read_in_steps(answer, fields.get("value"))))
    return read(_event_class(name, answer), fields)


def _opened(payload: object) -> tuple[object, Mapping[str, object]]:
    if not isinstance(payload, dict):
        raise PayloadMismatch("needs an object as its")
    return payload.get("event"), {key: value for key, value in payload.items() if key not in ("event", "job")}


def _event_class(name: object, answer: type) -> type[Event]:
    if name == "done" and issubclass(answer, Event):
        return answer
    if not isinstance(name, str) or name not in _BY_NAME:
        raise PayloadMismatch("is called", f"{name}")
    return _BY_NAME[name]
