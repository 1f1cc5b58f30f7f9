"""stored: the weights in the blocks of integers in which the checkpoint stores them; nothing is rounded anew.

    x · W  →  MatMulNBits(x, integers, scales, zeros)         numbers: scale · (integer − zero)
              … + Sums(x) · −M, where blocks have minimums    Sums(x)[b] = Σ x over block b,  M [blocks, N]
    Gather(W, ids)  →  GatherBlockQuantized … − Gather(Mᵀ, ids)
    Gather(W, ids)  →  Cast(Gather(W16, ids)), of a table that the checkpoint stores in 16 bits
    inputs in the order of their groups: MatMulNBits(Gather(x, order), …), whose Gather products of one order share

A weight is read where its tensor says that it is made of stored ones: rows of several tensors, each unpacked by its own
form, which may have become one weight. Any source of integers, scales and zeros can be unpacked in this way.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import onnx_ir as ir

from workflows.graph.described_weights import WeightRecipe, block_rows, recipe_of, stored_halves
from workflows.optimize.base import PassResult, Refusal
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import add_constant, add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import dimensions
from workflows.quantize.base import Method, Ranges
from workflows.quantize.experts import expert_format, find_experts, quantize_experts
from workflows.quantize.grids import BlockFormat
from workflows.quantize.half_storage import store_table
from workflows.quantize.held_rows import HeldRows
from workflows.quantize.lazy_tensors import lazy_tensors
from workflows.quantize.linear_layers import LinearProduct, find_linears, find_tables
from workflows.quantize.stored_experts import hold_experts
from workflows.quantize.weight_only import multiply_nbits, product_ends
from workflows.recipe import QuantizeSettings
from workflows.recipe.stored_forms import HeldForm, held_form

_HALVES = {"float16": ir.DataType.FLOAT16, "bfloat16": ir.DataType.BFLOAT16}
_EXPERTS = BlockFormat(8, 32, symmetric=True)


class StoredBlocks(Method):
    """Weights as the checkpoint stores them. Experts with minimums, which QMoE does not take, are rounded to 8 bits."""

    name = "stored"
    title = "Weights in the blocks of integers of the checkpoint"

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        linears, refused = find_linears(model, settings)
        experts, kept = find_experts(model.graph, settings.exclude)
        inputs = SharedInputs()
        taken = 0
        for linear in linears:
            held = _held_rows(linear.tensor, linear.rows)
            if isinstance(held, str):
                refused.append(Refusal(held, str(linear.node.name)))
                continue
            _to_nbits(linear, held, settings.accuracy_level, inputs)
            taken += 1
        for gather, table in find_tables(model.graph):
            assert table.const_value is not None  # as find_tables gives it
            held = _held_rows(table.const_value, rows=True)
            if isinstance(held, HeldRows) and held.order is not None:
                held = "its columns are in the order of their groups, and rows of a table are wanted as they are"
            is_chosen = settings.embedding != "fp32" and gather.name not in settings.exclude
            halves = _halves(table)
            if isinstance(held, HeldRows) and is_chosen:
                _to_block_gather(gather, table, held)
                taken += 1
            elif halves is not None and is_chosen:
                store_table(gather, add_initializer(model.graph, str(halves.name), halves))
                taken += 1
            elif isinstance(held, str):
                kept.append(Refusal(held, str(gather.name)))
        for one in experts:
            if hold_experts(one, settings.accuracy_level):
                taken += 1
                continue
            own = expert_format(one, _EXPERTS)
            if own is None:
                kept.append(Refusal("experts of these sizes are no whole blocks", str(one.node.name)))
                continue
            quantize_experts(one, own, "", settings.accuracy_level)
            kept.append(Refusal("experts are rounded to 8 bits, for QMoE takes no such blocks", str(one.node.name)))
            taken += 1
        return PassResult(bool(taken), (*refused, *kept))


def _held_rows(tensor: ir.TensorProtocol, rows: bool) -> HeldRows | str:
    """How a matrix stored [N,K] (`rows`) or [K,N] is held as rows; or why it is not."""
    recipe = recipe_of(tensor)
    if recipe is None or recipe.is_constant:
        return "it is no weight of the checkpoint by itself"
    if any(part.changes for part in recipe.parts):
        return "an adapter changes it"
    forms = [(part.dtype, held_form(part)) for part in recipe.parts]
    plain = sorted({dtype for dtype, form in forms if form is None})
    if plain:
        return f"the checkpoint stores it in {plain[0]}"
    axes, axis = ((), 0) if rows else ((1, 0), 1)
    if recipe.order or recipe.grid or any(part.axes != axes for part in recipe.parts) or not _is_rows(recipe, axis):
        return "its blocks do not lie along its inputs"
    form = reduce(HeldForm.joined, [form for _, form in forms if form])
    orders = [block_rows(part).order() if part.packed else None for part in recipe.parts]
    return HeldRows(tensor, recipe.parts, form, tuple(None if one is None else one.tobytes() for one in orders))


def _halves(table: ir.Value) -> ir.TensorProtocol | None:
    """A table of 16 bits as it is stored; None for another, and for one that other nodes read in float32."""
    source = table.const_value
    recipe = recipe_of(source)
    if source is None or recipe is None or any(use.node.op_type != "Gather" for use in table.uses()):
        return None
    part = recipe.parts[0]
    as_stored = replace(part, head_size=(), changes=(), axes=())
    if part.dtype not in _HALVES or not part.name or recipe != WeightRecipe.of(as_stored):
        return None
    dtype, name = _HALVES[part.dtype], f"{table.name}.{part.dtype}"
    kinds = [(name, dtype, recipe.shape)]
    group = lazy_tensors(
        source, ("halves", part), kinds, lambda _: [stored_halves(part).view(dtype.numpy())], reads=False
    )
    return group.tensors[0]


def _is_rows(recipe: WeightRecipe, axis: int) -> bool:
    """Whether the tensor is of two axes, and its parts follow each other along that of the rows."""
    shapes = [part.result_shape for part in recipe.parts]
    if any(len(shape) != 2 for shape in shapes) or (len(shapes) > 1 and recipe.axis != axis):
        return False
    whole = list(shapes[0])
    whole[axis] = sum(shape[axis] for shape in shapes)
    return recipe.shape == tuple(whole)


@dataclass(frozen=True)
class _Initializers:
    """What a node reads of a weight. minimums: [blocks, N]; rows: the same for a table, [N, blocks]. made: nodes that
    convert numbers of 16 bits.
    """

    integers: ir.Value
    scales: ir.Value
    zeros: ir.Value | None
    minimums: ir.TensorProtocol | None
    rows: ir.TensorProtocol | None
    made: list[ir.Node]

    @classmethod
    def of(cls, graph: ir.Graph, node: ir.Node, held: HeldRows) -> _Initializers:
        """Adds integers, scales and zero points for `node`."""
        tensors = {str(tensor.name).rpartition(".stored")[2]: tensor for tensor in held.tensors().tensors}
        integers = add_initializer(graph, str(tensors[""].name), tensors[""])
        scales, made = _floats(graph, node, tensors[".scales"])
        zeros = tensors.get(".zeros")
        added = add_initializer(graph, str(zeros.name), zeros) if zeros is not None else None
        return cls(integers, scales, added, tensors.get(".minimums"), tensors.get(".minimums.rows"), made)


class SharedInputs:
    """What products of one input share: the input in another order, and the sums of its blocks."""

    def __init__(self) -> None:
        self._ordered: dict[tuple[ir.Value, bytes], ir.Value] = {}
        self._sums: dict[tuple[ir.Value, int], ir.Value] = {}

    def ordered(self, node: ir.Node, source: ir.Value, order: bytes | None) -> tuple[ir.Value, list[ir.Node]]:
        """The input [.., K] in the order of its groups, and the node that is new for it."""
        if order is None or (source, order) in self._ordered:
            return self._ordered[source, order] if order else source, []
        graph = node.graph
        assert graph is not None  # as a product has it
        digest = hashlib.sha256(order).hexdigest()[:16]
        places = add_constant(graph, f"order.{digest}", np.frombuffer(order, np.int64).tolist(), ir.DataType.INT64)
        ordered = self._ordered[source, order] = new_value_like(source, f"order{digest}", source.shape)
        return ordered, [make_node("Gather", [source, places], [ordered], {"axis": -1}, like=node)]

    def sums(self, node: ir.Node, source: ir.Value, held: HeldRows) -> tuple[ir.Value, list[ir.Node]]:
        """The sums [.., blocks] of the inputs of each block, and the nodes that are new for them."""
        if (source, held.form.size) in self._sums:
            return self._sums[source, held.form.size], []
        graph = node.graph
        assert graph is not None  # as a product has it
        blocks, made = _block_sums(graph, node, source, held)
        self._sums[source, held.form.size] = blocks
        return blocks, made


def _to_nbits(linear: LinearProduct, held: HeldRows, level: int, inputs: SharedInputs) -> None:
    node, graph = linear.node, linear.node.graph
    assert graph is not None  # find_linears looks at graphs
    source, product = product_ends(node)
    result, runs = new_value_like(product), held.by_order()
    if len(runs) == 1:
        nodes = _product(node, source, runs[0], level, inputs, linear.bias, product, result)
        replace_nodes([product], [result], nodes, node)
        return
    nodes, results = [], []
    for run in runs:
        axes = [*(product.shape or ())][:-1]
        results.append(new_value_like(product, f"rows{run.label}", ir.Shape([*axes, run.outer]) if axes else None))
        nodes += _product(node, source, run, level, inputs, None, results[-1], results[-1])
    joined = result if linear.bias is None else new_value_like(product, "joined", product.shape)
    nodes.append(make_node("Concat", results, [joined], {"axis": -1}, like=node))
    if linear.bias is not None:
        nodes.append(make_node("Add", [joined, linear.bias], [result], like=node))
    replace_nodes([product], [result], nodes, node)


def _product(
    node: ir.Node, source: ir.Value, held: HeldRows, level: int, inputs: SharedInputs, bias: ir.Value | None,
    like: ir.Value, result: ir.Value,
) -> list[ir.Node]:  # fmt: skip
    """The nodes of a product with these rows. like: a value of the result's type and shape."""
    graph = node.graph
    assert graph is not None  # as a product has it
    own = _Initializers.of(graph, node, held)
    ordered, nodes = inputs.ordered(node, source, held.order)
    facts = {"K": held.inner, "N": held.outer, "bits": held.form.bits, "block_size": held.form.size}
    integers = result if own.minimums is None else new_value_like(like, "integers", like.shape)
    operands = (own.integers, own.scales, own.zeros, bias)
    product = multiply_nbits(node, ordered, operands, facts, level, integers)
    product.name = f"{node.name}{held.label}"
    nodes += [*own.made, product]
    if own.minimums is not None:
        blocks, made = inputs.sums(node, ordered, held)
        minimums, cast = _floats(graph, node, own.minimums)
        offset = new_value_like(like, "minimums", like.shape)
        nodes += [
            *made,
            *cast,
            make_node("MatMul", [blocks, minimums], [offset], like=node),
            make_node("Add", [integers, offset], [result], like=node),
        ]
    return nodes


def _floats(graph: ir.Graph, node: ir.Node, tensor: ir.TensorProtocol) -> tuple[ir.Value, list[ir.Node]]:
    """Numbers in float32, and the node that converts those of 16 bits, once, when a graph is opened.

    Each reader has a node of its own: one that several read would have to stand before all of them.
    """
    stored = add_initializer(graph, str(tensor.name), tensor)
    if tensor.dtype == ir.DataType.FLOAT:
        return stored, []
    name = f"{node.outputs[0].name}.{stored.name}"
    wide = ir.Value(name=name, type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape(tensor.shape))
    return wide, [make_node("Cast", [stored], [wide], {"to": int(ir.DataType.FLOAT)}, like=node)]


def _block_sums(graph: ir.Graph, node: ir.Node, source: ir.Value, held: HeldRows) -> tuple[ir.Value, list[ir.Node]]:
    """The sums [.., blocks] of the inputs of each block, and the nodes that compute them."""
    leading = len(dimensions(source) or (0, 0, 0)) - 1
    shape = [0] * leading + [held.blocks, held.form.size]
    name = f"blocks.{leading}.{held.blocks}.{held.form.size}"
    apart, sums = new_value_like(source, f"by{held.form.size}"), new_value_like(source, f"sums{held.form.size}")
    axes = add_constant(graph, "blocks.axis", [-1], ir.DataType.INT64)
    made = [
        make_node("Reshape", [source, add_constant(graph, name, shape, ir.DataType.INT64)], [apart], like=node),
        make_node("ReduceSum", [apart, axes], [sums], {"keepdims": 0}, like=node),
    ]
    return sums, made


def _to_block_gather(gather: ir.Node, table: ir.Value, held: HeldRows) -> None:
    graph = gather.graph
    assert graph is not None  # find_tables looks at graphs
    own = _Initializers.of(graph, gather, held)
    name, width = f"{table.name}.stored.rows", held.inner * held.form.bits // 8
    rows = add_initializer(graph, name, held.tensors().view(0, name, (held.outer, width)))
    facts = {"bits": held.form.bits, "block_size": held.form.size, "gather_axis": 0, "quantize_axis": 1}
    product, ids = gather.outputs[0], gather.inputs[1]
    inputs = [rows, ids, own.scales, *([own.zeros] if own.zeros is not None else [])]
    result = new_value_like(product)
    integers = result if own.rows is None else new_value_like(product, "integers")
    new = make_node("GatherBlockQuantized", inputs, [integers], facts, like=gather, domain=CONTRIB)
    new.name = gather.name
    nodes = [*own.made, new]
    if own.rows is not None:
        apart, offsets, turned, wide = (
            new_value_like(product, name) for name in ("apart", "offsets", "turned", "wide")
        )
        leading = [0] * len(dimensions(ids) or (0, 0))
        split = add_constant(graph, f"{name}.split", [*leading, held.blocks, held.form.size], ir.DataType.INT64)
        joined = add_constant(graph, f"{name}.joined", [*leading, held.inner], ir.DataType.INT64)
        last = add_constant(graph, f"{name}.last", [-1], ir.DataType.INT64)
        minimums, cast = _floats(graph, gather, own.rows)
        nodes += [
            *cast,
            make_node("Reshape", [integers, split], [apart], like=gather),
            make_node("Gather", [minimums, ids], [offsets], {"axis": 0}, like=gather),
            make_node("Unsqueeze", [offsets, last], [turned], like=gather),
            make_node("Add", [apart, turned], [wide], like=gather),
            make_node("Reshape", [wide, joined], [result], like=gather),
        ]
    replace_nodes([product], [result], nodes, gather)
