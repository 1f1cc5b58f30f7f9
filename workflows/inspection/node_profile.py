"""Measures how long each node of a bundle's graphs takes, under the graphs' own node names.

    path ──measure.profile──▶ onnxruntime's nodes ──own_name──▶ the graph's nodes │ made by onnxruntime

onnxruntime names a fused node after one of its nodes, followed by a slash and the fusion's name; its time counts for
that node. A node without such a name (a reordering, a cast, a copy to a device) is listed as onnxruntime's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workflows.common.errors import RequestError, printable
from workflows.graph.load import GraphFile
from workflows.graph.subgraphs import all_graphs
from workflows.inspection.opened_graph import GraphLocation, open_graph
from workflows.measure.profile import STEPS, profile_isolated
from workflows.wire.events import Event
from workflows.wire.reports.profile import ProfileReport


def profile(
    path: Path,
    provider: str = "cpu",
    component: str = "",
    *,
    steps: int = STEPS,
    adapter: str = "",
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ProfileReport:
    """Profiles a bundle or an .onnx file, one component or all. steps: how many are measured. adapter: the active one.

    Raises RequestError if there is no such graph or adapter, BundleError, DeviceError, GraphError, JoineryError if the
    runs fail, Cancelled on request.
    """
    open_graph(GraphLocation(path, component))  # what is not there is said before anything runs
    measured = profile_isolated(path, provider, steps=steps, adapter=adapter, report=report, cancelled=cancelled)
    parts = [part for part in measured.components if component in ("", part.name)]
    if not parts:
        raise RequestError(f"{printable(component)} takes no part in a chunk or a step, so that nothing can be timed.")
    locations = {part.name: GraphLocation(path, part.name if path.is_dir() else "") for part in parts}
    names = {name: NodeNames.of(open_graph(location).file) for name, location in locations.items()}
    return replace(
        measured,
        components=[
            replace(part, nodes=[replace(node, own=names[part.name].own(node.name)) for node in part.nodes])
            for part in parts
        ],
    )


@dataclass(frozen=True)
class NodeNames:
    """A graph's node names. known: the names in the graph; unnamed: `Op_index`, as onnxruntime names the others."""

    known: frozenset[str]
    unnamed: Mapping[str, str]

    @classmethod
    def of(cls, file: GraphFile) -> NodeNames:
        """Collects the names of a graph and its subgraphs; a node without a name is called after its first output."""
        nodes = [node for graph in all_graphs(file.proto.graph) for node in graph.node]
        places = enumerate(file.proto.graph.node)
        return cls(
            frozenset(node.name for node in nodes if node.name),
            {f"{node.op_type}_{place}": node.output[0] for place, node in places if not node.name and node.output},
        )

    def own(self, name: str) -> str:
        """Returns the graph's name of the node that onnxruntime calls `name`; "" for a node that onnxruntime added."""
        parts = name.split("/")
        leading = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((part for part in leading if part in self.known), self.unnamed.get(name, ""))
