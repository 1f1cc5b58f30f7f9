"""What a recipe's target makes of its settings, known before minutes are spent on a build.

recipe ──refusals──▶ why the provider cannot have it, which ends the build    ──remarks──▶ what it has badly
"""

from __future__ import annotations

from collections.abc import Iterator

from workflows.recipe.schema import IN_BLOCKS, SCATTER_FROM, Recipe
from workflows.recipe.target import LOWEST, Setting, target_named


def refusals(recipe: Recipe) -> list[str]:
    """A sentence for each setting that the target's provider, or the opset, cannot have."""
    target = target_named(recipe.target)
    found = [
        f"The target {target.name} cannot have {name} {str(value).lower()}: {target.refused[name, value]}."
        for name, value in _settings(recipe)
        if (name, value) in target.refused
    ]
    if recipe.cache == "scatter" and recipe.opset < SCATTER_FROM:
        found.append(f"The cache scatter needs opset {SCATTER_FROM}, which brought TensorScatter, not {recipe.opset}.")
    if recipe.opset > target.opset == LOWEST:
        found.append(f"The target {target.name} cannot have opset {recipe.opset}: it is for {target.opset} alone.")
    return found


def remarks(recipe: Recipe) -> list[str]:
    """A sentence for each setting that the target's provider has badly."""
    noted = target_named(recipe.target).noted
    return [noted[setting] for setting in _settings(recipe) if setting in noted]


def _settings(recipe: Recipe) -> Iterator[Setting]:
    """Those that a target may have a word on."""
    yield "cache", recipe.cache
    yield "graphs", recipe.graphs
    stored = {one.precision for one in recipe.quantize.nodes.values()} - {"fp16"}  # which is computed with in fp32
    precisions = recipe.precisions | stored
    yield from (("precision", precision) for precision in sorted(precisions))
    if not precisions.isdisjoint(IN_BLOCKS):
        yield "quantize.embedding", recipe.quantize.embedding
        yield "quantize.symmetric", recipe.quantize.symmetric
