"""Removes what the exporter noted of this machine: stack traces, paths, traced expressions. Scopes stay."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from workflows.common.tensor_names import POSITIONS_KEY
from workflows.optimize.base import Pass, PassResult
from workflows.optimize.packing import PACKED_KEY

KEPT_KEYS = frozenset(
    {"pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy", "joinery.kv", POSITIONS_KEY, PACKED_KEY}
)


class StripMetadata(Pass):
    """Removes all doc strings, and `metadata_props` except scope names and what graphs note of cache and packing."""

    name = "strip_metadata"
    title = "Remove stack traces and local paths, keep scope names"

    def call(self, model: ir.Model) -> PassResult:
        """Changes no value of the graph."""
        modified = False
        for holder in _holders(model):
            doomed = [key for key in holder.metadata_props if key not in KEPT_KEYS]
            for key in doomed:
                del holder.metadata_props[key]
            modified = modified or bool(doomed or holder.doc_string)
            holder.doc_string = None
        return PassResult(modified)

    def ensures(self, model: ir.Model) -> str:
        """Only scope names are left."""
        left = {key for holder in _holders(model) for key in holder.metadata_props} - KEPT_KEYS
        return f"metadata {sorted(left)[0]} is still there" if left else ""


def _holders(model: ir.Model) -> Iterator[ir.Model | ir.Graph | ir.Function | ir.Node | ir.Value]:
    yield model
    for graph in (model.graph, *model.functions.values()):
        yield graph
        yield from graph.inputs
        for node in ir.traversal.RecursiveGraphIterator(graph):
            yield node
            yield from node.outputs
    yield from model.graph.initializers.values()
