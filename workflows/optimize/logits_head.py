"""The head of a decoder: it maps hidden states [1,S,E] to logits [1,S,V] row by row, so fewer rows can be computed."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from workflows.common.tensor_names import LOGITS
from workflows.optimize.base import Refusal
from workflows.optimize.queries import constant_array, consumers, dimensions, producer

Axes = tuple[int | str | None, ...]
# what stands between the head and the logits, row by row
_BY_ROW = ("Mul", "Div", "Add", "Tanh", "Cast", "Reshape", "Gemm", "Identity")


@dataclass(frozen=True)
class LogitsHead:
    """node: the first reader of `hidden` [1,S,E], a MatMul or a folded head's Reshape. logits: its result."""

    node: ir.Node
    hidden: ir.Value
    logits: ir.Value

    def feed(self, rows: ir.Value, size: int | str) -> None:
        """Replaces the head's input by `rows` [1,size,E], and the last axis but one of what follows by `size`."""
        self.node.replace_input_with(0, rows)
        for value in _made_from(self.node, self.logits):
            if (axes := dimensions(value)) is not None:
                value.shape = ir.Shape([*axes[:-2], size, axes[-1]])


def logits_axes(model: ir.Model) -> Axes | Refusal:
    """Returns the axes [1,S,V] of the graph's logits if S is not 1."""
    axes = dimensions(_logits(model))
    if axes is None or len(axes) != 3:
        return Refusal("the graph has no output logits of three axes")
    return Refusal("its logits are of one token already") if axes[1] == 1 else axes


def find_head(model: ir.Model) -> LogitsHead | Refusal:
    """Returns the head of a graph with such logits."""
    logits = _logits(model)
    assert logits is not None  # see logits_axes
    node = _first(logits)
    hidden = node.inputs[0] if node is not None else None
    axes, wanted = dimensions(hidden) or (), dimensions(logits) or ()
    if node is None or hidden is None or len(axes) != 3 or axes[1] != wanted[1]:
        return Refusal("no MatMul over the sequence gives the logits", str(logits.name))
    for value in _made_from(node, logits):
        reshape = producer(value, "Reshape")
        wide = constant_array(reshape.inputs[1]) if reshape is not None else None
        if reshape is not None and (wide is None or axes[1] in wide[:-1]):
            return Refusal(f"a shape behind the head fixes the number of rows: {axes[1]}", str(reshape.name))
    return LogitsHead(node, hidden, logits)


def _logits(model: ir.Model) -> ir.Value | None:
    return next((value for value in model.graph.outputs if value.name == LOGITS), None)


def _first(logits: ir.Value) -> ir.Node | None:
    """Returns the node whose first input will be shortened."""
    node = logits.producer()
    while node is not None and node.op_type in _BY_ROW:
        source = node.inputs[0]
        flattened = producer(source, "Reshape") if node.op_type == "Gemm" else None
        if flattened is not None:
            return flattened
        if source is None or len(consumers(source)) > 1:
            return None
        node = source.producer()
    return node if node is not None and node.op_type == "MatMul" else None


def _made_from(node: ir.Node, logits: ir.Value) -> list[ir.Value]:
    """Yields the outputs of `node` and the values computed from them, up to the logits."""
    found = list(node.outputs)
    for value in found:  # grows while it is walked
        if value is not logits:
            found += [output for user in consumers(value) for output in user.outputs]
    return found
