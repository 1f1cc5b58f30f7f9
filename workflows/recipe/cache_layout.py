"""Selects the cache layout where nobody chose one: GroupQueryAttention in place where possible, else static.

recipe, family, config ──default_layout──▶ DefaultLayout("gqa") | DefaultLayout("static", why)
cache, recipe, family, geometry ──layout_conflict──▶ why the model cannot have that cache, or ""
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS, layout_violation
from workflows.recipe.family import Family, ModelGeometry
from workflows.recipe.schema import MIXABLE, Cache, Recipe

LATENT = "the model computes its keys and values from latent vectors, and GroupQueryAttention attends to cached keys"
CHUNKS_IN_PLACE = "the model attends within chunks of the text, and GroupQueryAttention within windows alone"

_MUTUAL = {
    "gqa": "GroupQueryAttention is causal, and the places of a picture attend to each other in both directions",
    "window": "the places of a picture attend to each other, and a window may have lost some of them",
}


@dataclass(frozen=True)
class DefaultLayout:
    """A layout, and why it is not the fastest one; empty where it is."""

    cache: Cache
    why: str = ""


def layout_conflict(cache: Cache, recipe: Recipe, family: Family, geometry: ModelGeometry) -> str:
    """Why a model of `geometry` cannot have the layout `cache`, as a clause; empty where it can.

    Layers whose heads differ in size from the config, or whose keys and values are computed from latent vectors, are
    detected when the model runs (export/equivalence.py).
    """
    if cache not in family.layouts:
        return family.refused.get(cache, f"{family.name} takes {', '.join(family.layouts)}")
    if recipe.variant == "transformer-only" and cache != "gqa":
        return "the transformer-only variant attends in place"
    if recipe.variant == "transformer-only":
        return variant_conflict(geometry)
    if cache in _MUTUAL and geometry.mutual:
        return _MUTUAL[cache]
    if cache == "gqa" and geometry.chunked:
        return CHUNKS_IN_PLACE
    return "" if geometry.latent else layout_violation(cache, geometry.head_dim)


def variant_conflict(geometry: ModelGeometry | None) -> str:
    """Why a model of `geometry` cannot be built as transformer-only, whose operator applies rotary positions.

    None stands for a model without a cache. The rotated part of a head is checked when the model runs, before the
    export (export/in_place.py).
    """
    if geometry is None or geometry.latent:
        return ""
    return KERNEL_CONSTRAINTS["GroupQueryAttention with rotary positions"].violation(head_size=geometry.head_dim)


def alternative_layout(recipe: Recipe, family: Family, geometry: ModelGeometry) -> Cache:
    """The first layout that the model and the recipe's target support; every model supports static."""
    refused = recipe.build_target.refused
    fitting = (one for one in get_args(Cache) if not layout_conflict(one, recipe, family, geometry))
    return next((one for one in fitting if ("cache", one) not in refused), "static")


def default_layout(recipe: Recipe, family: Family, config: Mapping[str, object]) -> DefaultLayout:
    """The default layout of `recipe`, whatever cache it names.

    GroupQueryAttention reads only the slots in use and copies none. Properties that only the loaded model shows, such
    as attention sinks, are checked during export, which then raises LayoutError.
    """
    if recipe.variant == "transformer-only":
        return DefaultLayout("gqa")
    if recipe.target != "cpu" or not family.cached:
        return DefaultLayout("static")  # the default for other providers: some lack the operator or compute it wrongly
    why = _slower_layout_reason(recipe, family, config)
    return DefaultLayout("static", why) if why else DefaultLayout("gqa")


def _slower_layout_reason(recipe: Recipe, family: Family, config: Mapping[str, object]) -> str:
    geometry = family.geometry(config)
    if misfit := layout_conflict("gqa", recipe, family, geometry):
        return misfit
    if geometry.latent:
        return LATENT
    if recipe.graphs != "single":
        return "graphs of fixed shapes are for providers that may lack GroupQueryAttention"
    if recipe.kv_dtype == "int8" or recipe.batch > 1:
        return ""  # which no other layout has
    if recipe.expose == "hidden_states":
        return "heads that draft from hidden states draft trees, whose rows the host must write"
    other = next((one for one in sorted(recipe.precisions) if one not in MIXABLE), None)
    return f"{other} is for providers that may lack GroupQueryAttention" if other else ""


def layout_notice(recipe: Recipe, family: Family, config: Mapping[str, object], options: Mapping[str, object]) -> str:
    """A sentence why `recipe` has not the fastest cache; empty where it has, or a person chose the cache."""
    why = "" if options.get("cache") else default_layout(recipe, family, config).why
    return f"The cache is static, for {why}." if why else ""
