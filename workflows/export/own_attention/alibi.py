"""ALiBi (Press et al. 2022): a bias that falls with the distance between query and key, with a slope for each head.

Slots are positions (`key_positions`), so it needs a left-aligned cache.
"""

from __future__ import annotations

import math

import torch

from workflows.export.attention import current_adapter


def alibi_positions(sequence: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The positions of the queries [S,1] and of the keys [1,T] in a step of `sequence` tokens."""
    cache = current_adapter()
    return (torch.arange(sequence) + cache.get_seq_length())[:, None], cache.key_positions(sequence)[None]


def alibi_bias(slopes: torch.Tensor, sequence: int) -> torch.Tensor:
    """[1,H,S,T] of slopes [H]. Models may add it by key positions alone, which differs by a constant for each query.

    A softmax does not depend on that constant, and half precision cannot represent far positions. Call it in a layer:
    before the first one, a model of stand-ins does not know the cache yet.
    """
    queries, keys = alibi_positions(sequence)
    return slopes[None, :, None, None] * (keys - queries)


def bloom_slopes(heads: int) -> torch.Tensor:
    """[H], as BLOOM and Falcon compute them, also where the number of heads is no power of two."""
    whole = 2 ** math.floor(math.log2(heads))
    between = [_slope(2 * whole, 2 * i + 1) for i in range(heads - whole)]
    return torch.tensor([_slope(whole, i + 1) for i in range(whole)] + between)


def _slope(heads: int, number: int) -> float:
    """Slope `number`, from 1, of a power of two of heads."""
    return float(2 ** (-8 * number / heads))
