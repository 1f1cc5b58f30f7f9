"""What bench measures: a bundle that generates, or one graph that runs once; each takes samples and summarizes them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

import numpy as np

from workflows.bundle import Bundle
from workflows.common.errors import Cancelled, GraphError
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.options import check_options
from workflows.generate.speculative import select_strategy
from workflows.measure.roofline import kv_bytes, weight_bytes
from workflows.runtime import open_single
from workflows.wire.events import GenerationDone, SpeculationUse, TokenEvent
from workflows.wire.reports.bench import BenchCache, CompositeRow, DraftFigures, Percentiles, Roofline, SingleRow


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
        """Its name in rows."""
        return "ngram" if self.draft is None else self.draft.resolve().name


class CompositeSubject:
    """A bundle with a cache: feeds a prompt, random where none is given, then generates without end tokens."""

    prompt_tokens = new_tokens = 1

    def __init__(
        self, bundle: Bundle, provider: str, drafts: DraftRequest | None = None, prompt: Sequence[int] = ()
    ) -> None:
        """Raises GraphError where the bundle cannot verify drafts, and what open_engine raises."""
        draft: Path | Literal[False] = (drafts.draft if drafts else None) or False
        self._engine, self._weights = open_engine(bundle.folder, provider=provider, draft=draft), weight_bytes(bundle)
        self._drafts, self._options = drafts, _options(drafts)
        machine = self._engine.machine
        refused = select_strategy(machine, self._options, self._engine.draft)
        if isinstance(refused, str):
            raise GraphError(refused)
        self.capacity, self.has_source = machine.cache.capacity, machine.has_source
        self.longest_prompt = (bundle.pipeline.metadata.source_limit or 1 << 16) if self.has_source else self.capacity
        self._given = self._engine.text.check_ids(prompt) if prompt else []

    def _prompt(self) -> list[int]:
        random = np.random.default_rng(0).integers(0, self._engine.machine.vocabulary, self.prompt_tokens)
        return self._given[: self.prompt_tokens] or [int(one) for one in random]

    def sample(self, cancelled: Callable[[], bool]) -> BenchSample:
        """One generation; the first token's latency includes the encoder. Raises Cancelled."""
        self._engine.reset()  # else the cache would hold the prompt already
        options = self._options.replaced(max_new_tokens=self.new_tokens)
        latencies, use = list[float](), None
        for event in self._engine.generate(self._prompt(), options, cancelled, eos=()):
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
            drafts=None if self._drafts is None else _draft_use(self._drafts, samples),
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
        """One run."""
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
