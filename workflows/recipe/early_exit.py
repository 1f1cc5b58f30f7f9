"""Preconditions of early_exit: layers to skip, runs of any length, and weights without calibration."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.recipe.cut import ComponentRole
from workflows.recipe.families.base import Family, ModelGeometry
from workflows.recipe.schema import Recipe
from workflows.recipe.target import find_target

_CALIBRATED = ("w8a16", "w8a8")  # calibrated on the whole model's activations, in which the draft does not take part


def early_exit_refusals(recipe: Recipe, family: Family, geometry: ModelGeometry | None) -> Iterator[str]:
    """Yields a sentence for each reason why the first layers cannot draft."""
    if recipe.early_exit is None:
        return
    if geometry is None or family.encoder or family.remote_code:
        yield f"early_exit drafts with the first layers of a decoder without an encoder, which {family.name} is not."
        return
    if recipe.early_exit >= geometry.layers:
        yield f"early_exit {recipe.early_exit} skips none of the model's {geometry.layers} layers: choose fewer."
    if find_target(recipe.target).fixed:
        yield f"early_exit drafts in runs of any length, and the target {recipe.target} takes fixed shapes alone."
    if recipe.passes.get("last_token_logits"):
        yield "early_exit drafts several tokens, and last_token_logits gives the logits of one: switch one of them off."
    if recipe.precision_of(ComponentRole.DRAFT) in _CALIBRATED:
        yield (
            f"early_exit does not support {recipe.precision_of(ComponentRole.DRAFT)}, which is calibrated with the "
            "whole model: choose another precision for the draft, such as --set quantize.components.draft=int8."
        )
