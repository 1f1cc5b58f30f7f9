"""Feeds a prompt to a machine: through the encoder where there is one, else in chunks.

    ids ──start_prompt──▶ the decoder's tokens ──feed_tokens──▶ FedChunk: a run's tokens and the logits after them

Generation, parity, accuracy and calibration all use it, so that they feed prompts alike. What measures a text wants the
logits after each of its tokens: feed_rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from workflows.bundle import Pipeline
from workflows.generate.logits import Logits, all_logits, last_logits
from workflows.runtime import Machine
from workflows.runtime.execution.example_source import read_example

_MOST_BYTES = 1 << 26  # of the logits of one run, where the graphs take runs of any width


@dataclass(frozen=True)
class FedChunk:
    """A run's tokens, its phase, and the logits [V] after its last token."""

    tokens: Sequence[int]
    phase: Literal["prefill", "decode"]
    logits: Logits


def start_prompt(machine: Machine, pipeline: Pipeline, ids: Sequence[int], prefix: Sequence[int] = ()) -> list[int]:
    """Encodes `ids` where there is an encoder, and returns the tokens to feed: the decoder's start, or `ids`.

    A model that listens is given noise: what it hears makes no difference to those who compare graphs or measure them.
    prefix: ids that the reply begins with. Raises PromptError for a source that is too long, BundleError where a
    decoder behind an encoder has no start token.
    """
    if not machine.has_source:
        read_example(machine)
        return [*ids, *prefix]
    start = pipeline.decoder_start
    machine.encode(ids)
    return [start, *prefix]


def feed_tokens(machine: Machine, tokens: Sequence[int]) -> Iterator[FedChunk]:
    """Feeds `tokens` in chunks. Raises LogitsError after a run whose logits are not finite."""
    for chunk, phase in machine.chunks(tokens):
        yield FedChunk(chunk, phase, last_logits(machine, chunk, phase))


def feed_rows(machine: Machine, tokens: Sequence[int]) -> Iterator[Logits]:
    """Feeds `tokens` in chunks; yields the logits [n, V] after each token of a run, which the next run overwrites.

    A chunk goes token by token where its phase gives the logits of the last token alone. Raises what all_logits raises.
    """
    for chunk, phase in machine.chunks(tokens):
        run = machine.program.runs[phase]
        if len(chunk) > 1 and not run.gives_rows:
            yield from (all_logits(machine, (token,), "decode") for token in chunk)
            continue
        count = len(chunk) if run.columns or run.features else max(1, _MOST_BYTES // (4 * max(1, machine.vocabulary)))
        for start in range(0, len(chunk), count):
            yield all_logits(machine, chunk[start : start + count], phase)
