"""Two example controllers, entry points of this distribution; they need the person's consent like any other."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from workflows.common.errors import RequestError
from workflows.generate.controller import StepContext
from workflows.generate.speculative.near_ties import NearTies


def greedy(context: StepContext) -> Iterator[None]:
    """The token with the largest logit, one per run, like the engine without a controller."""
    while True:
        context.append(int(np.argmax(context.logits())))
        yield


def jacobi(context: StepContext) -> Iterator[None]:
    """Greedy tokens, several per run, by Jacobi iteration over guesses (Santilli et al. 2023).

    One run verifies all guesses; each is replaced by the model's own token, and the correct ones at the front are
    final. config: `{"guesses": n}`, 4 by default.
    """
    count = _guesses(context.config)
    guesses, ties = [context.ids[-1]] * count, NearTies(context.rounds)
    while True:
        rows = context.forward(guesses)
        guesses = guesses[: len(rows) - 1]
        for place, row in enumerate(rows):
            scores = context.score(row)
            near = len(rows) > 1 and ties.is_near(scores)  # a run of several tokens rounds differently
            if near:
                alone = context.logits()
                ties.note(scores, alone)
                scores = alone
            context.append(int(np.argmax(scores)))
            if near or context.ids[-1] in context.ends or guesses[place : place + 1] != context.ids[-1:]:
                break
        chosen = [int(token) for token in rows[place + 1 :].argmax(axis=1)]
        guesses = (chosen + [context.ids[-1]] * count)[:count]
        yield


def _guesses(config: str) -> int:
    try:
        count = json.loads(config)["guesses"] if config else 4
    except (ValueError, TypeError, KeyError):
        count = None
    if not isinstance(count, int) or not 1 <= count <= 16:
        raise RequestError('The controller jacobi takes a config {"guesses": n} with n from 1 to 16.')
    return count
