"""Graphs for looking at: any .onnx file, or a component of a bundle at any stage of its build; weights stay unread.

file or archive ──load──▶ GraphFile ──view──▶ View (values, nodes) ──▶ the window, `joinery inspect`
two views ──match──▶ pairs ──diff──▶ one merged graph and its counts
an initializer ──tensor──▶ statistics            a scope ──excerpt──▶ a small .onnx for Netron
"""

from workflows.graph.diff import diff_graphs
from workflows.graph.excerpt import write_excerpt
from workflows.graph.load import GraphFile, load_graph
from workflows.graph.opened_graph import GraphCache, GraphLocation, OpenedGraph, open_graph
from workflows.graph.tensor_statistics import describe_tensor

__all__ = [
    "GraphCache",
    "GraphFile",
    "GraphLocation",
    "OpenedGraph",
    "describe_tensor",
    "diff_graphs",
    "load_graph",
    "open_graph",
    "write_excerpt",
]
