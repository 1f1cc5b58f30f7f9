"""Computes the head for the last position only: logits [1,S,V] become [1,1,V], which suffice for the next token.

For runtimes that cannot select rows (see logits_rows) and need the last one only. Evaluation and speculation read every
row, so the pass is optional and off by default.
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.common.tensor_names import LOGITS
from workflows.optimize.base import Pass, Refusal, Rewrites
from workflows.optimize.graph_edits import add_constant, make_node, new_value_like
from workflows.optimize.logits_head import find_head, logits_axes
from workflows.optimize.queries import dimensions


class LastTokenLogits(Pass):
    """Keeps the last row of the head's input in a graph with a symbolic sequence axis."""

    name = "last_token_logits"
    title = "Logits of the last token alone"
    reshapes: tuple[str, ...] = (LOGITS,)

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs logits [1,S,V] with a symbolic S: in a padded fixed prefill the last row is not the last token."""
        axes = logits_axes(model)
        if isinstance(axes, Refusal):
            return axes
        if isinstance(axes[1], int):
            return Refusal(f"its sequence axis is fixed to {axes[1]}, and what pads it comes last")
        return None

    def _rewrites(self, model: ir.Model) -> Rewrites:
        head = find_head(model)
        if isinstance(head, Refusal):
            yield head
            return
        hidden, graph = head.hidden, model.graph
        first, _, width = dimensions(hidden) or ()
        row = new_value_like(hidden, "last", ir.Shape([first, 1, width]))
        index = add_constant(graph, f"{hidden.name}.last_index", [-1], ir.DataType.INT64)
        graph.insert_before(head.node, make_node("Gather", [hidden, index], [row], {"axis": 1}, like=head.node))
        head.feed(row, 1)
        yield None
