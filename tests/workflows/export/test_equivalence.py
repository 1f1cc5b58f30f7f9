"""How far a model is compared with itself through a cache, however many weights it has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from workflows.common.errors import RecipeError
from workflows.export import equivalence as checking
from workflows.export.attention import LayerFacts
from workflows.export.equivalence import check_layers, comparison_tokens
from workflows.recipe.schema import Recipe


def recipe(**changes: Any) -> Recipe:
    settings = {"source": "x", "model_type": "llama", "family": "decoder-only", "task": "text-generation"}
    return Recipe.model_validate(settings | changes)


def model(weights: int, heads: int = 32, **config: Any) -> Any:
    """What comparison_tokens asks of a model; weights: as many as it says that it has, none of them in memory."""
    said = {"num_attention_heads": heads, **config}
    config = SimpleNamespace(get_text_config=lambda: SimpleNamespace(**said, to_dict=lambda: said))
    return SimpleNamespace(config=config, parameters=lambda: [torch.empty(weights, device="meta")])


def layers(*windows: int | None) -> tuple[LayerFacts, ...]:
    return tuple(LayerFacts(2, 16, 16, window) for window in windows)


SMALL, LARGE = 1_000_000, 70_000_000_000


@pytest.mark.parametrize("weights", [SMALL, LARGE])
@pytest.mark.parametrize(
    ("changes", "windows", "config", "count"),
    [
        ({}, [None], {}, 80),
        ({"cache": "gqa", "chunk": 128}, [None], {}, 80),
        ({"graphs": "prefill-decode", "chunk": 128}, [None], {}, 144),
        ({"graphs": "prefill-decode", "chunk": 512, "capacity": 520}, [None], {}, 520),
        ({}, [None, 24], {}, 80),
        ({}, [512, None], {}, 528),
        ({}, [1024], {"layer_types": ["sliding_attention"]}, 1040),
        ({}, [4090], {}, 4096),
        ({}, [4096], {}, 80),
        ({"capacity": 20, "chunk": 20}, [512], {}, 20),
        ({}, [None], {"sliding_window": 700}, 716),
        ({}, [None], {"sliding_window": 700, "layer_types": ["full_attention"]}, None),
    ],
)
def test_every_model_is_compared_past_its_chunk_and_windows(
    weights: int, changes: dict[str, Any], windows: list[int | None], config: dict[str, Any], count: int | None
) -> None:
    """None: a window that no layer has is a number like others, which large models are not compared past."""
    wanted = count or (716 if weights == SMALL else 80)
    assert comparison_tokens(model(weights, **config), layers(*windows), recipe(**changes)) == wanted


def test_other_lengths_are_for_models_of_which_they_cost_seconds() -> None:
    found = model(SMALL, original_max_position_embeddings=900), model(LARGE, original_max_position_embeddings=900)
    assert [comparison_tokens(one, layers(None), recipe()) for one in found] == [916, 80]


def test_beyond_memory_a_window_is_refused_by_name_where_no_layer_was_seen_to_have_it() -> None:
    large = model(SMALL, heads=128, sliding_window=30_000)
    wide = recipe(capacity=40_000)
    count = comparison_tokens(large, layers(None), wide)
    assert count == 80
    with pytest.raises(
        RecipeError, match=r"30,000\) that was not detected in any layer.*: build with --capacity 30000"
    ):
        checking._check_named_windows(large, layers(None), wide, count)


def test_a_large_model_takes_many_steps_to_the_end_and_the_others_as_far_as_is_cheap() -> None:
    few, two, many = checking._step_plans(layers(512), 528, 80, 12)
    assert (few, two) == ([80], [40, 80]) and many[0] == 257 and many[-9:] == list(range(520, 529))
    assert checking._step_plans(layers(None), 80, 1000, 12)[:2] == [[80], [40, 80]]


@pytest.mark.parametrize(("sizes", "why"), [
    ((16, 16), ""),
    ((12, 12), "GroupQueryAttention takes heads of a multiple of 8, and this model's have 12: build with"),
    ((16, 24), "takes keys and values of one size alone, not 16 and 24: build with"),
])  # fmt: skip
def test_a_layer_with_other_heads_than_the_first_is_seen(sizes: tuple[int, int], why: str) -> None:
    mixed = (LayerFacts(2, 16, 16, None), LayerFacts(2, *sizes, None))
    for cache in ("static", "window", "scatter"):
        check_layers(mixed, cache)
    if not why:
        check_layers(mixed, "gqa")
        return
    with pytest.raises(RecipeError, match=f"The gqa cache is not right for this model, for .*{why} --cache static"):
        check_layers(mixed, "gqa")


def test_a_quick_check_has_one_way_and_one_single_token() -> None:
    assert checking._step_plans(layers(None), 80, 1000, 1)[-1] == [41, 79, 80]
