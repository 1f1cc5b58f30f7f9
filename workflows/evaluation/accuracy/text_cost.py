"""What quantizing cost: next-token distributions of two bundles over a text that no method has read.

    paragraphs "measure", or a demo's held-back questions ──measuring_texts──▶ ids, in an order that may end anywhere
    ids ──both read them in chunks──▶ logits of every position ──▶ top-1, KL, perplexity, until the time is up

Behind an encoder the source is read, and both are fed the answer that the reference gives.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workflows.common.errors import PromptError
from workflows.evaluation.accuracy.compare import BlockPair, aligned_blocks
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.evaluation.accuracy.statistics import Agreement, NextToken, RunningMean, perplexity
from workflows.generate import Engine
from workflows.generate.prompt_sets import DEMO, MEASURING_TEXT, demo_name, demo_questions, encode_prompt, known_texts
from workflows.wire.reports.accuracy import PairedFigure
from workflows.wire.reports.cost import QuantizationCost

LEAST_POSITIONS, MOST_POSITIONS = 256, 1024
_ANSWER = 24  # tokens that a model with an encoder answers a text with


@dataclass(frozen=True)
class MeasuringTexts:
    """Token ids of texts, and where they come from, in words."""

    texts: tuple[tuple[int, ...], ...]
    origin: str


def measuring_texts(engine: Engine) -> MeasuringTexts:
    """The texts that the tokenizer was made for: a demo's held-back questions with their answers, or Joinery's own.

    Raises PromptError with the reason where there are none, as a clause.
    """
    if engine.text.tokenizer is None:
        raise PromptError("the bundle has no tokenizer to read a text with")
    if engine.machine.program.required_inputs:
        raise PromptError("each prompt needs sound or pictures, and the text to measure with has none")
    demo = demo_name(engine.bundle)
    if questions := demo_questions(demo):
        both = ((*encode_prompt(engine, one.text), *_answer(engine, one.expected)) for one in questions)
        return MeasuringTexts(tuple(both), f"{DEMO}{demo}'s held-back questions")
    known = tuple(tuple(engine.encode(text)) for text in known_texts(engine, "measure"))
    if not known:
        raise PromptError("the tokenizer knows none of the texts to measure with")
    return MeasuringTexts(known, MEASURING_TEXT)


def _answer(engine: Engine, text: str) -> list[int]:
    """The tokens of an answer; none where an encoder reads the question alone."""
    return [] if engine.machine.has_source else engine.text.encode(text, special=False)


def measure_cost(
    reference: ComparedBundle,
    candidate: ComparedBundle,
    chosen: MeasuringTexts,
    seconds: float,
    on_positions: Callable[[int], None] = lambda positions: None,
) -> QuantizationCost:
    """Compares over MOST_POSITIONS positions, or fewer: after `seconds` no text is begun beyond LEAST_POSITIONS.

    on_positions: called with the number so far; may raise Cancelled. Raises LogitsError for logits that are no numbers.
    """
    began = time.monotonic()
    agreement, sums = Agreement(overlaps=False), (RunningMean(), RunningMean())
    for ids in chosen.texts:
        on_positions(agreement.positions)
        late = time.monotonic() - began > seconds
        if agreement.positions >= (LEAST_POSITIONS if late else MOST_POSITIONS):
            break
        for pair, following in _positions(reference, candidate, ids[: min(reference.room, candidate.room)]):
            for rows in zip(pair[0].logits, pair[1].logits, following, strict=False):
                one, other = NextToken(rows[0]), NextToken(rows[1])
                agreement.add(one, other)
                sums[0].add(one.surprise(rows[2]))
                sums[1].add(other.surprise(rows[2]))
    return QuantizationCost(
        positions=agreement.positions,
        top1_agreement=_rounded(agreement.top1.mean),
        kl_mean=_rounded(agreement.kl.mean),
        perplexity=PairedFigure(*(_rounded(perplexity(one)) for one in sums)),
        text=chosen.origin,
    )


def _positions(
    reference: ComparedBundle, candidate: ComparedBundle, ids: Sequence[int]
) -> Iterator[tuple[BlockPair, Sequence[int]]]:
    """Yields the same positions of both, and the token after each."""
    at = 0
    if reference.has_source:
        following: Sequence[int] = reference.greedy(ids, min(_ANSWER, reference.room), lambda: False)
        blocks = aligned_blocks(reference.follow(ids, following), candidate.follow(ids, following))
    else:
        following = ids[1:]
        blocks = aligned_blocks(reference.read(ids), candidate.read(ids))
    for pair in blocks:
        yield pair, following[at : at + len(pair[0])]
        at += len(pair[0])


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 9)
