"""int4, int8: weights quantized in blocks, activations in floating point.

x · W  →  MatMulNBits(x, q, scales, zero points, bias)        Gather(W, ids)  →  GatherBlockQuantized
MoE(x, …)  →  QMoE(x, …)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as changed

import onnx_ir as ir

from workflows.optimize.base import PassResult, Refusal
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import consumers, dimensions, producer
from workflows.quantize.base import Method, Ranges
from workflows.quantize.block_quantization import quantized_matrix, quantized_table
from workflows.quantize.compensated_rounding import CompensatedRounding
from workflows.quantize.experts import Experts, expert_format, find_experts, quantize_experts
from workflows.quantize.grids import BlockFormat
from workflows.quantize.linear_layers import (
    LinearProduct,
    find_head,
    find_linears,
    find_tables,
    is_behind_attention,
    is_token_lookup,
)
from workflows.recipe import QuantizeSettings
from workflows.recipe.schema import BLOCK_SIZES


class WeightOnly(Method):
    """`int4` or `int8`, which differ in bits.

    marked: whether the names of new tensors contain the block size. rounding: of weights whose inputs were seen.
    """

    def __init__(self, bits: int, marked: bool = False, rounding: CompensatedRounding | None = None) -> None:
        self.bits, self._marked, self._rounding = bits, marked, rounding
        self.name, self.title = f"int{bits}", f"{bits}-bit weights in blocks"

    def requires(self, model: ir.Model, settings: QuantizeSettings) -> Refusal | None:
        """Runs on any graph; error compensation of products needs observed inputs."""
        unseen = self.bits == 4 and settings.rounding == "compensated" and self._rounding is None
        if unseen and self.formats(model, settings):
            return Refusal("compensated rounding is for weights that a calibration has seen the inputs of")
        return None

    def formats(self, model: ir.Model, settings: QuantizeSettings) -> list[tuple[LinearProduct, BlockFormat]]:
        """Returns the products that `call` quantizes, and how."""
        how, fine = self._formats(settings)
        linears, head = find_linears(model, settings)[0], find_head(model.graph)
        sensitive = [one.node is head or is_behind_attention(one.node) for one in linears]
        return [
            (one, (fine if alone else how).fitted(one.inner)) for one, alone in zip(linears, sensitive, strict=True)
        ]

    def _formats(self, settings: QuantizeSettings) -> tuple[BlockFormat, BlockFormat]:
        """The formats of most weights, and of the most sensitive ones."""
        how = BlockFormat(self.bits, settings.block_size, settings.symmetric, settings.rounding)
        size = min(how.size, settings.fine_block_size or how.size) if self.bits == 4 else how.size
        return how, changed(how, size=size)

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        how, fine = self._formats(settings)
        refused, products = find_linears(model, settings)[1], self.formats(model, settings)
        weights, tables = {linear.weight for linear, _ in products}, list(find_tables(model.graph))
        experts, kept = find_experts(model.graph, settings.exclude)
        refused += kept
        taken = self._take_experts(experts, how, settings.accuracy_level, refused)
        for linear, own in products:
            learned = self._learned(linear.tensor, own)
            _to_nbits(linear, own, self._mark(own), settings.accuracy_level, learned)
            if self.bits == 4 and self._rounding is not None and not learned:
                refused.append(Refusal("calibration fed it nothing: rounded by search", str(linear.node.name)))
        for gather, table in tables:
            own = fine if self._marked else fine.fitted(int(table.shape[1]))  # one that is named, as it is named
            reason = self._reason_to_keep(gather, table, own, settings, tied=table in weights)
            if reason:
                refused.append(Refusal(reason, str(gather.name)))
            elif settings.embedding != "fp32":
                assert table.const_value is not None  # as find_tables gives it
                _to_block_gather(gather, table, own, self._mark(own), self._learned(table.const_value, own))
                taken += 1
        return PassResult(bool(products or taken), tuple(refused))

    def _take_experts(self, found: list[Experts], how: BlockFormat, level: int, refused: list[Refusal]) -> int:
        """Quantizes those whose sizes blocks divide; returns how many."""
        taken = 0
        for experts in found:
            own = expert_format(experts, how)
            if own is None:
                sizes = " and ".join(map(str, experts.inner))
                reason = f"experts of {sizes} inputs are no whole blocks of {min(BLOCK_SIZES)}"
                refused.append(Refusal(reason, str(experts.node.name)))
                continue
            quantize_experts(experts, own, self._mark(own), level)
            taken += 1
        return taken

    def _learned(self, weight: ir.TensorProtocol, how: BlockFormat) -> str:
        return self._rounding.learned(weight, how) if self._rounding is not None else ""

    def _mark(self, how: BlockFormat) -> str:
        return f".b{how.size}" if self._marked else ""

    def _reason_to_keep(
        self, gather: ir.Node, table: ir.Value, how: BlockFormat, settings: QuantizeSettings, *, tied: bool
    ) -> str:
        size = table.const_value.nbytes if table.const_value is not None else 0
        if gather.name in settings.exclude:
            return "the recipe excludes it"
        if settings.embedding == "fp32":  # told only where a person would think that one of the two is enough
            stays = f"the table of tokens stays as it is beside the quantized head that is tied to it, {size:,} bytes"
            return stays if tied else ""
        if not self._marked and not is_token_lookup(gather):  # what is named is taken
            return "positions or types choose its rows, which are few and wanted as they are"
        if not self._marked and any(node.op_type != "Gather" for node in consumers(table)):
            return f"the head that is tied to it stays as it is: a second table would add to its {size:,} bytes"
        if int(table.shape[1]) % how.size:
            return f"rows of {table.shape[1]} numbers are no whole blocks of {how.size}"
        return ""


def _to_nbits(linear: LinearProduct, how: BlockFormat, mark: str, level: int, learned: str) -> None:
    node, graph = linear.node, linear.node.graph
    assert graph is not None  # find_linears looks at graphs
    packed, scales, zeros = _initializers(graph, linear.weight, linear.rows, how, mark, learned)
    source, product = product_ends(node)
    facts = {"K": linear.inner, "N": linear.outer, "bits": how.bits, "block_size": how.size}
    result = new_value_like(product)
    new = multiply_nbits(node, source, (packed, scales, zeros, linear.bias), facts, level, result)
    replace_nodes([product], [result], [new], node)


def multiply_nbits(
    node: ir.Node,
    source: ir.Value | None,
    operands: tuple[ir.Value, ir.Value, ir.Value | None, ir.Value | None],
    facts: Mapping[str, int],
    level: int,
    result: ir.Value,
) -> ir.Node:
    """Returns the MatMulNBits in place of the product `node`. operands: integers, scales, zero points, bias."""
    packed, scales, zeros, bias = operands
    inputs = [source, packed, scales, zeros, None, bias]
    while inputs[-1] is None:
        inputs.pop()
    new = make_node("MatMulNBits", inputs, [result], {**facts, "accuracy_level": level}, like=node, domain=CONTRIB)
    new.name = node.name  # what a person excludes, and what errors are told of
    return new


def product_ends(node: ir.Node) -> tuple[ir.Value, ir.Value]:
    """Returns what a product multiplies and its result, of a Gemm before and after the Reshapes around it."""
    source = node.inputs[0]
    assert source is not None  # as a product has it
    return _unflattened(node) or (source, node.outputs[0])


def _unflattened(gemm: ir.Node) -> tuple[ir.Value, ir.Value] | None:
    """Returns the Gemm's rows before and after the Reshapes around it: Gemm needs two axes, MatMulNBits takes any."""
    flatten, readers = producer(gemm.inputs[0], "Reshape"), consumers(gemm.outputs[0])
    if flatten is None or len(readers) != 1 or readers[0].op_type != "Reshape" or gemm.outputs[0].is_graph_output():
        return None
    source, result = flatten.inputs[0], readers[0].outputs[0]
    before, product, after = dimensions(source), dimensions(gemm.outputs[0]), dimensions(result)
    if source is None or not before or not product or after != (*before[:-1], product[-1]) or None in after[:-1]:
        return None
    return source, result


def _to_block_gather(gather: ir.Node, table: ir.Value, how: BlockFormat, mark: str, learned: str) -> None:
    graph = gather.graph
    assert graph is not None and table.const_value is not None  # as find_tables gives them
    _, scales, zeros = _initializers(graph, table, True, how, mark, learned)
    seen = quantized_table(table.const_value, how, learned)
    rows = add_initializer(graph, f"{table.name}.int{how.bits}{mark}.rows", seen)
    inputs = [rows, gather.inputs[1], scales, *([zeros] if zeros is not None else [])]
    result = new_value_like(gather.outputs[0])
    facts = {"bits": how.bits, "block_size": how.size, "gather_axis": 0, "quantize_axis": 1}
    new = make_node("GatherBlockQuantized", inputs, [result], facts, like=gather, domain=CONTRIB)
    new.name = gather.name
    replace_nodes([gather.outputs[0]], [result], [new], gather)


def _initializers(
    graph: ir.Graph, weight: ir.Value, rows: bool, how: BlockFormat, mark: str, learned: str
) -> tuple[ir.Value, ir.Value, ir.Value | None]:
    """Adds q, scales and the zero points of asymmetric blocks."""
    assert weight.const_value is not None
    name = f"{weight.name}.int{how.bits}{mark}"
    packed, scales, *zeros = quantized_matrix(weight.const_value, rows, how, learned).tensors
    return (
        add_initializer(graph, name, packed),
        add_initializer(graph, f"{name}.scales", scales),
        add_initializer(graph, f"{name}.zeros", zeros[0]) if zeros else None,
    )
