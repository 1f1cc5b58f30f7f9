"""Computes the head for selected rows only: two optional inputs give the range.

    hidden [1,S,E] ── Slice(logits_start, logits_end) ── head ──▶ logits [1,logits_rows,V]

By default all rows are computed, so that other runtimes get the same logits. One graph and one session serve a prompt's
last row, one token, a draft's rows and an evaluation's.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from workflows.common.tensor_names import LOGITS, LOGITS_END, LOGITS_ROWS, LOGITS_START
from workflows.optimize.base import Pass, Refusal, Rewrites
from workflows.optimize.graph_edits import add_constant, make_node, new_value_like
from workflows.optimize.logits_head import find_head, logits_axes
from workflows.optimize.queries import dimensions

_ALL_ROWS = {LOGITS_START: 0, LOGITS_END: np.iinfo(np.int64).max}


class LogitsRows(Pass):
    """Lets a run select the rows [start, end) of its logits; negative ones count from the end, as in Slice."""

    name = "logits_rows"
    title = "Logits of selected rows"
    reshapes: tuple[str, ...] = (LOGITS,)

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs logits [1,S,V] with a symbolic S whose rows cannot be selected yet."""
        axes = logits_axes(model)
        if isinstance(axes, Refusal):
            return axes
        if isinstance(axes[1], int):
            return Refusal(f"its sequence axis is fixed to {axes[1]}, and so are the rows of its logits")
        chosen = any(value.name == LOGITS_START for value in model.graph.inputs)
        return Refusal("the rows of its logits can be chosen already") if chosen else None

    def _rewrites(self, model: ir.Model) -> Rewrites:
        head = find_head(model)
        if isinstance(head, Refusal):
            yield head
            return
        graph = model.graph
        start, end = (_optional_input(graph, name, default) for name, default in _ALL_ROWS.items())
        axis = add_constant(graph, f"{LOGITS_ROWS}.axis", [1], ir.DataType.INT64)
        first, _, width = dimensions(head.hidden) or ()
        rows = new_value_like(head.hidden, LOGITS_ROWS, ir.Shape([first, LOGITS_ROWS, width]))
        graph.insert_before(head.node, make_node("Slice", [head.hidden, start, end, axis], [rows], like=head.node))
        head.feed(rows, LOGITS_ROWS)
        yield None


def _optional_input(graph: ir.Graph, name: str, default: int) -> ir.Value:
    """Adds an int64 input [1] with a default."""
    value = add_constant(graph, name, [default], ir.DataType.INT64)
    graph.inputs.append(value)
    return value
