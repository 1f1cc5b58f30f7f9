"""The contract of a quantization method: requires, call; a node that it leaves is a refusal with a reason.

model ──find quantized nodes──▶ requires ──▶ call ──▶ remove_unused, find_fault ──▶ PassReport
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterable, Mapping
from fnmatch import translate
from re import compile as pattern_of

import onnx_ir as ir

from workflows.common.errors import GraphError, JoineryError, RecipeError, printable
from workflows.graph.scopes import SCOPES_KEY, scope_of_name, scope_of_names
from workflows.optimize.base import PassReport, PassResult, Refusal
from workflows.optimize.graph_checks import find_fault, graph_interface, infer_shapes, remove_unused
from workflows.recipe import QuantizeSettings, Recipe

Ranges = Mapping[str, tuple[float, float]]  # value name → the lowest and the highest number seen

QUANTIZED_OPS = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger", "ConvInteger",
                 "QLinearMatMul", "QLinearConv", "MatMulNBits", "GatherBlockQuantized", "DynamicQuantizeMatMul",
                 "MatMulIntegerToFloat", "QMoE")  # fmt: skip


class Method:
    """A way to make a graph's weights smaller, in place.

    needs_ranges: whether it needs calibration ranges. retypes: whether inputs and outputs change their type.
    """

    name: str
    title: str
    needs_ranges = False
    retypes = False

    def requires(self, model: ir.Model, settings: QuantizeSettings) -> Refusal | None:
        """Returns why the method cannot run on `model`, or None."""
        return None

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        """Quantizes `model`; every node that is expected to be quantized and is not is refused by name."""
        raise NotImplementedError


def run_method(
    model: ir.Model,
    method: Method,
    settings: QuantizeSettings,
    ranges: Ranges | None = None,
    refused: Iterable[Refusal] = (),
) -> PassReport:
    """Runs `method` in place. refused: what was refused before, for the report.

    Raises GraphError for a quantized graph, JoineryError for a result with a fault.
    """
    node = next((node for node in model.graph.all_nodes() if node.op_type in QUANTIZED_OPS), None)
    if node is not None:
        raise GraphError(
            f"The graph is quantized already, by {node.op_type} {printable(str(node.name))}: quantize the "
            "floating-point model that it was made from."
        )
    infer_shapes(model)
    before, began, ends = model.graph.num_nodes(), time.monotonic(), graph_interface(model)
    refusal = method.requires(model, settings)
    outcome = PassResult(False, (refusal,)) if refusal else method.call(model, settings, ranges)
    if outcome.modified:
        remove_unused(model)
        fault = find_fault(model, graph_interface(model) if method.retypes else ends)
        if fault:
            raise JoineryError(f"The method {method.name} left a broken graph: {fault}; choose another precision.")
    seconds = round(time.monotonic() - began, 3)
    return PassReport(
        method.name, outcome.modified, before, model.graph.num_nodes(), [*outcome.refused, *refused], seconds
    )


def check_excluded(models: Iterable[ir.Model], settings: QuantizeSettings) -> None:
    """Raises RecipeError, with similar names, if the settings name a node that no graph has."""
    names = {str(node.name) for model in models for node in model.graph.all_nodes()}
    named = [("exclude", name) for name in settings.exclude] + [("nodes", name) for name in settings.nodes]
    key, missing = next(((key, name) for key, name in named if name not in names), ("", ""))
    if not key:
        return
    near = difflib.get_close_matches(missing, names, 3, cutoff=0.4)
    hint = f"near it are {', '.join(near)}" if near else "joinery inspect --graph names them"
    raise RecipeError(f"quantize.{key} names {printable(missing)!r}, and no graph has such a node: {hint}.")


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
