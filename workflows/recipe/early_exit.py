"""What early_exit needs: layers to leave out, runs of any length, and weights that need no calibration."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.recipe.cut import ComponentRole
from workflows.recipe.families.base import Family, ModelGeometry
from workflows.recipe.schema import Recipe
from workflows.recipe.target import find_target

_CALIBRATED = ("w8a16", "w8a8")  # on what the whole model sees, which the draft has no part in


def early_exit_refusals(recipe: Recipe, family: Family, geometry: ModelGeometry | None) -> Iterator[str]:
    """A sentence for each reason why the first layers cannot draft."""
    if recipe.early_exit is None:
        return
    if geometry is None or family.encoder or family.remote_code:
        yield f"early_exit drafts with the first layers of a decoder without an encoder, and {family.name} is none."
        return
    if recipe.early_exit >= geometry.layers:
        yield f"early_exit {recipe.early_exit} leaves out none of the model's {geometry.layers} layers: ask for fewer."
    if find_target(recipe.target).fixed:
        yield f"early_exit drafts in runs of any length, and the target {recipe.target} takes fixed shapes alone."
    if recipe.passes.get("last_token_logits"):
        yield "early_exit drafts several tokens, and last_token_logits gives the logits of one: switch one of them off."
    if recipe.precision_of(ComponentRole.DRAFT) in _CALIBRATED:
        yield (
            f"early_exit cannot have {recipe.precision_of(ComponentRole.DRAFT)}, which is calibrated on what the "
            f"whole model "
            "does: give the draft another precision, as --set quantize.components.draft=int8."
        )
