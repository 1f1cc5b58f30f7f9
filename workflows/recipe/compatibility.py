"""What a recipe's target makes of its settings, known before minutes are spent on a build.

recipe ──refusals──▶ why the provider cannot have it, which ends the build    ──remarks──▶ what it has badly
"""

from __future__ import annotations

from collections.abc import Iterator

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.recipe.schema import IN_BLOCKS, SCATTER_FROM, Recipe
from workflows.recipe.target import LOWEST, Target, TargetSetting, find_target


def target_refusals(recipe: Recipe) -> list[str]:
    """A sentence for each setting that the target's provider, or the opset, cannot have."""
    found = [
        f"The target {target.name} cannot have {name} {str(value).lower()}: {target.refused[name, value]}"
        f"{_alternative(name, recipe)}."
        for target, (name, value) in _settings(recipe)
        if (name, value) in target.refused
    ]
    target = find_target(recipe.target)
    if recipe.cache == "scatter" and KERNEL_CONSTRAINTS["TensorScatter"].violation(opset=recipe.opset):
        found.append(f"The cache scatter needs opset {SCATTER_FROM}, which brought TensorScatter, not {recipe.opset}.")
    if recipe.opset > target.opset == LOWEST:
        found.append(f"The target {target.name} cannot have opset {recipe.opset}: it is for {target.opset} alone.")
    return found


def _alternative(setting: str, recipe: Recipe) -> str:
    """What to build in the place of a cache; the host writes a static one for every target."""
    if setting != "cache":
        return ""
    return "; build the plain variant" if recipe.variant == "transformer-only" else "; build with --cache static"


def target_remarks(recipe: Recipe) -> list[str]:
    """A sentence for each setting that the target's provider has badly."""
    return list(dict.fromkeys(target.noted[one] for target, one in _settings(recipe) if one in target.noted))


def _settings(recipe: Recipe) -> Iterator[tuple[Target, TargetSetting]]:
    """Those that a target may have a word on, a component's own precision with the target that it is placed on."""
    target, quantize = find_target(recipe.target), recipe.quantize
    yield target, ("cache", recipe.cache)
    yield target, ("graphs", recipe.graphs)
    stored = {one.precision for one in quantize.nodes.values()} - {"fp16"}  # which is computed with in fp32
    yield from ((target, ("precision", precision)) for precision in sorted({recipe.precision, *stored}))
    for component, precision in quantize.components.items():
        yield find_target(recipe.place.get(component, recipe.target)), ("precision", precision)
    if not (recipe.precisions | stored).isdisjoint(IN_BLOCKS):
        yield target, ("quantize.embedding", quantize.embedding)
        yield target, ("quantize.symmetric", quantize.symmetric)
