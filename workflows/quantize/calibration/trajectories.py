"""The runs for calibration: the composite answers prompts greedily, as in use.

    prompt ──encoder──▶ ──prefill──▶ token ──decode──▶ token ──decode──▶ …      each run is one sample

Every component reads realistic inputs: growing lengths, a filled cache, tokens that the model chose. Calibrating a
one-token graph with a repeated token and an empty cache gives a right first token, and garbage after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workflows.generate import Engine
from workflows.generate.logits import last_logits
from workflows.generate.prefill import feed_tokens, start_prompt
from workflows.generate.prompt_sets import evenly_spaced
from workflows.recipe.schema import CalibrationSettings

_READING = 0.75  # of the samples, at most, go to reading prompts


@dataclass(frozen=True)
class CalibrationRuns:
    """The number of observed runs, and of their prompts."""

    samples: int
    prompts: int


def run_trajectories(
    engine: Engine,
    prompts: Sequence[Sequence[int]],
    calibration: CalibrationSettings,
    report: Callable[[int], None] = lambda samples: None,
) -> CalibrationRuns:
    """Runs `calibration.samples` samples, or fewer if the prompts do not suffice.

    All prompts are read; if that would take most of the samples, an evenly spaced selection that leaves a quarter of
    them. The remaining samples are whole answers, evenly spaced too, so that growing lengths occur.
    prompts: ids; one that leaves no capacity for a step is cut. report: called with the number of samples so far; may
    raise Cancelled. Raises BundleError if a decoder behind an encoder has no start token.
    """
    runs = [_reading(engine, prompt) for prompt in prompts]
    mean = sum(runs) / max(1, len(runs))
    chosen = evenly_spaced(prompts, max(1, int(_READING * calibration.samples / max(1.0, mean))))
    left = calibration.samples - sum(_reading(engine, prompt) for prompt in chosen)
    read = answered = 0
    for index, prompt in enumerate(chosen):
        due = answered < left * (index + 1) / len(chosen)
        steps = min(calibration.steps, left - answered) if due else 0
        runs_of_prompt, runs_of_answer = _follow(engine, prompt, steps, calibration.steps)
        read, answered = read + runs_of_prompt, answered + runs_of_answer
        report(read + answered)
    return CalibrationRuns(read + answered, len(chosen))


def _reading(engine: Engine, prompt: Sequence[int]) -> int:
    """Estimates the number of runs to read a prompt: one a chunk, or the encoder's and the decoder's first."""
    return 2 if engine.machine.has_source else max(1, -(-len(prompt) // engine.machine.chunk))


def _follow(engine: Engine, prompt: Sequence[int], steps: int, most: int) -> tuple[int, int]:
    """Reads one prompt and answers it in at most `steps` runs; yields the runs of both, at most `most`."""
    machine, cache = engine.machine, engine.machine.cache
    engine.reset()
    room = cache.longest or len(prompt) + most
    whole = prompt if machine.has_source else prompt[: max(1, room - most)]
    ids, read, answered, token = start_prompt(machine, engine.bundle.pipeline, whole), int(machine.has_source), 0, 0
    for fed in feed_tokens(machine, ids):
        token = int(fed.logits.argmax())
        read += 1
    ends = set(engine.bundle.pipeline.tokens.eos)
    for _ in range(min(steps, room - len(ids))):
        if token in ends:
            break
        token = int(last_logits(machine, [token], "decode").argmax())
        answered += 1
    return read, answered
