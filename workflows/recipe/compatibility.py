"""Checks a recipe against its target before the build.

recipe ──target_refusals──▶ unsupported settings, which end the build    ──target_remarks──▶ settings with a drawback
"""

from __future__ import annotations

from collections.abc import Iterator

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.recipe.schema import IN_BLOCKS, SCATTER_FROM, Recipe
from workflows.recipe.target import LOWEST, Target, TargetSetting, find_target


def target_refusals(recipe: Recipe) -> list[str]:
    """A sentence for each setting that the target's provider, or the opset, does not support."""
    refusals = [
        f"The target {target.name} does not support {name} {str(value).lower()}: "
        f"{target.refused[name, value]}{_alternative(name, recipe)}."
        for target, (name, value) in _settings(recipe)
        if (name, value) in target.refused
    ]
    target = find_target(recipe.target)
    if recipe.cache == "scatter" and KERNEL_CONSTRAINTS["TensorScatter"].violation(opset=recipe.opset):
        refusals.append(
            f"The cache scatter needs opset {SCATTER_FROM}, which brought TensorScatter, not {recipe.opset}."
        )
    if recipe.opset > target.opset == LOWEST:
        refusals.append(
            f"The target {target.name} does not support opset {recipe.opset}: it supports {target.opset} only."
        )
    return refusals


def _alternative(setting: str, recipe: Recipe) -> str:
    """What to build instead of an unsupported cache; every target supports static."""
    if setting != "cache":
        return ""
    return "; build the plain variant" if recipe.variant == "transformer-only" else "; build with --cache static"


def target_remarks(recipe: Recipe) -> list[str]:
    """A sentence for each setting that has a drawback on the target's provider."""
    return list(dict.fromkeys(target.noted[one] for target, one in _settings(recipe) if one in target.noted))


def _settings(recipe: Recipe) -> Iterator[tuple[Target, TargetSetting]]:
    """Yields the settings that a target may refuse or remark on; a component's precision with its own target."""
    target, quantize = find_target(recipe.target), recipe.quantize
    yield target, ("cache", recipe.cache)
    yield target, ("graphs", recipe.graphs)
    stored = {one.precision for one in quantize.nodes.values()} - {"fp16"}  # fp16 nodes are computed in fp32
    yield from ((target, ("precision", precision)) for precision in sorted({recipe.precision, *stored}))
    for component, precision in quantize.components.items():
        yield find_target(recipe.place.get(component, recipe.target)), ("precision", precision)
    if not (recipe.precisions | stored).isdisjoint(IN_BLOCKS):
        yield target, ("quantize.embedding", quantize.embedding)
        yield target, ("quantize.symmetric", quantize.symmetric)
