"""Rules that accept or reject drafted tokens, given the model's logits at their place.

Every rule except `typical_acceptance` keeps the distribution of the generated text unchanged.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workflows.generate.processors import Logits, sample_index, softmax
from workflows.generate.speculative.draft import Draft

AcceptanceRule = Callable[[Draft, int, Logits], int]
"""(draft, place, processed logits [V]) → the token at that place; the draft continues where it is the drafted token.
The place after the draft's last token has no drafted one."""


def exact_match(choose: Callable[[Logits], int]) -> AcceptanceRule:
    """Accepts a drafted token only where it is the token chosen without a draft: exact with any draft."""
    return lambda draft, place, scores: choose(scores)


def rejection_sampling(generator: np.random.Generator) -> AcceptanceRule:
    """Accepts a drafted token with probability min(1, p / q), else samples from max(0, p - q) (Leviathan et al. 2023,
    section 2.3).

    A draft without probabilities has q = 1 at its tokens.
    """

    def take(draft: Draft, place: int, scores: Logits) -> int:
        wanted = softmax(scores)
        if place >= len(draft):
            return sample_index(wanted, generator)
        token = draft.tokens[place]
        if draft.probabilities is None:
            proposed = np.zeros_like(wanted)
            proposed[token] = 1
        else:
            proposed = draft.probabilities[place]
        if generator.random() * proposed[token] < wanted[token]:
            return token
        rest = np.maximum(wanted - proposed, 0)
        return sample_index(rest if rest.any() else wanted, generator)  # p = q except for rounding

    return take


def typical_acceptance(threshold: float, choose: Callable[[Logits], int]) -> AcceptanceRule:
    """Accepts a drafted token whose probability exceeds min(ε, √ε · e^-H), H the entropy (Cai et al. 2024, 2.3.1).

    The generated text then no longer follows the model's distribution. A rejected token is replaced by `choose`.
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
