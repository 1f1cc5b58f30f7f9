"""The one way in which a prompt goes into a machine: read by the encoder where there is one, else in chunks.

    ids ──begin──▶ the tokens that go through the steps ──feed──▶ Fed: a run's tokens and the logits after them

Generation, parity, accuracy and calibration feed by it, so that none of them sees a prompt otherwise than the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from workflows.bundle import Pipeline
from workflows.generate.logits import Logits, last_logits
from workflows.runtime import Machine


@dataclass(frozen=True)
class FedChunk:
    """A run's tokens, the phase that it was of, and the logits [V] after its last token."""

    tokens: Sequence[int]
    phase: Literal["prefill", "decode"]
    logits: Logits


def start_prompt(machine: Machine, pipeline: Pipeline, ids: Sequence[int], prefix: Sequence[int] = ()) -> list[int]:
    """Has an encoder read `ids`; gives the tokens that are to be fed: the decoder's start, or `ids` themselves.

    prefix: what the reply begins with. Raises PromptError for a source that is too long, BundleError where a decoder
    behind an encoder has no token to begin with.
    """
    if not machine.has_source:
        return [*ids, *prefix]
    start = pipeline.decoder_start
    machine.encode(ids)
    return [start, *prefix]


def feed_tokens(machine: Machine, tokens: Sequence[int]) -> Iterator[FedChunk]:
    """Feeds `tokens`, in chunks. Raises LogitsError after a run from whose logits none can be chosen."""
    for chunk, phase in machine.chunks(tokens):
        yield FedChunk(chunk, phase, last_logits(machine, chunk, phase))
