"""How fast a bundle runs on each of several providers, measured side by side.

Each round runs every provider once, so that what else the machine does falls on all alike; the first round warms up
and is not counted. Times are those that a person sees: the loop, the processors and detokenizing are in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workflows.bundle import Bundle, read_bundle
from workflows.errors import Cancelled, DeviceError, GraphError, PromptError, RequestError
from workflows.measure.roofline import read_bandwidth
from workflows.measure.subject import Composite, Drafts, Run, Sample, Single
from workflows.memory import peak_bytes
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.bench import Row, UnusableRow

PROMPT_TOKENS, NEW_TOKENS = 128, 64
Subject = Composite | Single


@dataclass
class _Lane:
    """One provider: what runs there, or why nothing does."""

    provider: str
    subject: Subject | None = None
    reason: str = ""
    samples: list[Sample] = field(default_factory=list)


def bench(
    folder: str | Path,
    providers: Sequence[str] = ("cpu",),
    *,
    prompt_tokens: int | None = None,
    new_tokens: int | None = None,
    repeats: int = 5,
    prompt: Sequence[int] | None = None,
    drafts: Drafts | None = None,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Row]:
    """A row for each of `providers`, in their order; one that cannot be used is an UnusableRow.

    prompt_tokens, new_tokens: 128 and 64, or what fits the bundle's cache. prompt: ids in place of random ones. drafts:
    each provider has a second row with these, measured in turn with the first. Raises RequestError for a number below
    1, PromptError for numbers that do not fit, DeviceError where no provider can be used, and Cancelled.
    """
    for name, value in (("prompt-tokens", prompt_tokens), ("new-tokens", new_tokens), ("repeats", repeats)):
        if value is not None and value < 1:
            raise RequestError(f"--{name} must be at least 1, and {value} was given.")
    bundle = read_bundle(folder)
    sizes = (len(prompt) if prompt else prompt_tokens, new_tokens)
    ways = (None,) if drafts is None else (None, drafts)
    lanes = [_open(bundle, name, *sizes, prompt, way) for name in dict.fromkeys(providers) for way in ways]
    running = [(lane, lane.subject) for lane in lanes if lane.subject is not None]
    if not running:
        raise DeviceError(" ".join(lane.reason for lane in lanes))
    total = len(running) * (repeats + 1)
    for index in range(total):
        turn, (lane, subject) = index // len(running), running[index % len(running)]
        said = f"{lane.provider}: run {turn} of {repeats}" if turn else f"{lane.provider}: warming up"
        report(ProgressEvent(stage="bench", message=said, done=index, total=total, unit="runs"))
        if cancelled():
            raise Cancelled("The measurement was cancelled.")
        sample = subject.sample(cancelled)
        if turn:
            lane.samples.append(sample)
    peak = peak_bytes()  # before the bandwidth is measured, which takes memory of its own
    bandwidth = read_bandwidth()
    report(ProgressEvent(stage="bench", message="done", done=total, total=total, unit="runs"))
    return [_row(lane, repeats, peak, bandwidth) for lane in lanes]


def _open(
    bundle: Bundle,
    provider: str,
    prompt_tokens: int | None,
    new_tokens: int | None,
    prompt: Sequence[int] | None,
    drafts: Drafts | None,
) -> _Lane:
    try:
        if bundle.pipeline.route == "single":
            return _Lane(provider, Single(bundle, provider, prompt_tokens or PROMPT_TOKENS))
        composite = Composite(bundle, provider, drafts, prompt)
    except (DeviceError, GraphError) as error:
        return _Lane(provider, reason=str(error))
    composite.prompt_tokens, composite.new_tokens = _sizes(composite, prompt_tokens, new_tokens)
    return _Lane(provider, composite)


def _sizes(composite: Composite, prompt_tokens: int | None, new_tokens: int | None) -> tuple[int, int]:
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


def _row(lane: _Lane, repeats: int, peak: int, bandwidth: float) -> Row:
    if lane.subject is None:
        return UnusableRow(lane.provider, lane.reason)
    return lane.subject.row(Run(lane.provider, repeats, peak, bandwidth), lane.samples)
