"""What is measured: a bundle that generates, or one graph that runs once; each gives samples and sums them up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from workflows.bundle import Bundle
from workflows.errors import Cancelled
from workflows.generate import GenerateOptions, open_engine
from workflows.measure.roofline import kv_bytes, weight_bytes
from workflows.runtime import open_single
from workflows.wire.events import GenerationDone, SpeculationUse, TokenEvent
from workflows.wire.reports.bench import BenchCache, CompositeRow, DraftUse, Percentiles, Roofline, SingleRow

Sample = list[float]  # milliseconds: of a generation each token's, the first first; of one graph its run


class Run(NamedTuple):
    """What a row needs besides its samples: bytes at most in memory, and bytes a second that the memory gives."""

    provider: str
    repeats: int
    peak_bytes: int
    bandwidth: float


@dataclass(frozen=True)
class Drafts:
    """Where drafted tokens come from: another bundle's folder, or (None) what was said before."""

    draft: Path | None = None

    @property
    def name(self) -> str:
        """As the table calls it."""
        return "look-ups" if self.draft is None else self.draft.name


class Composite:
    """A bundle with a cache: a prompt, random where none is given, then new tokens to the last, whatever they are."""

    prompt_tokens = new_tokens = 1

    def __init__(
        self, bundle: Bundle, provider: str, drafts: Drafts | None = None, prompt: Sequence[int] | None = None
    ) -> None:
        self._drafts, self._prompt, self._use = drafts, prompt, SpeculationUse(drafted=0, accepted=0, steps=0)
        draft = drafts.draft if drafts else None
        self._engine, self._weights = open_engine(bundle.folder, provider=provider, draft=draft), weight_bytes(bundle)
        machine = self._engine.machine
        self.capacity, self.has_source = machine.cache.capacity, machine.has_source
        self.longest_prompt = (bundle.pipeline.metadata.source_limit or 1 << 16) if self.has_source else self.capacity

    def sample(self, cancelled: Callable[[], bool]) -> Sample:
        """One generation; the encoder's time is in the first token's. Raises Cancelled."""
        self._engine.reset()  # else the cache would have the prompt already
        vocabulary = self._engine.machine.vocabulary
        random = np.random.default_rng(0).integers(0, vocabulary, self.prompt_tokens).tolist()
        prompt = random if self._prompt is None else self._prompt[: self.prompt_tokens]
        ngram = self._drafts is not None and self._drafts.draft is None
        options = GenerateOptions(max_new_tokens=self.new_tokens, ngram=ngram)
        found: Sample = []
        for event in self._engine.generate(prompt, options, cancelled, eos=()):
            if isinstance(event, TokenEvent):
                found.append(event.latency_ms)
            if isinstance(event, GenerationDone) and event.finish_reason == "cancelled":
                raise Cancelled("The measurement was cancelled.")
            if isinstance(event, GenerationDone) and event.speculation is not None:
                self._use = event.speculation
        return found

    def row(self, run: Run, samples: Sequence[Sample]) -> CompositeRow:
        """Medians over the generations; percentiles over all their tokens but the first ones.

        prefill_tokens_per_s is prompt / TTFT, decode_tokens_per_s 1 / mean time of a later token.
        """
        first = median(sample[0] for sample in samples)
        later = [latency for sample in samples for latency in sample[1:]]
        decode = median(1000 / float(np.mean(sample[1:])) if len(sample) > 1 else 0.0 for sample in samples)
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
            drafts=None if self._drafts is None else DraftUse(self._drafts.name, **_counts(self._use)),
        )


def _counts(use: SpeculationUse) -> dict[str, int]:
    return {"drafted": use.drafted, "accepted": use.accepted, "steps": use.steps}


class Single:
    """One graph without a cache: random inputs of the shapes that it declares."""

    def __init__(self, bundle: Bundle, provider: str, tokens: int) -> None:
        self._graph = open_single(bundle.folder, provider)
        self._inputs = self._graph.example(tokens)

    def sample(self, cancelled: Callable[[], bool]) -> Sample:
        """One run."""
        began = time.perf_counter()
        self._graph.run(self._inputs)
        return [(time.perf_counter() - began) * 1000]

    def row(self, run: Run, samples: Sequence[Sample]) -> SingleRow:
        """Percentiles over the runs; runs_per_s is 1 / the median."""
        times = [sample[0] for sample in samples]
        return SingleRow(
            provider=run.provider,
            repeats=run.repeats,
            inputs={name: list(array.shape) for name, array in self._inputs.items()},
            latency_ms=percentiles(times),
            runs_per_s=round(1000 / median(times), 3),
            peak_rss_bytes=run.peak_bytes,
        )


def percentiles(values: Sequence[float]) -> Percentiles:
    """p50, p95 and p99 of `values`, interpolated between neighbours; zeros where there are none."""
    points = np.percentile(np.asarray(values or [0.0]), [50, 95, 99])
    return Percentiles(*(round(float(point), 4) for point in points))
