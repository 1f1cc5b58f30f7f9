"""The head on the last position alone: [1,S,V] logits become [1,1,V], as choosing the next token needs.

Not for a run that reads every row, as an evaluation or speculation does; so it is a choice, and off by default.
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Outcome, Refusal, Rewrite
from workflows.optimize.edit import add_constant, make_node, twin
from workflows.optimize.match import made_by, sizes, users

LOGITS = "logits"
# what stands between the head and the logits, row by row
_BY_ROW = ("Mul", "Div", "Add", "Tanh", "Cast", "Reshape", "Gemm", "Identity")


class LastTokenLogits(Rewrite):
    """Keeps the last row of what goes into the head of a graph whose sequence axis is symbolic."""

    name = "last_token_logits"
    title = "Logits of the last token alone"
    reshapes: tuple[str, ...] = (LOGITS,)

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs logits [1,S,V] with a symbolic S: a fixed prefill is padded, and its last row is not its last token."""
        logits = _logits(model)
        axes = sizes(logits)
        if logits is None or axes is None or len(axes) != 3:
            return Refusal("the graph has no output logits of three axes")
        if axes[1] == 1:
            return Refusal("its logits are of one token already")
        if isinstance(axes[1], int):
            return Refusal(f"its sequence axis is fixed to {axes[1]}, and what pads it comes last")
        return None

    def call(self, model: ir.Model) -> Outcome:
        """See Pass."""
        logits = _logits(model)
        assert logits is not None and logits.shape is not None  # see requires
        head = _head(logits)
        hidden = head.inputs[0] if head is not None else None
        axes = sizes(hidden)
        if head is None or hidden is None or axes is None or len(axes) != 3 or axes[1] != str(logits.shape[1].value):
            return Outcome(False, (Refusal("no MatMul over the sequence gives the logits", str(logits.name)),))
        graph = model.graph
        row = twin(hidden, "last", ir.Shape([axes[0], 1, axes[2]]))
        index = add_constant(graph, f"{hidden.name}.last_index", [-1], ir.DataType.INT64)
        graph.insert_before(head, make_node("Gather", [hidden, index], [row], {"axis": 1}, like=head))
        head.replace_input_with(0, row)
        _shorten(head, logits, str(axes[1]))
        return Outcome(True)


def _logits(model: ir.Model) -> ir.Value | None:
    return next((value for value in model.graph.outputs if value.name == LOGITS), None)


def _head(logits: ir.Value) -> ir.Node | None:
    """The node whose first input is to be shortened: MatMul, or the Reshape in front of a folded head's Gemm."""
    node = logits.producer()
    while node is not None and node.op_type in _BY_ROW:
        source = node.inputs[0]
        flattened = made_by(source, "Reshape") if node.op_type == "Gemm" else None
        if flattened is not None:
            return flattened
        if len(users(source)) > 1 if source is not None else True:
            return None
        node = source.producer() if source is not None else None
    return node if node is not None and node.op_type == "MatMul" else None


def _shorten(head: ir.Node, logits: ir.Value, axis: str) -> None:
    """Writes 1 for the sequence axis of all that comes after the head."""
    waiting = list(head.outputs)
    while waiting:
        value = waiting.pop()
        if value.shape is not None:
            value.shape = ir.Shape([1 if str(getattr(s, "value", s)) == axis else s for s in value.shape])
        if value is not logits:
            waiting += [output for node in users(value) for output in node.outputs]
