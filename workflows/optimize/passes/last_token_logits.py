"""The head on the last position alone: [1,S,V] logits become [1,1,V], as choosing the next token needs.

For runtimes that cannot be told which rows to compute (see logits_rows), and never need more than the last: evaluation
and speculation read every row. So it is a choice, and off by default.
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.common.tensor_names import LOGITS
from workflows.optimize.base import PassResult, Refusal, RewritePass
from workflows.optimize.graph_edits import add_constant, make_node, new_value_like
from workflows.optimize.logits_head import find_head, logits_axes
from workflows.optimize.queries import dimensions


class LastTokenLogits(RewritePass):
    """Keeps the last row of what goes into the head of a graph whose sequence axis is symbolic."""

    name = "last_token_logits"
    title = "Logits of the last token alone"
    reshapes: tuple[str, ...] = (LOGITS,)

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs logits [1,S,V] with a symbolic S: a fixed prefill is padded, and its last row is not its last token."""
        axes = logits_axes(model)
        if isinstance(axes, Refusal):
            return axes
        if isinstance(axes[1], int):
            return Refusal(f"its sequence axis is fixed to {axes[1]}, and what pads it comes last")
        return None

    def call(self, model: ir.Model) -> PassResult:
        """See Pass."""
        head = find_head(model)
        if isinstance(head, Refusal):
            return PassResult(False, (head,))
        hidden, graph = head.hidden, model.graph
        first, _, width = dimensions(hidden) or ()
        row = new_value_like(hidden, "last", ir.Shape([first, 1, width]))
        index = add_constant(graph, f"{hidden.name}.last_index", [-1], ir.DataType.INT64)
        graph.insert_before(head.node, make_node("Gather", [hidden, index], [row], {"axis": 1}, like=head.node))
        head.feed(row, 1)
        return PassResult(True)
