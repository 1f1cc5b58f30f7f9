"""The runs that calibration looks at: the composite answers prompts, greedily, as it will when it is used.

    prompt ──encoder──▶ ──prefill──▶ token ──decode──▶ token ──decode──▶ …      each run is one sample

Every component sees what it will see: growing lengths, a cache with something in it, tokens that the model chose. A
one-token graph that sees one repeated token over an empty cache gives a right first token, and garbage after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workflows.generate import Engine
from workflows.generate.logits import run_checked
from workflows.recipe.schema import Calibration


def follow_trajectories(
    engine: Engine,
    prompts: Sequence[Sequence[int]],
    calibration: Calibration,
    tell: Callable[[int], None] = lambda samples: None,
) -> int:
    """Runs `calibration.samples` samples, or fewer where the prompts end before; gives their number.

    prompts: ids; one that leaves no room in the cache for a step is cut. tell: told of the samples so far, and may
    raise Cancelled.
    """
    samples = 0
    for prompt in prompts:
        left = calibration.samples - samples
        if left <= 0:
            break
        samples += _follow(engine, prompt, min(left, calibration.steps + 1 + len(prompt)), calibration.steps)
        tell(samples)
    return samples


def _follow(engine: Engine, prompt: Sequence[int], limit: int, steps: int) -> int:
    """Answers one prompt in at most `limit` runs; gives their number."""
    executor, cache = engine.executor, engine.executor.cache
    engine.reset()
    room = cache.capacity if not cache.layout.evicts else len(prompt) + steps
    ids, runs = list(prompt[: max(1, room - steps)]), 0
    if executor.has_source:
        executor.encode(list(prompt))
        ids, runs = [engine.bundle.pipeline.tokens.decoder_start or 0], 1
    token = 0
    for chunk, phase in executor.chunks(ids):
        token = int(run_checked(executor, chunk, phase).argmax())
        runs += 1
    ends = set(engine.bundle.pipeline.tokens.eos)
    for _ in range(min(steps, room - len(ids))):
        if runs >= limit or token in ends:
            break
        token = int(run_checked(executor, [token], "decode").argmax())
        runs += 1
    return runs
