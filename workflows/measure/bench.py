"""How fast a bundle runs on each of several providers, with drafts and without, measured side by side.

Each round runs each of them once, so that what else the machine does falls on all alike; the first round warms up
and is not counted. Times are those that a person sees: the loop, the processors and detokenizing are in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workflows.bundle import Bundle, read_bundle
from workflows.common.errors import Cancelled, DeviceError, GraphError, PromptError, RequestError
from workflows.common.memory import peak_bytes
from workflows.measure.bench_subjects import BenchContext, BenchSample, CompositeSubject, DraftRequest, SingleSubject
from workflows.measure.roofline import read_bandwidth
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.bench import CompositeRow, Row, UnusableProviderRow

PROMPT_TOKENS, NEW_TOKENS = 128, 64
Subject = CompositeSubject | SingleSubject


@dataclass(frozen=True)
class BenchLoad:
    """What each run does. prompt_tokens, new_tokens: None is 128 and 64, or what fits the bundle's cache.

    repeats: counted runs. prompt: ids in place of random ones, of which prompt_tokens takes the first. drafts: each
    provider has a second row with these.
    """

    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 5
    prompt: Sequence[int] = ()
    drafts: DraftRequest | None = None

    def check(self) -> None:
        """Raises RequestError for a number below 1, and PromptError for a prompt that is shorter than is asked."""
        sizes = {"prompt-tokens": self.prompt_tokens, "new-tokens": self.new_tokens, "repeats": self.repeats}
        for name, value in sizes.items():
            if value is not None and value < 1:
                raise RequestError(f"--{name} must be at least 1, and {value} was given.")
        if self.prompt and (self.prompt_tokens or 0) > len(self.prompt):
            raise PromptError(
                f"The prompt has {len(self.prompt):,} tokens, and --prompt-tokens asks for {self.prompt_tokens:,}."
            )


@dataclass
class _BenchLane:
    """One provider, with drafts or without: what runs there, or why nothing does."""

    provider: str
    drafts: DraftRequest | None = None
    subject: Subject | None = None
    reason: str = ""
    samples: list[BenchSample] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.provider if self.drafts is None else f"{self.provider} with {self.drafts.name}"


def bench(
    folder: str | Path,
    providers: Sequence[str] = ("cpu",),
    load: BenchLoad | None = None,
    *,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Row]:
    """A row for each of `providers`, in their order, and behind it one with drafts where the load has these.

    One that cannot be used is an UnusableProviderRow. Raises what Load.check raises, RequestError for drafts of a graph that
    generates nothing, PromptError for numbers that do not fit, DeviceError where nothing can be used, and Cancelled.
    """
    load = load or BenchLoad()
    load.check()
    bundle = read_bundle(folder)
    if load.drafts is not None and bundle.pipeline.route == "single":
        raise RequestError("Drafts are for a bundle that generates, and this one is a single graph.")
    ways = (None,) if load.drafts is None else (None, load.drafts)
    lanes = [_open(bundle, load, name, drafts) for name in dict.fromkeys(providers) for drafts in ways]
    running = [(lane, lane.subject) for lane in lanes if lane.subject is not None]
    if not running:
        raise DeviceError(" ".join(dict.fromkeys(lane.reason for lane in lanes)))
    total = len(running) * (load.repeats + 1)
    for index in range(total):
        turn, (lane, subject) = index // len(running), running[index % len(running)]
        said = f"{lane.name}: run {turn} of {load.repeats}" if turn else f"{lane.name}: warming up"
        report(ProgressEvent(stage="bench", message=said, done=index, total=total, unit="runs"))
        if cancelled():
            raise Cancelled("The measurement was cancelled.")
        sample = subject.sample(cancelled)
        if turn:
            lane.samples.append(sample)
    peak = peak_bytes()  # before the bandwidth is measured, which takes memory of its own
    bandwidth = read_bandwidth()
    report(ProgressEvent(stage="bench", message="done", done=total, total=total, unit="runs"))
    return _with_speedups([_row(lane, load.repeats, peak, bandwidth) for lane in lanes])


def _open(bundle: Bundle, load: BenchLoad, provider: str, drafts: DraftRequest | None) -> _BenchLane:
    try:
        if bundle.pipeline.route == "single":
            return _BenchLane(provider, subject=SingleSubject(bundle, provider, load.prompt_tokens or PROMPT_TOKENS))
        composite = CompositeSubject(bundle, provider, drafts, load.prompt)
    except (DeviceError, GraphError) as error:
        return _BenchLane(provider, drafts, reason=str(error))
    asked = load.prompt_tokens or len(load.prompt) or None
    composite.prompt_tokens, composite.new_tokens = _sizes(composite, asked, load.new_tokens)
    return _BenchLane(provider, drafts, composite)


def _sizes(composite: CompositeSubject, prompt_tokens: int | None, new_tokens: int | None) -> tuple[int, int]:
    """The tokens of a run: what was asked for, else what is usual and fits. Raises PromptError for what does not."""
    longest, capacity = composite.longest_prompt, composite.capacity
    kept = 1 if composite.has_source else None  # of the prompt in the cache; None is all
    prompt = prompt_tokens or min(PROMPT_TOKENS, longest if kept else max(1, longest * 2 // 3))
    room = capacity - (kept or prompt) + 1  # the last token is not fed
    new = new_tokens or max(1, min(NEW_TOKENS, room))
    if prompt > longest or new > room:
        raise PromptError(
            f"{prompt:,} prompt tokens and {new:,} new ones do not fit: the bundle takes a prompt of {longest:,}, and "
            f"its cache holds {capacity:,} tokens."
        )
    return prompt, new


def _row(lane: _BenchLane, repeats: int, peak: int, bandwidth: float) -> Row:
    if lane.subject is None:
        return UnusableProviderRow(lane.provider, lane.reason)
    return lane.subject.row(BenchContext(lane.provider, repeats, peak, bandwidth), lane.samples)


def _with_speedups(rows: list[Row]) -> list[Row]:
    """With how much faster each row with drafts is than the plain one of its provider."""
    plain = {row.provider: row for row in rows if isinstance(row, CompositeRow) and row.drafts is None}
    for row in rows:
        if isinstance(row, CompositeRow) and row.drafts is not None and row.provider in plain:
            before = plain[row.provider].decode_tokens_per_s
            row.drafts.speedup = round(row.decode_tokens_per_s / before, 4) if before else None
    return rows
