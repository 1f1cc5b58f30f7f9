"""Which of the drafted tokens are taken: one rule each, told the model's own scores for the place.

Every rule but `typical` leaves the distribution of what is generated as it is without drafts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workflows.generate.processors import Logits, sample_index, softmax
from workflows.generate.speculative.draft import Draft

AcceptanceRule = Callable[[Draft, int, Logits], int]
"""(draft, place, scores [V] after the chain) → the token at that place; the draft goes on where it is the drafted one.
A place behind the draft's last token has no drafted one."""


def exact_match(choose: Callable[[Logits], int]) -> AcceptanceRule:
    """The token that is chosen without a draft, and the drafted one where it is the same: exact with any draft."""
    return lambda draft, place, scores: choose(scores)


def rejection_sampling(generator: np.random.Generator) -> AcceptanceRule:
    """Takes a drafted token with min(1, p / q), else draws from max(0, p - q) (Leviathan et al. 2023, section 2.3).

    A draft without probabilities has q = 1 at its tokens.
    """

    def take(draft: Draft, place: int, scores: Logits) -> int:
        wanted = softmax(scores)
        if place >= len(draft):
            return sample_index(wanted, generator)
        token = draft.tokens[place]
        if draft.probabilities is None:
            given = np.zeros_like(wanted)
            given[token] = 1
        else:
            given = draft.probabilities[place]
        if generator.random() * given[token] < wanted[token]:
            return token
        rest = np.maximum(wanted - given, 0)
        return sample_index(rest if rest.any() else wanted, generator)  # p = q but for rounding

    return take


def typical_acceptance(threshold: float, choose: Callable[[Logits], int]) -> AcceptanceRule:
    """Takes a drafted token whose probability is over min(ε, √ε · e^-H), H the entropy (Cai et al. 2024, 2.3.1).

    What is generated then is no longer drawn from the model's distribution. Elsewhere it is chosen as without a draft.
    """

    def take(draft: Draft, place: int, scores: Logits) -> int:
        if place >= len(draft):
            return choose(scores)
        wanted = softmax(scores).astype(np.float64)
        positive = wanted[wanted > 0]
        entropy = -float(np.sum(positive * np.log(positive)))
        token = draft.tokens[place]
        over = wanted[token] > min(threshold, np.sqrt(threshold) * np.exp(-entropy))
        return token if over else choose(scores)

    return take
