"""The first layers of a causal LM with its norm and head: what drafts for the whole of it, over the same parameters.

embeddings ─ layer 0 … L-1 ─ norm ─ head ──▶ a graph of its own, whose weights are among the whole model's
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from workflows.common.errors import RecipeError
from workflows.export.attention import LayerFacts
from workflows.export.decoder import causal_layers
from workflows.export.equivalence import check_causal
from workflows.export.layer_kinds import find_layer_list
from workflows.recipe.schema import Recipe

Made = TypeVar("Made")
_REFUSED = "early_exit cannot be had from this model: "


def check_early_exit(model: Any, layers: Sequence[LayerFacts], recipe: Recipe) -> tuple[LayerFacts, ...]:
    """The attention layers of the model that ends after `recipe.early_exit` of its `layers`; none where it is not set.

    Raises RecipeError where there is no such model, or it is another with a cache than without.
    """
    if recipe.early_exit is None:
        return ()

    def look() -> tuple[LayerFacts, ...]:
        found = causal_layers(model)
        if len(found) != recipe.early_exit:
            raise RecipeError(f"{_REFUSED}of its first {recipe.early_exit} layers {len(found)} keep keys and values.")
        check_causal(model, found, recipe)
        return found

    return with_first_layers(model, len(layers), recipe.early_exit, look)


def with_first_layers(model: Any, layers: int, count: int, make: Callable[[], Made]) -> Made:
    """What `make` gives while the model, which has `layers`, has its first `count` alone."""
    with _ended_early(model, layers, count):
        return make()


@contextmanager
def _ended_early(model: Any, layers: int, count: int) -> Iterator[None]:
    name = find_layer_list(model, layers)
    if name is None:
        raise RecipeError(f"{_REFUSED}its {layers} layers stand in no list that could be shortened.")
    whole = model.get_submodule(name)
    model.set_submodule(name, whole[:count])
    try:
        yield
    finally:
        model.set_submodule(name, whole)
