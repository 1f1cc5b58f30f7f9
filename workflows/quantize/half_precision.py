"""fp16, bf16: weights, activations and the cache in 16 bits; nodes that need more range or precision stay in float32.

    float32 weights ──when they are read──▶ 16 bits         positions ──Cast──▶ angles, cos, sin in float32 ──Cast──▶
    float32 node ──▶ 16 bits; Pow, means, roots … ──Cast──▶ float32 ──Cast──▶

The cache, the cross cache and the cache's masks change their type; state of fixed size, logits and the tensors between
components stay float32, so that components of any precision fit together.
"""

from __future__ import annotations

import re

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.kvcache.geometry import MASK
from workflows.optimize.base import PassResult, Refusal
from workflows.optimize.graph_edits import add_initializer, bypass, keeps_float32, make_node
from workflows.optimize.queries import consumers, largest_finite
from workflows.quantize.base import Method, Ranges
from workflows.quantize.lazy_tensors import lazy_tensors
from workflows.recipe import QuantizeSettings

FLOAT = ir.DataType.FLOAT
# Sums of squares and powers leave the range of fp16, small roots its digits; the others take float32, or say it.
SUMS = ("Pow", "ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL2", "LpNormalization", "CumSum", "Exp")
ROOTS = ("Sqrt", "Reciprocal", "Log")
UNTYPED = ("Range", "Resize", "Constant", "ConstantOfShape", "EyeLike")
STATEFUL = ("LinearAttention", "CausalConvWithState")  # a state that each token changes gathers rounding errors
EXPERTS = ("MoE",)  # whose kernel takes float32 alone on the CPU, the one provider that such graphs are built for
CHOICES = ("TopK",)  # which takes no bf16 below opset 24, and which 16 bits would tip
FULL = frozenset({*EXPERTS, *CHOICES, *SUMS, *ROOTS, *UNTYPED, *STATEFUL})
_WHOLE = (ir.DataType.INT64, ir.DataType.INT32, ir.DataType.INT16, ir.DataType.INT8, ir.DataType.UINT8)
_CACHE_NAMES = ("past_key_values.", "present.", "cross.", MASK)
_STATE = re.compile(r"\.(conv\d*|recurrent)$")  # of fixed size


class HalfPrecision(Method):
    """`fp16` or `bf16`, which differ in the type."""

    retypes = True

    def __init__(self, name: str, title: str, dtype: ir.DataType) -> None:
        self.name, self.title, self._dtype = name, title, dtype

    def requires(self, model: ir.Model, settings: QuantizeSettings) -> Refusal | None:
        """Refuses graphs with control flow or functions, whose boundaries would need the same types on both sides."""
        inner = next((node for node in model.graph if _has_body(node) and not keeps_float32(node)), None)
        if inner is not None:
            return Refusal(f"{inner.op_type} holds graphs of its own, whose types would not follow", str(inner.name))
        if model.functions:
            return Refusal("the model has functions, whose types would not follow")
        return None

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        if not any(value.dtype == FLOAT for value in model.graph.initializers.values()):
            return PassResult(False, (Refusal("the graph has no float32 weight"),))
        return PassResult(True, tuple(_Retyping(model.graph, self._dtype, settings).run()))


class _Retyping:
    """The conversion of one graph: the nodes that stay float32, and each value in the types that its readers need."""

    def __init__(self, graph: ir.Graph, dtype: ir.DataType, settings: QuantizeSettings) -> None:
        self._graph, self._dtype, self._excluded = graph, dtype, set(settings.exclude)
        self._floats = {value for value in (*graph.inputs, *graph.initializers.values()) if value.dtype == FLOAT}
        self._exact: set[ir.Value] = set()  # float32 values that come of whole numbers alone
        self._made: dict[tuple[ir.Value, ir.DataType], ir.Value] = {}
        self._guards: set[ir.Node] = set()  # what export puts behind experts: they must read the same rows

    def run(self) -> list[Refusal]:
        """Rewrites the graph; returns the nodes that the user excluded."""
        excluded: list[Refusal] = []
        for value in self._graph.inputs:
            if value in self._floats and _is_cache_value(value):
                value.type = ir.TensorType(self._dtype)
        for node in list(self._graph):
            if node.name in self._excluded:
                excluded.append(Refusal("the recipe excludes it", str(node.name)))
            self._retype(node)
        for index, output in enumerate(self._graph.outputs):
            if output in self._floats:
                wanted = self._dtype if _is_cache_value(output) else FLOAT
                if output.dtype != wanted:
                    self._graph.outputs[index] = self._renamed(output, wanted)
        for node in list(self._graph):
            if node.op_type == "Cast" and node.inputs[0] is not None and node.inputs[0].dtype == node.outputs[0].dtype:
                _drop_cast(node)
        return excluded

    def _retype(self, node: ir.Node) -> None:
        sources = [value for value in node.inputs if value is not None and value in self._floats]
        results = [value for value in node.outputs if self._is_float(value, node, bool(sources))]
        self._floats.update(results)
        exact = self._is_exact(node, sources)
        full = exact or node.op_type in FULL or node.name in self._excluded or keeps_float32(node)
        if node.op_type in EXPERTS or (node in self._guards and node.op_type == "Mul"):
            self._guards.update(consumers(node.outputs[0]))
        wanted = FLOAT if full or node in self._guards else self._dtype
        for index, value in enumerate(node.inputs):
            if value is not None and value in self._floats:
                node.replace_input_with(index, self._as(value, wanted, node))
        for value in results:
            value.type = ir.TensorType(wanted)
        if exact:
            self._exact.update(results)
        if node.op_type == "Cast" and results:
            node.attributes["to"] = ir.AttrInt64("to", int(wanted))

    def _is_float(self, value: ir.Value, node: ir.Node, fed: bool) -> bool:
        """Whether the value was float32; for an unknown operator, whether its inputs are."""
        return bool(value.name) and (value.dtype == FLOAT or (value.dtype is None and fed and node.op_type != "Cast"))

    def _is_exact(self, node: ir.Node, sources: list[ir.Value]) -> bool:
        """Whether the value is computed from positions: 16 bits represent no position beyond 2,048 exactly."""
        if node.op_type == "Cast":
            source = node.inputs[0]
            return source is not None and (source.dtype in _WHOLE or source in self._exact)
        active = [value for value in sources if not value.is_initializer()]
        return bool(active) and all(value in self._exact for value in active)

    def _as(self, value: ir.Value, wanted: ir.DataType, reader: ir.Node) -> ir.Value:
        """Returns the value in the type `wanted`, converted once."""
        if value.is_initializer() and not value.is_graph_input():
            return self._constant(value, wanted, reader)
        if value.dtype == wanted:
            return value
        if (value, wanted) not in self._made:
            made = ir.Value(name=f"{value.name}.{wanted.name.lower()}", type=ir.TensorType(wanted), shape=value.shape)
            cast = make_node("Cast", [value], [made], {"to": int(wanted)}, like=reader)
            self._graph.insert_before(reader, cast)
            self._made[value, wanted] = made
        return self._made[value, wanted]

    def _constant(self, value: ir.Value, wanted: ir.DataType, node: ir.Node) -> ir.Value:
        assert value.const_value is not None  # an initializer of a graph on disk
        if wanted == FLOAT:  # large ones are weights of experts, or of a node that was excluded
            if value.const_value.size <= 1 << 16:
                return self._clamped(value)
            return self._widened(value, node) if node.op_type in EXPERTS else value
        return self._half(value, wanted)

    def _half(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        assert value.const_value is not None  # as _constant's
        name = f"{value.name}.{dtype.name.lower()}"
        return add_initializer(self._graph, name, to_half(value.const_value, dtype, name))

    def _widened(self, weight: ir.Value, reader: ir.Node) -> ir.Value:
        """The weight stored in 16 bits and read in float32."""
        made = ir.Value(name=f"{weight.name}.widened", type=ir.TensorType(FLOAT), shape=weight.shape)
        cast = make_node("Cast", [self._half(weight, self._dtype)], [made], {"to": int(FLOAT)}, like=reader)
        self._graph.insert_before(reader, cast)
        return made

    def _clamped(self, value: ir.Value) -> ir.Value:
        """Returns a float32 constant within the range of 16 bits, so that a mask's floor stays finite behind a Cast."""
        assert value.const_value is not None
        array, limit = value.const_value.numpy(), largest_finite(self._dtype)
        if not (np.isfinite(array) & (np.abs(array) > limit)).any():
            return value
        name = f"{value.name}.clamped"
        return add_initializer(self._graph, name, ir.tensor(np.clip(array, -limit, limit), name=name))

    def _renamed(self, output: ir.Value, wanted: ir.DataType) -> ir.Value:
        """Keeps the name of a graph output behind a Cast."""
        name, node = output.name, output.producer()
        assert node is not None  # an output that is an input has its type already
        result = ir.Value(name=name, type=ir.TensorType(wanted), shape=output.shape)
        output.name = f"{name}.inner"
        cast = make_node("Cast", [output], [result], {"to": int(wanted)}, like=node)
        self._graph.insert_after(node, cast)
        return result


def to_half(source: ir.TensorProtocol, dtype: ir.DataType, name: str) -> ir.LazyTensor:
    """Converts the tensor to 16 bits; finite values stay finite."""
    limit = largest_finite(dtype)

    def convert(array: NDArray[np.generic]) -> tuple[NDArray[np.generic], ...]:
        return (np.where(np.isfinite(array), np.clip(array, -limit, limit), array).astype(dtype.numpy()),)

    return lazy_tensors(source, ("half", dtype, name), [(name, dtype, tuple(source.shape))], convert).tensors[0]


def _is_cache_value(value: ir.Value) -> bool:
    return str(value.name).startswith(_CACHE_NAMES) and not _STATE.search(str(value.name))


def _has_body(node: ir.Node) -> bool:
    kinds = (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)
    return any(attribute.type in kinds for attribute in node.attributes.values())


def _drop_cast(node: ir.Node) -> None:
    """Removes a Cast to the same type, unless it names an output of the graph."""
    source, result = node.inputs[0], node.outputs[0]
    if source is not None and not result.is_graph_output():
        bypass(result, source)
