"""Architecture families: how each is divided into components, and which cache layouts it supports.

The list below is the registry; the order of imports does not matter.
"""

from workflows.recipe.families.base import Family, FamilyRegistry
from workflows.recipe.families.decoder import DECODER
from workflows.recipe.families.encoder_decoder import BART, MU, T5
from workflows.recipe.families.qwen3 import QWEN3
from workflows.recipe.families.single_graph import DEPTH, ENCODER, IMAGE

FAMILIES = FamilyRegistry([QWEN3, T5, BART, MU, ENCODER, IMAGE, DEPTH, DECODER])


def family_for(model_type: str, task: str | None = None) -> Family:
    """The family that builds `model_type` for `task`. Raises RecipeError that lists the families."""
    return FAMILIES.find(model_type, task)


def tasks_of(model_type: str) -> tuple[str, ...]:
    """The tasks for which `model_type` can be built, the default first. Raises RecipeError like family_for."""
    return FAMILIES.find(model_type).tasks


__all__ = ["FAMILIES", "Family", "FamilyRegistry", "family_for", "tasks_of"]
