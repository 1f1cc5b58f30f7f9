"""The draft of early_exit: the first layers of a causal LM with its norm and head, over the same parameters.

embeddings ─ layer 0 … L-1 ─ norm ─ head ──▶ a separate graph whose weights are shared with the whole model
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from transformers import PreTrainedModel

from workflows.common.errors import RecipeError
from workflows.export.attention import LayerFacts
from workflows.export.decoder import causal_layers
from workflows.export.equivalence import check_causal
from workflows.export.layer_kinds import find_layer_list
from workflows.export.stand_ins import StandIns
from workflows.recipe.schema import Recipe

Made = TypeVar("Made")
_REFUSED = "This model does not support early_exit: "


def check_early_exit(
    model: PreTrainedModel, layers: Sequence[LayerFacts], recipe: Recipe, stand_ins: StandIns | None = None
) -> tuple[LayerFacts, ...]:
    """The attention layers of the model truncated to `recipe.early_exit` of its `layers`; () if it is not set.

    stand_ins: as in check_causal. Raises RecipeError where the model cannot be truncated, or the truncated model
    differs with a cache.
    """
    if recipe.early_exit is None:
        return ()
    if any(layer.states for layer in layers):
        raise RecipeError(f"{_REFUSED}its state cannot go back by a few tokens, as it must after a wrong draft.")

    def detect() -> tuple[LayerFacts, ...]:
        truncated = causal_layers(model)
        if len(truncated) != recipe.early_exit:
            raise RecipeError(
                f"{_REFUSED}of its first {recipe.early_exit} layers {len(truncated)} keep keys and values."
            )
        check_causal(model, truncated, recipe, stand_ins)
        return truncated

    return with_first_layers(model, len(layers), recipe.early_exit, detect)


def with_first_layers(model: PreTrainedModel, layers: int, count: int, make: Callable[[], Made]) -> Made:
    """Returns the result of `make` while the model, which has `layers`, is truncated to its first `count`."""
    name = find_layer_list(model, layers)
    if name is None:
        raise RecipeError(f"{_REFUSED}its {layers} layers are not in a ModuleList that can be truncated.")
    whole = model.get_submodule(name)
    model.set_submodule(name, whole[:count])
    try:
        return make()
    finally:
        model.set_submodule(name, whole)
