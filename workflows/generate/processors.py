"""Logits processors: composed once from the options, called once per token.

The order and the formulas are those of transformers: repetition penalty, temperature, top-k, top-p, min-p.
A processor takes (ids so far, logits [V] float32, which it may overwrite) and returns logits [V].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workflows.generate.options import GenerateOptions

Logits = NDArray[np.float32]
Processor = Callable[[Sequence[int], Logits], Logits]
Indices = NDArray[np.intp]
MASKED = np.float32(-np.inf)
NEGLIGIBLE_GAP = np.float32(104)  # a logit this far below the best one has probability 0 in float32
SAMPLE_STRIDE = 16  # every 16th logit is sampled first; fewer than 1 in 16 counts as few
SUM_BLOCK = 512


def repetition_penalty(penalty: float) -> Processor:
    """Divides the positive and multiplies the negative logits of all ids so far (CTRL, Keskar et al. 2019)."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        seen = np.fromiter(ids, np.int64, len(ids))  # repeated ids are written with equal values
        scores = logits[seen]
        logits[seen] = np.where(scores > 0, scores / penalty, scores * penalty)
        return logits

    return process


def temperature(value: float) -> Processor:
    """Divides by the temperature; one so small that float32 would overflow is limited, which is as good as greedy."""
    divisor = np.float32(max(value, 1e-30))
    return lambda ids, logits: np.divide(logits, divisor, out=logits)


def top_k(count: int) -> Processor:
    """Masks every logit below the `count`-th largest; ties with it stay."""
    return lambda ids, logits: logits if count >= len(logits) else mask_except(logits, largest_indices(logits, count))


def top_p(mass: float) -> Processor:
    """Keeps the fewest most probable tokens whose probabilities sum to at least `mass` (Holtzman et al. 2020).

    Of equally probable tokens the last ones, as with a stable sort.
    """

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        if not np.isfinite(best := logits.max()):
            return logits  # check_choice raises
        places = _likely_indices(logits, best)
        weights = _weights(logits if places is None else logits[places], best)
        total = float(weights.sum(dtype=np.float64))
        # all tokens of less weight together are within the mass that is left out
        heavy = np.flatnonzero(weights > (1 - mass) * total / len(logits))
        places = heavy if places is None else places[heavy]
        return mask_except(logits, places if mass == 1 else places[_nucleus(logits[places], best, mass * total)])

    return process


def _nucleus(logits: Logits, best: np.float32, wanted: float) -> Indices:
    """The indices of the fewest largest logits of weight `wanted` together, the last ones among equal logits."""
    ordered = np.sort(logits)[::-1]
    count = min(_cumulative_count(_weights(ordered, best), wanted, "left") + 1, len(ordered))
    least = ordered[count - 1]
    above, equal = np.flatnonzero(logits > least), np.flatnonzero(logits == least)
    return np.concatenate((above, equal[len(equal) + len(above) - count :]))


def min_p(share: float) -> Processor:
    """Masks tokens less probable than `share` times the most probable one."""
    margin = np.float32(np.log(share) - 1e-3) if share else MASKED

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        if not np.isfinite(best := logits.max()):
            return logits
        places = np.flatnonzero(logits >= best + margin)
        return mask_except(logits, places[_weights(logits[places], best) >= np.float32(share)])

    return process


def largest_indices(logits: Logits, count: int) -> Indices:
    """The indices, ascending, of the `count` largest logits and of ties with the last of them; NaN counts as largest.

    The `count`-th largest of a sample is a lower bound of that of all, so that one comparison excludes most logits.
    """
    some = logits[::SAMPLE_STRIDE]
    if count >= len(some):
        return np.flatnonzero(~(logits < np.partition(logits, -count)[-count]))
    places = np.flatnonzero(~(logits < np.partition(some, -count)[-count]))
    near = logits[places]
    chosen: Indices = places[~(near < np.partition(near, -count)[-count])]
    return chosen


def _likely_indices(logits: Logits, best: np.float32) -> Indices | None:
    """The indices of tokens with a probability above 0 beside `best`; None where they are not few."""
    possible = logits >= best - NEGLIGIBLE_GAP
    return np.flatnonzero(possible) if np.count_nonzero(possible) * SAMPLE_STRIDE < len(logits) else None


def _weights(logits: Logits, best: np.float32) -> Logits:
    """Unnormalized probabilities [n], 1 for the logit `best`."""
    weights = np.subtract(logits, best)
    return np.exp(weights, out=weights)


def _cumulative_count(weights: Logits, mass: float, side: Literal["left", "right"]) -> int:
    """How many cumulative sums of `weights` are below `mass` (side `right`: at most `mass`).

    Sums of blocks locate the block first, so that no cumulative sum of all weights is needed.
    """
    ends = np.cumsum(np.add.reduceat(weights, np.arange(0, len(weights), SUM_BLOCK), dtype=np.float64))
    block = int(np.searchsorted(ends, mass, side=side))
    first = block * SUM_BLOCK
    sums = np.cumsum(weights[first : first + SUM_BLOCK], dtype=np.float64) + (ends[block - 1] if block else 0)
    return first + int(np.searchsorted(sums, mass, side=side))


def mask_except(logits: Logits, places: Indices) -> Logits:
    """The logits with all masked except those at `places`."""
    kept = logits[places]
    logits.fill(MASKED)
    logits[places] = kept
    return logits


def compose(chain: Sequence[Processor]) -> Processor:
    """One processor that applies those of `chain` one after another."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        for step in chain:
            logits = step(ids, logits)
        return logits

    return process


def compile_processors(options: GenerateOptions, constraints: Sequence[Processor] | None = None) -> Processor | None:
    """The processor of `options`; None where they have no effect.

    constraints: processors before sampling, repetition penalty included; None for that penalty alone.
    """
    chain = list(constraints or ())
    if constraints is None and options.repetition_penalty != 1:
        chain.append(repetition_penalty(options.repetition_penalty))
    if options.temperature > 0:
        if options.temperature != 1:
            chain.append(temperature(options.temperature))
        if options.top_k:
            chain.append(top_k(options.top_k))
        if options.top_p < 1:
            chain.append(top_p(options.top_p))
        if options.min_p:
            chain.append(min_p(options.min_p))
    return compose(chain) if chain else None


def compile_choice(options: GenerateOptions) -> Callable[[Logits], int]:
    """Chooses a token from processed logits: the largest, or sampled with the options' seed."""
    if options.temperature == 0:
        return lambda logits: int(np.argmax(logits))
    generator = np.random.default_rng(options.seed)

    def draw(logits: Logits) -> int:
        best = logits.max()
        places = _likely_indices(logits, best)
        found = sample_index(_weights(logits if places is None else logits[places], best), generator)
        return found if places is None else int(places[found])

    return draw


def sample_index(weights: Logits, generator: np.random.Generator) -> int:
    """An index sampled in proportion to `weights` [n], with one random number."""
    total = float(weights.sum(dtype=np.float64))
    found = _cumulative_count(weights, generator.random() * total, "right")
    if found >= len(weights) or not weights[found]:  # sums of blocks round differently from the sum of all
        found = int(np.flatnonzero(weights[:found])[-1])
    return found


def log_softmax(logits: Logits) -> Logits:
    """[V] logits → [V] logarithms of the probabilities."""
    shifted = logits - logits.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), np.float32)


def softmax(logits: Logits) -> Logits:
    """[V] logits → [V] probabilities."""
    shifted = np.exp(logits - logits.max())
    return np.asarray(shifted / shifted.sum(), np.float32)
