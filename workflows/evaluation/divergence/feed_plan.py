"""Feeds both machines the same tokens, run by run: the prompt, then the tokens that A generates.

FeedPlan: ids, A's greedy tokens, the runs of both ──run_plan──▶ the values of both after each run
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workflows.common.errors import Cancelled, PromptError, RequestError
from workflows.evaluation.divergence.subject import OpenSubject, Subject
from workflows.generate.prefill import start_prompt
from workflows.generate.tokenizer import BundleTokenizer
from workflows.runtime import Machine
from workflows.wire.events import Phase

Run = tuple[tuple[int, ...], Phase]


@dataclass(frozen=True)
class FeedPlan:
    """ids: the prompt's. tokens: those that A generates after it. chunks: of the prompt. token_by_token: whether the
    prompt is fed so, because no chunk size fits both."""

    ids: tuple[int, ...]
    tokens: tuple[int, ...]
    chunks: tuple[Run, ...]
    token_by_token: bool
    source: bool

    @property
    def runs(self) -> list[str]:
        """The program's runs that take part, in order."""
        phases = dict.fromkeys(phase for _, phase in (*self.chunks, *self._steps))
        return [*(["source"] if self.source else []), *phases]

    @property
    def steps(self) -> list[Run]:
        """All runs with their tokens."""
        return [*self.chunks, *self._steps]

    @property
    def _steps(self) -> list[Run]:
        return [((token,), "decode") for token in self.tokens]


def prompt_ids(subject: Subject, prompt: str | Sequence[int]) -> list[int]:
    """The ids of a text by the subject's tokenizer, or the given ones. Raises PromptError."""
    if isinstance(prompt, str):
        return BundleTokenizer.of_bundle(subject.bundle).encode(prompt, special=True)
    return list(prompt)


def make_feed_plan(opened: tuple[OpenSubject, OpenSubject], ids: Sequence[int], steps: int) -> FeedPlan:
    """Returns the plan. Raises RequestError if the two have different tokens, PromptError for an invalid prompt."""
    _check(opened)
    _check_ids(ids, opened[0].machine.vocabulary)
    machines = [one.machine for one in opened]
    prompts = [start_prompt(one.machine, opened[0].machine.pipeline, ids) for one in opened]
    chunked = _chunks(machines, prompts[0])
    alone = chunked is None
    single: list[Run] = [((token,), "decode") for token in prompts[0]]
    chunks = single if chunked is None else chunked
    tokens = _greedy(opened[0], chunks, steps)
    return FeedPlan(tuple(ids), tuple(tokens), tuple(chunks), alone, machines[0].has_source)


def _chunks(machines: Sequence[Machine], prompt: Sequence[int]) -> list[Run] | None:
    """Returns the runs that read a prompt in both; None if their graphs have different widths."""
    widths = {one.program.prefill.columns for one in machines}
    if len(widths) > 1 or any(one.too_wide for one in machines):
        return None
    if widths == {None}:
        width = min(one.chunk for one in machines)
        return [(tuple(prompt[at : at + width]), "prefill") for at in range(0, len(prompt), width)]
    own: list[list[Run]] = [[(tuple(tokens), phase) for tokens, phase in one.chunks(prompt)] for one in machines]
    return own[0] if own[0] == own[1] else None


def _greedy(opened: OpenSubject, chunks: Sequence[Run], steps: int) -> list[int]:
    """Returns the tokens that A generates; NaN logits are never chosen, because the search has to go on."""
    machine, generated, last = opened.machine, list[int](), 0
    for tokens, phase in chunks:
        last = int(np.argmax(np.nan_to_num(machine.step(tokens, phase)[-1], nan=-np.inf)))
    for _ in range(min(steps, machine.cache.capacity - machine.cache.length)):
        generated.append(last)
        last = int(np.argmax(np.nan_to_num(machine.step([last], "decode")[-1], nan=-np.inf)))
    return generated


def run_plan(opened: tuple[OpenSubject, OpenSubject], plan: FeedPlan, cancelled: Callable[[], bool]) -> Iterator[bool]:
    """Yields after each run, with the values in `seen`, whether the caches were empty before it. Raises Cancelled."""
    for one in opened:
        one.begin(opened[0].pipeline, plan.ids)
    if plan.source:
        yield True
    for number, run in enumerate(plan.steps):
        if cancelled():
            raise Cancelled("The search for the divergence was cancelled.")
        for one in opened:
            one.step(run)
        yield not number


def _check(opened: tuple[OpenSubject, OpenSubject]) -> None:
    machines = [one.machine for one in opened]
    if machines[0].vocabulary != machines[1].vocabulary:
        raise RequestError(
            f"A has {machines[0].vocabulary:,} tokens in its vocabulary and B {machines[1].vocabulary:,}: only bundles "
            "with one vocabulary can be compared."
        )
    if machines[0].has_source != machines[1].has_source:
        raise RequestError("One of the two bundles has an encoder and the other none: they cannot be compared.")


def _check_ids(ids: Sequence[int], vocabulary: int) -> None:
    if not ids:
        raise PromptError("The prompt has no tokens: give a text, or ids.")
    odd = next((one for one in ids if one < 0 or (vocabulary and one >= vocabulary)), None)
    if odd is not None:
        raise PromptError(f"The prompt has the id {odd:,}, and the vocabulary those from 0 to {vocabulary - 1:,}.")
