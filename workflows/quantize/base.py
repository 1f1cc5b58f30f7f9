"""The contract of a quantization method: requires, call; a node that it leaves is a refusal with a reason, as in a
pass.

model ──find quantized nodes──▶ requires ──▶ call ──▶ remove_unused, find_fault ──▶ PassReport
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterable, Mapping
from typing import Protocol

import onnx_ir as ir

from workflows.common.errors import GraphError, JoineryError, RecipeError, printable
from workflows.optimize.base import PassReport, PassResult, Refusal
from workflows.optimize.graph_checks import find_fault, graph_interface, infer_shapes, remove_unused
from workflows.recipe import QuantizeSettings

Ranges = Mapping[str, tuple[float, float]]  # value name → the lowest and the highest number seen

QUANTIZED_OPS = frozenset(
    {
        "QuantizeLinear",
        "DequantizeLinear",
        "DynamicQuantizeLinear",
        "MatMulInteger",
        "ConvInteger",
        "QLinearMatMul",
        "QLinearConv",
        "MatMulNBits",
        "GatherBlockQuantized",
        "DynamicQuantizeMatMul",
        "MatMulIntegerToFloat",
    }
)


class Method(Protocol):
    """A way to make a graph's weights smaller, in place.

    needs_ranges: whether it needs calibration ranges. retypes: whether inputs and outputs change their type.
    """

    name: str
    title: str
    needs_ranges: bool
    retypes: bool

    def requires(self, model: ir.Model, settings: QuantizeSettings) -> Refusal | None:
        """Returns why the method cannot run on `model`, or None."""
        ...

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        """Quantizes `model`; every node that is expected to be quantized and is not is refused by name."""
        ...


def run_method(model: ir.Model, method: Method, settings: QuantizeSettings, ranges: Ranges | None = None) -> PassReport:
    """Runs `method` on `model`, in place.

    Raises GraphError for a graph that is already quantized, JoineryError if onnx's checker refuses the result.
    """
    _refuse_quantized(model)
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
    return PassReport(method.name, outcome.modified, before, model.graph.num_nodes(), list(outcome.refused), seconds)


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


def _refuse_quantized(model: ir.Model) -> None:
    found = next((node for node in model.graph.all_nodes() if node.op_type in QUANTIZED_OPS), None)
    if found is not None:
        raise GraphError(
            f"The graph is quantized already, by {found.op_type} {printable(str(found.name))}: quantize the "
            "floating-point model that it was made from."
        )
