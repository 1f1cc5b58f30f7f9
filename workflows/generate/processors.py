"""Logits processors: composed once from the options, called once a token.

The order and the formulas are those of transformers: repetition penalty, temperature, top-k, top-p, min-p.
A processor takes (ids so far, logits [V] float32, its own to change) and returns logits [V].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.generate.options import GenerateOptions

Logits = NDArray[np.float32]
Processor = Callable[[Sequence[int], Logits], Logits]
REMOVED = np.float32(-np.inf)


def repetition_penalty(penalty: float) -> Processor:
    """Divides the positive and multiplies the negative logits of every id that occurred (CTRL, Keskar et al. 2019)."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        seen = np.unique(np.asarray(ids, np.int64))
        scores = logits[seen]
        logits[seen] = np.where(scores > 0, scores / penalty, scores * penalty)
        return logits

    return process


def temperature(value: float) -> Processor:
    """Divides by the temperature; one that float32 would overflow with is as good as greedy, and stays finite."""
    divisor = np.float32(max(value, 1e-30))
    return lambda ids, logits: logits / divisor


def top_k(count: int) -> Processor:
    """Removes every logit below the `count`-th largest; ties with it stay."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        kept = min(count, len(logits))
        threshold = np.partition(logits, -kept)[-kept]
        return np.where(logits < threshold, REMOVED, logits)

    return process


def top_p(mass: float) -> Processor:
    """Keeps the fewest most probable tokens whose probabilities sum to at least `mass` (Holtzman et al. 2020)."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        order = np.argsort(logits, kind="stable")  # ascending, as transformers sorts
        cumulative = np.cumsum(softmax(logits[order]))
        removed = cumulative <= 1 - mass
        removed[-1] = False
        logits = logits.copy()
        logits[order[removed]] = REMOVED
        return logits

    return process


def min_p(share: float) -> Processor:
    """Removes tokens less probable than `share` of the most probable one."""

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        probabilities = softmax(logits)
        return np.where(probabilities < share * probabilities.max(), REMOVED, logits)

    return process


def compile_processors(options: GenerateOptions, constraints: Sequence[Processor] | None = None) -> Processor | None:
    """The chain that `options` asks for; None where nothing was asked for.

    constraints: what comes before sampling, the repetition penalty included; None is that penalty alone.
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

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        for step in chain:
            logits = step(ids, logits)
        return logits

    return process if chain else None


def compile_choice(options: GenerateOptions) -> Callable[[Logits], int]:
    """How a token is taken from the processed logits: the largest, or drawn with the options' seed."""
    if options.temperature == 0:
        return lambda logits: int(np.argmax(logits))
    generator = np.random.default_rng(options.seed)

    def draw(logits: Logits) -> int:
        cumulative = np.cumsum(softmax(logits), dtype=np.float64)
        return int(np.searchsorted(cumulative, generator.random() * cumulative[-1], side="right"))

    return draw


def softmax(logits: Logits) -> Logits:
    """[V] logits → [V] probabilities."""
    shifted = np.exp(logits - logits.max())
    return np.asarray(shifted / shifted.sum(), np.float32)
