"""Expands patterns of excluded nodes: `*` matches any characters, `?` one.

    recipe.quantize.exclude ──expand_node_patterns──▶ the names of nodes;  the bundle's recipe keeps the patterns

A pattern matches a node's name or its module path: `model/layers/0/*`, `*/down_proj`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import translate
from re import compile as pattern_of

import onnx_ir as ir

from workflows.graph.scopes import SCOPES_KEY, scope_of_name, scope_of_names
from workflows.recipe import Recipe


def expand_node_patterns(recipe: Recipe, models: Iterable[ir.Model]) -> Recipe:
    """Replaces each pattern by the nodes that it matches; one without matches stays, and is refused later."""
    if not any(map(_is_pattern, recipe.quantize.exclude)):
        return recipe
    nodes = [node for model in models for node in model.graph.all_nodes()]
    exclude = dict.fromkeys(name for wanted in recipe.quantize.exclude for name in _matching_nodes(wanted, nodes))
    return recipe.model_copy(update={"quantize": recipe.quantize.model_copy(update={"exclude": tuple(exclude)})})


def _is_pattern(wanted: str) -> bool:
    return "*" in wanted or "?" in wanted


def _matching_nodes(wanted: str, nodes: list[ir.Node]) -> list[str]:
    if not _is_pattern(wanted):
        return [wanted]
    fits = pattern_of(translate(wanted.replace("[", "[[]"))).match  # a bracket in a name is a bracket
    return [str(node.name) for node in nodes if any(map(fits, _node_names(node)))] or [wanted]


def _node_names(node: ir.Node) -> tuple[str, ...]:
    """Returns its name, its module, and its name within the module."""
    name, noted = str(node.name), node.metadata_props.get(SCOPES_KEY)
    scope = scope_of_names(noted) if noted is not None else scope_of_name(name)
    return (name, scope, f"{scope}/{name}") if scope else (name,)
