"""Blocks of tokens that attend to each other are fed whole, and their masks go in both directions."""

from __future__ import annotations

import numpy as np
import pytest

from workflows.common.tensors import TensorSpec
from workflows.kvcache.cache_inputs import StepTokens
from workflows.kvcache.slot_table import CacheGroup
from workflows.kvcache.token_blocks import Mutual, TokenBlocks

IDS = [5, 9, 9, 9, 5, 5, 9, 9, 5]


@pytest.mark.parametrize(("start", "wanted", "taken"), [
    (0, 1, 1), (0, 2, 1), (0, 3, 1), (0, 4, 4), (0, 7, 6), (0, 8, 8), (0, 9, 9), (0, 20, 20), (1, 1, 3), (1, 2, 3),
    (1, 3, 3), (4, 2, 2), (4, 3, 2), (6, 1, 2), (8, 1, 1), (9, 1, 1),
])  # fmt: skip
def test_no_block_is_divided(start: int, wanted: int, taken: int) -> None:
    assert TokenBlocks(IDS, 9).undivided(start, wanted) == taken


def test_one_at_either_end() -> None:
    blocks = TokenBlocks([9, 9, 5, 9], 9)
    assert (blocks.undivided(0, 1), blocks.undivided(2, 1), blocks.undivided(3, 5)) == (2, 1, 5)
    assert TokenBlocks([], 9).undivided(0, 4) == 4


def test_a_whole_prompt_is_one_block() -> None:
    """Its tokens attend to all others, also to those before a window; what follows attends to none ahead."""
    blocks = TokenBlocks([5, 9, 5], 9, "prompt")
    assert blocks.is_whole and [blocks.undivided(0, wanted) for wanted in (1, 2, 3, 4)] == [3, 3, 3, 4]
    ahead = blocks.ahead(np.arange(4))
    assert ahead is not None and ahead.tolist() == [[True] * 3 + [False]] * 3 + [[False] * 4]
    assert blocks.ahead(np.arange(3, 4)) is None


@pytest.mark.parametrize(("mutual", "window", "seen"), [
    ("pictures", None, 3), ("pictures", 2, 3), ("windows", None, 0), ("windows", 2, 3),
])  # fmt: skip
def test_layers_without_a_window_may_be_causal(mutual: Mutual, window: int | None, seen: int) -> None:
    """Gemma 4's; the keys are those of three places of one picture."""
    blocks, places = TokenBlocks([9, 9, 9], 9, mutual), np.arange(3)
    fed = StepTokens(
        [9, 9, 9],
        places,
        places,
        3,
        slice(0, 3),
        "append",
        ahead=blocks.ahead(places),
        ahead_in_windows=blocks.in_windows,
    )
    spec = TensorSpec("attention_mask", (1, 1, "sequence", "total"), "float32")
    group = CacheGroup("all", "attention_mask", (0,), window)
    mask = fed.mask(spec, np.zeros(0, np.int64), group)
    assert (np.triu(mask[0, 0] == 0, 1).sum(), (mask[0, 0] == 0).diagonal().all()) == (seen, True)


def test_places_attend_to_later_ones_of_their_block() -> None:
    ahead = TokenBlocks(IDS, 9).ahead(np.arange(9))
    assert ahead is not None
    assert np.argwhere(ahead).tolist() == [[1, 2], [1, 3], [2, 3], [6, 7]]
    part = TokenBlocks(IDS, 9).ahead(np.arange(4, 12))
    assert part is not None and np.argwhere(part).tolist() == [[2, 3]]
    assert TokenBlocks(IDS, 9).ahead(np.arange(4, 6)) is None
    assert TokenBlocks(IDS, 9).ahead(np.arange(9, 12)) is None
