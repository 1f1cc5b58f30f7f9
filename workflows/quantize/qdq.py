"""w8a16, w8a8: int8 weights and static activations of 16 or 8 bits, as QuantizeLinear and DequantizeLinear.

    x ──Q──DQ──▶ MatMul ──Q──DQ──▶ …          q·(scale a channel) ──DQ──▶ weight          bias int32 ──DQ──▶ bias

A provider that computes in integers fuses each node with the DQ before and the Q after it. See `qdq_plan` for the nodes
that stay in floating point, and `calibration` for the ranges. Weights have one scale a channel and no zero points:
w ≈ q · scale[channel], q in -127…127.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.optimize.base import PassResult, Refusal
from workflows.optimize.graph_checks import CONTRIB, infer_shapes
from workflows.optimize.graph_edits import add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import constant_array, constant_tensor, producer
from workflows.quantize.base import Method, Ranges
from workflows.quantize.lazy_tensors import lazy_tensors, row_chunks
from workflows.quantize.linear_layers import find_tables
from workflows.quantize.qdq_plan import FLOAT, QdqPlan, QdqProduct, float_values, layout_root, make_plan
from workflows.recipe import QuantizeSettings

_TYPES = {8: ir.DataType.UINT8, 16: ir.DataType.UINT16}
_WIDEST = 1e9  # what no activation spans, but a mask does
_SIXTEEN_BITS = 21  # the opset whose QuantizeLinear has uint16; before it onnxruntime's own has
_INT32 = 2**31 - 1


class StaticQdq(Method):
    """`w8a16` or `w8a8`, which differ in bits; 8 bits are used for products only."""

    needs_ranges = True

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"w8a{bits}"
        where = ", for NPUs" if bits == 16 else ""
        self.title = f"8-bit weights, {bits}-bit activations{where}"

    def observed(self, model: ir.Model, settings: QuantizeSettings) -> list[str]:
        """Returns the names of the values whose ranges `call` needs."""
        infer_shapes(model)  # as run_method does: both must see one graph
        return [str(value.name) for value in self._plan(model, settings).values()]

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        """Quantizes `model`; without ranges every product is refused."""
        plan = self._plan(model, settings)
        grids = _Grids(model, self.bits, ranges or {})
        products = [product for product in plan.products if grids.knows(product.node.inputs[0])]
        others = [node for node in plan.others if all(grids.knows(value) for value in float_values(node))]
        lost = "the range of its input is too large for a grid" if ranges else "calibration never ran this component"
        refused = [*plan.refused, *(Refusal(lost, str(one.node.name)) for one in plan.products if one not in products)]
        tables = _quantize_tables(model.graph, settings, refused)
        for product in products:
            _round_product(product, grids, outputs=plan.outputs)
        for node in others:
            grids.round_node(node)
        return PassResult(bool(products or others or tables), tuple(refused))

    def _plan(self, model: ir.Model, settings: QuantizeSettings) -> QdqPlan:
        return make_plan(model, settings, flow=self.bits == 16)


class _Grids:
    """The scale and zero point of every value, and the nodes that quantize it, each once."""

    def __init__(self, model: ir.Model, bits: int, ranges: Ranges) -> None:
        self._graph, self._dtype, self._levels = model.graph, _TYPES[bits], (1 << bits) - 1
        self._ranges, self._rounded = ranges, set[ir.Value]()
        # as calibration named them: rounding puts nodes between a value and its root
        self._roots = {value: str(layout_root(value).name) for node in model.graph for value in float_values(node)}
        old = bits == 16 and model.graph.opset_imports.get("", _SIXTEEN_BITS) < _SIXTEEN_BITS
        self._domain = CONTRIB if old else ""

    def knows(self, value: ir.Value | None) -> bool:
        """Whether calibration found a range that a grid can represent."""
        if value is None or value in self._rounded:
            return value is not None
        low, high = self._ranges.get(self._roots.get(value, ""), (np.nan, np.nan))
        return bool(-_WIDEST < low <= high < _WIDEST)

    def scale_of(self, value: ir.Value) -> np.float32:
        """Returns the scale of the value's grid."""
        return self._step(*self._ranges[self._roots[value]])

    def round(self, value: ir.Value) -> None:
        """Replaces `value` for all readers by its quantized and dequantized form."""
        if value in self._rounded:
            return
        root = self._roots[value]
        grid = self._initializers(root, *self._ranges[root])
        node = value.producer() or value.uses()[0].node
        q = ir.Value(name=f"{value.name}.q", type=ir.TensorType(self._dtype), shape=value.shape)
        exact = value.is_graph_output()
        new = new_value_like(value, "" if exact else "dq", value.shape)
        value.replace_all_uses_with(new, replace_graph_outputs=True)
        if exact:
            value.name = f"{value.name}.exact"
            q.name = f"{new.name}.q"
        nodes = [
            make_node("QuantizeLinear", [value, *grid], [q], like=node, domain=self._domain),
            make_node("DequantizeLinear", [q, *grid], [new], like=node, domain=self._domain),
        ]
        self._insert(value, nodes)
        self._rounded |= {value, new}
        self._roots[new] = root

    def round_node(self, node: ir.Node) -> None:
        """Quantizes all inputs and outputs of the node, constants too."""
        for value in list(float_values(node)):
            self.round(value)
        for index, value in enumerate(node.inputs):
            array = constant_array(value) if value is not None and value.dtype == FLOAT else None
            if value is not None and array is not None and array.size:
                node.replace_input_with(index, self._constant(value, array, node))

    def _constant(self, value: ir.Value, array: NDArray[np.generic], node: ir.Node) -> ir.Value:
        floats = array.astype(np.float32)
        low, high = float(floats.min()), float(floats.max())
        scale, zero = self._initializers(str(value.name), low, high)
        step, middle = self._step(low, high), self._zero(low, high)
        q = np.clip(np.rint(floats / step) + middle, 0, self._levels).astype(self._dtype.numpy())
        content = add_initializer(self._graph, f"{value.name}.q", ir.tensor(q, name=f"{value.name}.q"))
        new = ir.Value(name=f"{value.name}.{node.name}.dq", type=value.type, shape=value.shape)
        inputs = [content, scale, zero]
        self._graph.insert_before(node, make_node("DequantizeLinear", inputs, [new], like=node, domain=self._domain))
        return new

    def _initializers(self, name: str, low: float, high: float) -> tuple[ir.Value, ir.Value]:
        step = np.array(self._step(low, high), np.float32)
        zero = np.array(self._zero(low, high), self._dtype.numpy())
        return (
            add_initializer(self._graph, f"{name}.scale", ir.tensor(step, name=f"{name}.scale")),
            add_initializer(self._graph, f"{name}.zero", ir.tensor(zero, name=f"{name}.zero")),
        )

    def _step(self, low: float, high: float) -> np.float32:
        """Returns the scale. Zero is always on the grid; a value that is always zero has any scale."""
        return np.float32((max(high, 0.0) - min(low, 0.0)) / self._levels) or np.float32(1)

    def _zero(self, low: float, high: float) -> int:
        return int(np.clip(np.rint(-min(low, 0.0) / self._step(low, high)), 0, self._levels))

    def _insert(self, value: ir.Value, nodes: list[ir.Node]) -> None:
        producer = value.producer()
        if producer is not None:
            self._graph.insert_after(producer, nodes)
        else:
            self._graph.insert_before(self._graph[0], nodes)
        if self._domain:
            self._graph.opset_imports.setdefault(self._domain, 1)


def _round_product(product: QdqProduct, grids: _Grids, *, outputs: bool) -> None:
    node, source = product.node, product.node.inputs[0]
    assert source is not None
    step = grids.scale_of(source)
    grids.round(source)
    if product.bias is not None:
        _replace_bias(product, product.bias, step)
    _replace_weight(product)
    if outputs and grids.knows(node.outputs[0]):
        grids.round(node.outputs[0])


def _replace_weight(product: QdqProduct) -> None:
    graph = product.node.graph
    assert graph is not None
    transpose = producer(product.node.inputs[1], "Transpose")
    reader, index = (transpose, 0) if transpose is not None else (product.node, 1)
    if reader.inputs[index] is not product.weight:
        return  # products over one transposed weight: it is replaced already
    name = f"{product.weight.name}.int8.{product.axis}"
    q, scales = channel_weight(product.tensor, product.axis)
    inputs = [add_initializer(graph, name, q), add_initializer(graph, f"{name}.scales", scales)]
    new = ir.Value(name=f"{name}.{product.node.name}", type=product.weight.type, shape=product.weight.shape)
    graph.insert_before(reader, make_node("DequantizeLinear", inputs, [new], {"axis": product.axis}, like=product.node))
    reader.replace_input_with(index, new)


def _replace_bias(product: QdqProduct, bias: ir.Value, step: np.float32) -> None:
    """Stores the bias as int32 on the grid of the sums; leaves a bias that does not fit or is not constant."""
    tensor, graph = constant_tensor(bias), product.node.graph
    if tensor is None or graph is None or bias.dtype != FLOAT:
        return
    scales = channel_scales(product.axis, np.asarray(product.tensor.numpy())) * step
    q = np.rint(np.asarray(tensor.numpy(), np.float64) / scales)
    if np.abs(q).max(initial=0) > _INT32:
        return
    name = f"{bias.name}.{product.node.name}.int32"
    inputs = [
        add_initializer(graph, name, ir.tensor(q.astype(np.int32), name=name)),
        add_initializer(graph, f"{name}.scales", ir.tensor(scales.astype(np.float32), name=f"{name}.scales")),
    ]
    new = ir.Value(name=f"{name}.dq", type=bias.type, shape=bias.shape)
    graph.insert_before(product.node, make_node("DequantizeLinear", inputs, [new], {"axis": 0}, like=product.node))
    product.node.replace_input_with(2, new)


def _quantize_tables(graph: ir.Graph, settings: QuantizeSettings, refused: list[Refusal]) -> int:
    """Stores token tables as int8 rows with scales; returns how many were replaced."""
    count = 0
    for gather, table in list(find_tables(graph)) if settings.embedding != "fp32" else ():
        if gather.name in settings.exclude:
            refused.append(Refusal("the recipe excludes it", str(gather.name)))
        else:
            _quantize_table(graph, gather, table)
            count += 1
    return count


def _quantize_table(graph: ir.Graph, gather: ir.Node, table: ir.Value) -> None:
    assert table.const_value is not None
    name, ids, old = f"{table.name}.int8.0", gather.inputs[1], gather.outputs[0]
    parts = channel_weight(table.const_value, 0)
    q, scales = (add_initializer(graph, f"{name}{end}", part) for end, part in zip(("", ".scales"), parts, strict=True))
    last = add_initializer(graph, "joinery.last_axis", ir.tensor(np.array([-1], np.int64), name="joinery.last_axis"))
    rows, steps, column, floats = (ir.Value(name=f"{old.name}.{end}") for end in ("rows", "steps", "column", "floats"))
    result = new_value_like(old)
    nodes = [
        make_node("Gather", [q, ids], [rows], {"axis": 0}, like=gather),
        make_node("Cast", [rows], [floats], {"to": int(FLOAT)}, like=gather),
        make_node("Gather", [scales, ids], [steps], {"axis": 0}, like=gather),
        make_node("Unsqueeze", [steps, last], [column], like=gather),
        make_node("Mul", [floats, column], [result], like=gather),
    ]
    replace_nodes([old], [result], nodes, gather)


LARGEST = 127


def channel_weight(source: ir.TensorProtocol, axis: int) -> tuple[ir.LazyTensor, ...]:
    """Returns q int8 of the weight's shape and scales [channels] float32, as lazy tensors. axis: the channels'."""
    name = f"{source.name}.int8.{axis}"
    shape = [int(size) for size in source.shape]
    kinds = [(name, ir.DataType.INT8, shape), (f"{name}.scales", ir.DataType.FLOAT, [shape[axis]])]
    return lazy_tensors(source, ("channels", axis), kinds, partial(quantize_channels, axis)).tensors


def quantize_channels(axis: int, weight: NDArray[np.floating]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Returns (q, scales) of a weight."""
    scales = channel_scales(axis, weight)
    along = scales.reshape([-1 if i == axis else 1 for i in range(weight.ndim)])
    q = np.empty(weight.shape, np.int8)
    for part in _row_slices(weight):
        q[part] = np.clip(np.rint(weight[part] / (along[part] if axis == 0 else along)), -LARGEST, LARGEST)
    return q, scales


def channel_scales(axis: int, weight: NDArray[np.floating]) -> NDArray[np.float32]:
    """Returns [channels]: a channel's largest absolute value over 127; 1 for a channel of zeros."""
    others = tuple(other for other in range(weight.ndim) if other != axis)
    highest = [np.abs(weight[part]).max(others).astype(np.float32) for part in _row_slices(weight)]
    joined = np.concatenate(highest) if axis == 0 else np.max(highest, axis=0)
    scales = (joined / LARGEST).astype(np.float32)
    scales[scales == 0] = 1
    return scales


def _row_slices(weight: NDArray[np.floating]) -> list[slice]:
    return list(row_chunks(len(weight), math.prod(weight.shape[1:])))
