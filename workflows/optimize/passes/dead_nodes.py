"""Removes nodes whose outputs nothing reads, and functions that no node calls."""

from __future__ import annotations

import onnx_ir as ir
import onnx_ir.passes.common as common

from workflows.optimize.base import Pass, PassResult


class DeadNodes(Pass):
    """Removes nodes on which no graph output depends, and Identity nodes; inputs stay, because callers feed them."""

    name = "dead_nodes"
    title = "Remove nodes that nothing reads"

    def call(self, model: ir.Model) -> PassResult:
        steps = (common.IdentityEliminationPass(), common.RemoveUnusedNodesPass(), common.RemoveUnusedFunctionsPass())
        modified = [step(model).modified for step in steps]
        return PassResult(any(modified))

    def ensures(self, model: ir.Model) -> str:
        """Every node of the graph is read."""
        dead = next((n for n in model.graph if not any(o.uses() or o.is_graph_output() for o in n.outputs)), None)
        return f"nothing reads {dead.name}" if dead is not None else ""
