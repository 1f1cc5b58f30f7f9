"""The speed of a bundle on several providers, with drafts and without, measured in turns.

Each round runs each of them once, so that other load on the machine affects all alike; the first round warms up and is
not counted. Times are end to end: they include the loop, the processors and detokenizing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

import numpy as np

from workflows.bundle import Bundle, read_bundle
from workflows.common.errors import Cancelled, DeviceError, GraphError, PromptError, RequestError
from workflows.common.memory import peak_bytes
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.options import check_options
from workflows.generate.speculative import select_strategy
from workflows.measure.roofline import kv_bytes, read_bandwidth, weight_bytes
from workflows.runtime import open_single
from workflows.runtime.execution.active_adapter import BASE
from workflows.runtime.execution.example_source import example_inputs, example_tokens
from workflows.runtime.loading.memory_plan import cpu_memory
from workflows.wire.events import Event, GenerationDone, ProgressEvent, SpeculationUse, TokenEvent
from workflows.wire.reports.bench import (
    BenchCache,
    CompositeRow,
    DraftFigures,
    Percentiles,
    Roofline,
    Row,
    SingleRow,
    UnusableProviderRow,
)
from workflows.wire.requests import USUAL_PROMPT, USUAL_REPLY


class BenchSample(NamedTuple):
    """Latencies in milliseconds: of each token of a generation, or of one run of a graph. use: of its drafts."""

    latencies: list[float]
    use: SpeculationUse | None = None


class BenchContext(NamedTuple):
    """What a row needs besides its samples. peak_bytes: of memory. bandwidth: of memory, in bytes per second."""

    provider: str
    repeats: int
    peak_bytes: int
    bandwidth: float


@dataclass(frozen=True)
class DraftRequest:
    """draft: the bundle that drafts; None for n-gram drafts. most: the most tokens of a draft."""

    draft: Path | None = None
    most: int | None = None

    @property
    def name(self) -> str:
        return "ngram" if self.draft is None else self.draft.resolve().name


class CompositeSubject:
    """A bundle with a cache: feeds a prompt, random where none is given, then generates without end tokens."""

    prompt_tokens = new_tokens = 1

    def __init__(
        self,
        bundle: Bundle,
        provider: str,
        drafts: DraftRequest | None = None,
        prompt: Sequence[int] = (),
        adapter: str = BASE,
    ) -> None:
        """Raises GraphError where the bundle cannot verify drafts, RequestError for an adapter that it does not have,
        and what open_engine raises.
        """
        self._memory = cpu_memory(bundle) if provider == "cpu" else None
        draft: Path | Literal[False] = (drafts.draft if drafts else None) or False
        self._engine, self._weights = open_engine(bundle.folder, provider=provider, draft=draft), weight_bytes(bundle)
        self._drafts, self._options = drafts, _options(drafts).replaced(adapter=adapter or None)
        machine = self._engine.machine
        machine.adapter.use(adapter)
        refused = select_strategy(machine, self._options, self._engine.draft)
        if isinstance(refused, str):
            raise GraphError(refused)
        self.capacity, self.has_source = machine.cache.capacity, machine.has_source
        self.longest_prompt = (bundle.pipeline.metadata.source_limit or 1 << 16) if self.has_source else self.capacity
        self._given = self._engine.text.check_ids(prompt) if prompt else []

    def _prompt(self) -> list[int]:
        return self._given[: self.prompt_tokens] or example_tokens(self._engine.machine, self.prompt_tokens)

    def sample(self, cancelled: Callable[[], bool]) -> BenchSample:
        """One generation; the first token's latency includes the encoder. Raises Cancelled."""
        self._engine.reset()  # else the cache would hold the prompt already
        options = self._options.replaced(max_new_tokens=self.new_tokens)
        latencies, use = list[float](), None
        given = example_inputs(self._engine.machine) or None
        for event in self._engine.generate(self._prompt(), options, cancelled, eos=(), inputs=given):
            if isinstance(event, TokenEvent):
                latencies.append(event.latency_ms)
            if isinstance(event, GenerationDone):
                if event.finish_reason == "cancelled":
                    raise Cancelled("The measurement was cancelled.")
                use = event.speculation
        return BenchSample(latencies, use)

    def row(self, run: BenchContext, samples: Sequence[BenchSample]) -> CompositeRow:
        """Medians over the generations; percentiles over all tokens except the first ones.

        prefill_tokens_per_s is prompt / TTFT, decode_tokens_per_s 1 / mean time of a later token.
        """
        latencies = [sample.latencies for sample in samples]
        first = median(one[0] for one in latencies)
        later = [latency for one in latencies for latency in one[1:]]
        decode = median(1000 / float(np.mean(one[1:])) if len(one) > 1 else 0.0 for one in latencies)
        read = self._weights + kv_bytes(self._engine.machine)
        cache = self._engine.machine.cache
        return CompositeRow(
            provider=run.provider,
            repeats=run.repeats,
            prompt_tokens=self.prompt_tokens,
            new_tokens=self.new_tokens,
            ttft_ms=round(first, 4),
            inter_token_ms=percentiles(later),
            prefill_tokens_per_s=round(self.prompt_tokens / first * 1000, 2),
            decode_tokens_per_s=round(decode, 2),
            roofline=Roofline(read, round(run.bandwidth), round(decode * read / run.bandwidth, 4)),
            cache=BenchCache(cache.layout.name, cache.capacity),
            peak_rss_bytes=run.peak_bytes,
            memory=self._memory,
            drafts=None if self._drafts is None else _draft_use(self._drafts, samples),
            adapter=self._engine.machine.adapter.active,
        )


def _options(drafts: DraftRequest | None) -> GenerateOptions:
    """The options; without drafts, also none of the bundle's file. Raises RequestError for an invalid length."""
    if drafts is None:
        return GenerateOptions(drafts=False)
    return check_options({"ngram": drafts.draft is None, "draft_tokens": drafts.most})


def _draft_use(drafts: DraftRequest, samples: Sequence[BenchSample]) -> DraftFigures:
    """The drafts of all runs together."""
    use = sum((sample.use for sample in samples if sample.use is not None), SpeculationUse())
    rates = {"accept_rate": use.accept_rate, "tokens_per_step": use.tokens_per_step}
    rounded = {name: None if rate is None else round(rate, 4) for name, rate in rates.items()}
    return DraftFigures(drafts.name, use.drafted, use.accepted, use.steps, use.kept, **rounded)


class SingleSubject:
    """One graph without a cache, on random inputs of its declared shapes."""

    def __init__(self, bundle: Bundle, provider: str, tokens: int) -> None:
        self._graph = open_single(bundle.folder, provider)
        self._inputs = self._graph.example(tokens)

    def sample(self, cancelled: Callable[[], bool]) -> BenchSample:
        began = time.perf_counter()
        self._graph.run(self._inputs)
        return BenchSample([(time.perf_counter() - began) * 1000])

    def row(self, run: BenchContext, samples: Sequence[BenchSample]) -> SingleRow:
        """Percentiles over the runs; runs_per_s is 1 / the median."""
        times = [sample.latencies[0] for sample in samples]
        return SingleRow(
            provider=run.provider,
            repeats=run.repeats,
            inputs={name: list(array.shape) for name, array in self._inputs.items()},
            latency_ms=percentiles(times),
            runs_per_s=round(1000 / median(times), 3),
            peak_rss_bytes=run.peak_bytes,
        )


def percentiles(values: Sequence[float]) -> Percentiles:
    """p50, p95 and p99 of `values`, interpolated; zeros for no values."""
    points = np.percentile(np.asarray(values or [0.0]), [50, 95, 99])
    return Percentiles(*(round(float(point), 4) for point in points))


Subject = CompositeSubject | SingleSubject


@dataclass(frozen=True)
class BenchLoad:
    """The size of each run. prompt_tokens, new_tokens: None for 128 and 64, or what fits the bundle's cache.

    repeats: counted runs. prompt: ids in place of random ones, of which prompt_tokens takes the first. drafts: adds a
    second row with drafts per provider. adapter: the active one, of a bundle that has some.
    """

    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 5
    prompt: Sequence[int] = ()
    drafts: DraftRequest | None = None
    adapter: str = BASE

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
    if load.adapter and bundle.pipeline.route == "single":
        raise RequestError("The bundle is a single graph, which takes no adapter: measure it without --adapter.")
    ways = (None,) if load.drafts is None else (None, load.drafts)
    lanes = [_open(bundle, load, name, drafts) for name in dict.fromkeys(providers) for drafts in ways]
    running = [(lane, lane.subject) for lane in lanes if lane.subject is not None]
    if not running:
        raise DeviceError(" ".join(dict.fromkeys(lane.reason for lane in lanes)))
    total = len(running) * (load.repeats + 1)
    for index in range(total):
        turn, (lane, subject) = index // len(running), running[index % len(running)]
        message = f"{lane.name}: run {turn} of {load.repeats}" if turn else f"{lane.name}: warming up"
        report(ProgressEvent(stage="bench", message=message, done=index, total=total, unit="runs"))
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
            return _BenchLane(provider, subject=SingleSubject(bundle, provider, load.prompt_tokens or USUAL_PROMPT))
        composite = CompositeSubject(bundle, provider, drafts, load.prompt, load.adapter)
    except (DeviceError, GraphError) as error:
        return _BenchLane(provider, drafts, reason=str(error))
    wanted = load.prompt_tokens or len(load.prompt) or None
    composite.prompt_tokens, composite.new_tokens = _sizes(composite, wanted, load.new_tokens)
    return _BenchLane(provider, drafts, composite)


def _sizes(composite: CompositeSubject, prompt_tokens: int | None, new_tokens: int | None) -> tuple[int, int]:
    """The requested tokens of a run, else the usual ones that fit. Raises PromptError for sizes that do not fit."""
    longest, capacity = composite.longest_prompt, composite.capacity
    cached = 1 if composite.has_source else None  # of the prompt in the cache; None is all
    prompt = prompt_tokens or min(USUAL_PROMPT, longest if cached else max(1, longest * 2 // 3))
    room = capacity - (cached or prompt) + 1  # the last token is not fed
    new = new_tokens or max(1, min(USUAL_REPLY, room))
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
