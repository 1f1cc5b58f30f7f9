"""The speed of a bundle on several providers, with drafts and without, measured in turns.

Each round runs each of them once, so that other load on the machine affects all alike; the first round warms up and is
not counted. Times are end to end: they include the loop, the processors and detokenizing.
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
    """The size of each run. prompt_tokens, new_tokens: None for 128 and 64, or what fits the bundle's cache.

    repeats: counted runs. prompt: ids in place of random ones, of which prompt_tokens takes the first. drafts: adds a
    second row with drafts per provider.
    """

    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 5
    prompt: Sequence[int] = ()
    drafts: DraftRequest | None = None

    def check_sizes(self) -> None:
        """Raises RequestError for a number below 1, and PromptError for a prompt shorter than prompt_tokens."""
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
    """One provider, with drafts or without. subject: None where it cannot be used, for `reason`."""

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
    """A row for each of `providers`, in their order, each followed by one with drafts where the load has some.

    A provider that cannot be used is an UnusableProviderRow. Raises what BenchLoad.check_sizes raises, RequestError for
    drafts of a graph that generates nothing, PromptError for sizes that do not fit, DeviceError where no provider can
    be used, and Cancelled.
    """
    load = load or BenchLoad()
    load.check_sizes()
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
    """The requested tokens of a run, else the usual ones that fit. Raises PromptError for sizes that do not fit."""
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
    """Adds to each row with drafts its speedup over the plain row of its provider."""
    plain = {row.provider: row for row in rows if isinstance(row, CompositeRow) and row.drafts is None}
    for row in rows:
        if isinstance(row, CompositeRow) and row.drafts is not None and row.provider in plain:
            before = plain[row.provider].decode_tokens_per_s
            row.drafts.speedup = round(row.decode_tokens_per_s / before, 4) if before else None
    return rows
