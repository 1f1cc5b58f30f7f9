"""Detects the attention window of a layer from the mask rule that its model passes to transformers.

rule(batch, head, query, key) -> bool   evaluated for queries near and far ──▶ causal, a window, or refused
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import torch

from workflows.common.errors import RecipeError
from workflows.recipe.family import UNLIMITED

MaskRule = Callable[..., torch.Tensor]

_QUERIES = (0, 1, 2, 77, 4097, UNLIMITED // 2 + 1, UNLIMITED - 2, UNLIMITED - 1)  # positions


@lru_cache(maxsize=4)  # many layers share a rule
def window_of(rule: MaskRule) -> int | None:
    """How many positions back a token attends by `rule`, itself included; None for all.

    Raises RecipeError for a rule that is not a causal band: blocks, chunks, prefixes, or later tokens.
    """
    queries, keys = torch.tensor(_QUERIES)[:, None], torch.arange(UNLIMITED)[None]
    first = torch.zeros(1, 1, dtype=torch.long)
    seen = torch.as_tensor(rule(first, first, queries, keys)).expand(len(_QUERIES), UNLIMITED)
    back = queries - keys
    if bool((seen & (back < 0)).any()):
        raise RecipeError(
            "This model's tokens attend to later tokens, so keys and values cannot be cached: it cannot be built "
            "as a model that generates."
        )
    window = int(seen[-1].sum())
    if window == 0:
        raise RecipeError(
            "By its mask a token of this model attends to no token, not even itself: config.json has a sliding "
            "window without a size, so correct the file."
        )
    if not torch.equal(seen, (back >= 0) & (back < window)):
        raise RecipeError(
            "This model's mask is neither causal nor a sliding window, which no cache layout supports: it cannot "
            "be built."
        )
    return window if window < UNLIMITED else None


def is_part_of(view: torch.Tensor, whole: torch.Tensor) -> bool:
    """Whether `view` is `whole` or a slice of it."""
    return _storage(view) is _storage(whole)


def _storage(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor._base is None else tensor._base
