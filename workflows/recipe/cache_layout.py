"""The cache layout of a build for which nobody chose one: the graph writes in place where that is right, and why it
does not where it is not.

    recipe, family, config ──default_layout──▶ Usual("gqa") | Usual("static", why)
    cache, recipe, family, geometry ──layout_conflict──▶ why the model cannot have that cache, or ""
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS, layout_violation
from workflows.recipe.families.base import Family, ModelGeometry
from workflows.recipe.schema import MIXABLE, Cache, Recipe
from workflows.recipe.target import find_target


@dataclass(frozen=True)
class DefaultLayout:
    """A layout, and why it is not the one in which a token costs least; empty where it is."""

    cache: Cache
    why: str = ""


def layout_conflict(cache: Cache, recipe: Recipe, family: Family, geometry: ModelGeometry) -> str:
    """Why a model of `geometry` cannot have the layout `cache`, as a part of a sentence; empty where it can.

    Layers whose heads have other sizes than the config says are seen when the model runs (export/check.py), and so are
    those that make their keys and values of something smaller.
    """
    if cache not in family.layouts:
        return family.refused.get(cache, f"{family.name} takes {', '.join(family.layouts)}")
    if recipe.variant == "transformer-only" and cache != "gqa":
        return "the transformer-only variant attends in place"
    if recipe.variant == "transformer-only":
        return variant_conflict(geometry)
    return "" if geometry.latent else layout_violation(cache, geometry.head_dim)


def variant_conflict(geometry: ModelGeometry | None) -> str:
    """Why a model of `geometry` cannot be built as transformer-only, whose operator rotates; None of one without cache.

    How much of a head is rotated is seen when the model runs (export/inplace.py), before anything is exported.
    """
    if geometry is None or geometry.latent:
        return ""
    return KERNEL_CONSTRAINTS["GroupQueryAttention with rotary positions"].violation(head_size=geometry.head_dim)


def alternative_layout(recipe: Recipe, family: Family, geometry: ModelGeometry) -> Cache:
    """The first layout that the model and the recipe's target can have; the host writes static for every one."""
    lacking = find_target(recipe.target).refused
    fitting = (one for one in get_args(Cache) if not layout_conflict(one, recipe, family, geometry))
    return next((one for one in fitting if ("cache", one) not in lacking), "static")


def default_layout(recipe: Recipe, family: Family, config: Mapping[str, Any]) -> DefaultLayout:
    """That of `recipe`, whatever cache it names.

    GroupQueryAttention reads the rows that hold tokens and copies none, so that a step costs what is used. What only
    the model itself tells, an attention with sinks for one, is seen when it is exported: then LayoutError says so.
    """
    if recipe.variant == "transformer-only":
        return DefaultLayout("gqa")
    if recipe.target != "cpu" or not family.cached:
        return DefaultLayout(
            "static"
        )  # as it is for every other provider: some have no such operator, some a wrong one
    why = _slower_layout_reason(recipe, family, config)
    return DefaultLayout("static", why) if why else DefaultLayout("gqa")


def _slower_layout_reason(recipe: Recipe, family: Family, config: Mapping[str, Any]) -> str:
    geometry = family.geometry(config)
    if misfit := layout_conflict("gqa", recipe, family, geometry):
        return misfit
    if geometry.latent:
        return "the model makes its keys and values of what it keeps, and GroupQueryAttention attends to what is kept"
    if recipe.graphs != "single":
        return "graphs of fixed shapes are for providers that may lack GroupQueryAttention"
    if recipe.expose:
        return "heads that draft from hidden states draft trees, whose rows the host has to write"
    other = next((one for one in sorted(recipe.precisions) if one not in MIXABLE), None)
    return f"{other} is for providers that may lack GroupQueryAttention" if other else ""


def layout_notice(recipe: Recipe, family: Family, config: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """A sentence that tells why `recipe`, which came of `options`, has not the cache in which a token costs least.

    Empty where it has, where a person chose, and for providers of which nobody expects it.
    """
    why = "" if options.get("cache") else default_layout(recipe, family, config).why
    return f"The cache is static, for {why}." if why else ""
