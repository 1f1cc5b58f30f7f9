"""int4, int8: weights as integers in blocks, activations in floating point.

    x · W  →  MatMulNBits(x, q, scales, zero points, bias)        Gather(W, ids)  →  GatherBlockQuantized
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Outcome, Refusal
from workflows.optimize.edit import add_initializer, make_node, replace, twin
from workflows.optimize.hygiene import CONTRIB
from workflows.quantize.base import Ranges
from workflows.quantize.blocks import Blocks, quantized_matrix, quantized_table
from workflows.quantize.linear import Linear, find_linears, find_tables
from workflows.recipe import Quantize


class WeightOnly:
    """`int4` or `int8`: the same with other bits. marked: the names of what is made hold the size of the blocks."""

    needs_ranges = False
    retypes = False

    def __init__(self, bits: int, marked: bool = False) -> None:
        self._bits, self._marked = bits, marked
        self.name, self.title = f"int{bits}", f"{bits}-bit weights in blocks"

    def requires(self, model: ir.Model, settings: Quantize) -> Refusal | None:
        """Runs on any graph."""
        return None

    def call(self, model: ir.Model, settings: Quantize, ranges: Ranges | None) -> Outcome:
        """See Method."""
        how = Blocks(self._bits, settings.block_size, settings.symmetric)
        mark = f".b{how.size}" if self._marked else ""
        linears, refused = find_linears(model, settings)
        weights = {linear.weight for linear in linears}
        tables = list(find_tables(model.graph))
        for linear in linears:
            _to_nbits(linear, how, mark, settings.accuracy_level)
        taken = 0
        for gather, table in tables:
            reason = _reason_to_keep(gather, table, settings, tied=table in weights)
            if reason:
                refused.append(Refusal(reason, str(gather.name)))
            elif settings.embedding:
                _to_block_gather(gather, table, how, mark)
                taken += 1
        return Outcome(bool(linears or taken), tuple(refused))


def _to_nbits(linear: Linear, how: Blocks, mark: str, level: int) -> None:
    node, graph = linear.node, linear.node.graph
    assert graph is not None  # find_linears looks at graphs
    packed, scales, zeros = _initializers(graph, linear.weight, linear.rows, how, mark)
    inputs = [node.inputs[0], packed, scales, zeros, None, linear.bias]
    while inputs[-1] is None:
        inputs.pop()
    facts = {"K": linear.inner, "N": linear.outer, "bits": how.bits, "block_size": how.size, "accuracy_level": level}
    result = twin(node.outputs[0])
    new = make_node("MatMulNBits", inputs, [result], facts, like=node, domain=CONTRIB)
    new.name = node.name  # what a person excludes, and what errors are told of
    replace([node.outputs[0]], [result], [new], node)


def _to_block_gather(gather: ir.Node, table: ir.Value, how: Blocks, mark: str) -> None:
    graph = gather.graph
    assert graph is not None and table.const_value is not None  # as find_tables gives them
    _, scales, zeros = _initializers(graph, table, True, how, mark)
    rows = add_initializer(graph, f"{table.name}.int{how.bits}{mark}.rows", quantized_table(table.const_value, how))
    inputs = [rows, gather.inputs[1], scales, *([zeros] if zeros is not None else [])]
    result = twin(gather.outputs[0])
    facts = {"bits": how.bits, "block_size": how.size, "gather_axis": 0, "quantize_axis": 1}
    new = make_node("GatherBlockQuantized", inputs, [result], facts, like=gather, domain=CONTRIB)
    new.name = gather.name
    replace([gather.outputs[0]], [result], [new], gather)


def _initializers(
    graph: ir.Graph, weight: ir.Value, rows: bool, how: Blocks, mark: str
) -> tuple[ir.Value, ir.Value, ir.Value | None]:
    """q, scales and, where they are of a block's own, zero points."""
    assert weight.const_value is not None
    name = f"{weight.name}.int{how.bits}{mark}"
    packed, scales, zeros = quantized_matrix(weight.const_value, rows, how)
    return (
        add_initializer(graph, name, packed),
        add_initializer(graph, f"{name}.scales", scales),
        None if how.symmetric else add_initializer(graph, f"{name}.zeros", zeros),
    )


def _reason_to_keep(gather: ir.Node, table: ir.Value, settings: Quantize, *, tied: bool) -> str:
    size = table.const_value.nbytes if table.const_value is not None else 0
    if gather.name in settings.exclude:
        return "the recipe excludes it"
    if not settings.embedding:
        # told only where a person would think that one of the two is enough
        return f"the table of tokens stays as it is beside the quantized head that is tied to it, {size:,} bytes" * tied
    if int(table.shape[1]) % settings.block_size:
        return f"rows of {table.shape[1]} numbers are no whole blocks of {settings.block_size}"
    return ""
