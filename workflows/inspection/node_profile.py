"""How long each node of a bundle's graphs takes, by the names that the graphs themselves have.

    path ──measure.profile──▶ onnxruntime's nodes ──own_name──▶ the graph's nodes │ made by onnxruntime

A fused node is named after one of those that it was made of, with the fusion's name behind a slash, and counts
as that one; what has no such name (a reordering, a cast, a copy to a device) stays onnxruntime's own.
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
from workflows.wire.reports.profile import ComponentProfile, NodeTime, ProfileReport


def profile(
    path: Path,
    provider: str = "cpu",
    component: str = "",
    *,
    steps: int = STEPS,
    report: Callable[[Event], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ProfileReport:
    """Of a bundle or an .onnx file, of one component or of all. steps: that are counted.

    Raises RequestError where there is no such graph, BundleError, DeviceError, GraphError, JoineryError where the runs
    fail, Cancelled on request.
    """
    open_graph(GraphLocation(path, component))  # what is not there is said before anything runs
    found = profile_isolated(path, provider, steps=steps, report=report, cancelled=cancelled)
    parts = [part for part in found.components if component in ("", part.name)]
    if not parts:
        raise RequestError(f"{printable(component)} takes no part in a chunk or a step, so that nothing can be timed.")
    names = {name: NodeNames.of(_file(path, name)) for name in {part.name for part in parts}}
    return replace(found, components=[_graph_node_times(part, names[part.name]) for part in parts])


def _file(path: Path, name: str) -> GraphFile:
    return open_graph(GraphLocation(path, name if path.is_dir() else "")).file


@dataclass(frozen=True)
class NodeNames:
    """What a graph's nodes are called. known: by a name of its own; unnamed: `Op_place`, as onnxruntime calls it."""

    known: frozenset[str]
    unnamed: Mapping[str, str]

    @classmethod
    def of(cls, file: GraphFile) -> NodeNames:
        """Of a graph and its bodies; a node without a name is called after its first output."""
        nodes = [node for graph in all_graphs(file.proto.graph) for node in graph.node]
        places = enumerate(file.proto.graph.node)
        return cls(
            frozenset(node.name for node in nodes if node.name),
            {f"{node.op_type}_{place}": node.output[0] for place, node in places if not node.name and node.output},
        )

    def own(self, name: str) -> str:
        """The graph's name of what onnxruntime calls `name`; "" where it made that itself."""
        parts = name.split("/")
        leading = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
        found = next((part for part in leading if part in self.known), "")
        return found or self.unnamed.get(name, "")


def _graph_node_times(part: ComponentProfile, names: NodeNames) -> ComponentProfile:
    nodes: list[NodeTime] = [replace(node, own=names.own(node.name)) for node in part.nodes]
    return replace(part, nodes=nodes)
