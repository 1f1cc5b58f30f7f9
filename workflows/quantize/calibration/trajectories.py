"""The runs that calibration looks at: the composite answers prompts, greedily, as it will when it is used.

    prompt ──encoder──▶ ──prefill──▶ token ──decode──▶ token ──decode──▶ …      each run is one sample

Every component sees what it will see: growing lengths, a cache with something in it, tokens that the model chose. A
one-token graph that sees one repeated token over an empty cache gives a right first token, and garbage after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workflows.generate import Engine
from workflows.quantize.accuracy.prompts import spread
from workflows.recipe.schema import Calibration


@dataclass(frozen=True)
class Followed:
    """How many runs were looked at, and of how many prompts."""

    samples: int
    prompts: int


def follow_trajectories(
    engine: Engine,
    prompts: Sequence[Sequence[int]],
    calibration: Calibration,
    tell: Callable[[int], None] = lambda samples: None,
) -> Followed:
    """Runs `calibration.samples` samples, or fewer where the prompts end before.

    The samples are spread over all prompts: each gets its share of what is left, and what one does not use, for its
    answer is short, goes to those after it. Where there are fewer samples than the prompts take, it is as many prompts
    as that, evenly spaced.
    prompts: ids; one that leaves no room in the cache for a step is cut. tell: told of the samples so far, and may
    raise Cancelled. Raises BundleError where a decoder behind an encoder has no token to begin with.
    """
    chosen = spread(prompts, _affordable(engine, prompts, calibration.samples))
    samples = reached = 0
    for index, prompt in enumerate(chosen):
        left = calibration.samples - samples
        if left <= 0:
            break
        share = -(-left // (len(chosen) - index))
        samples += _follow(engine, prompt, share, calibration.steps)
        reached += 1
        tell(samples)
    return Followed(samples, reached)


def _affordable(engine: Engine, prompts: Sequence[Sequence[int]], samples: int) -> int:
    """How many prompts `samples` runs can read, each with a token after it: a run a chunk, and one for the token."""
    source = engine.executor.has_source
    runs = [3 if source else -(-len(prompt) // engine.executor.chunk) + 1 for prompt in prompts]
    mean = sum(runs) / max(1, len(runs))
    return max(1, min(len(prompts), int(samples / mean)))


def _follow(engine: Engine, prompt: Sequence[int], limit: int, steps: int) -> int:
    """Answers one prompt in `limit` runs, or in as many as its prompt takes; gives their number."""
    executor, cache = engine.executor, engine.executor.cache
    engine.reset()
    room = cache.capacity if not cache.layout.evicts else len(prompt) + steps
    ids, runs = list(prompt[: max(1, room - steps)]), 0
    if executor.has_source:
        executor.encode(list(prompt))
        ids, runs = [engine.bundle.pipeline.decoder_start], 1
    token = 0
    for chunk, phase in executor.chunks(ids):
        token = int(executor.run(chunk, phase).argmax())
        runs += 1
    ends = set(engine.bundle.pipeline.tokens.eos)
    for _ in range(min(steps, room - len(ids))):
        if runs >= limit or token in ends:
            break
        token = int(executor.run([token], "decode").argmax())
        runs += 1
    return runs
