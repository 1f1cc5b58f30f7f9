"""Graphs for looking at: any .onnx file, or a component of a bundle at any stage of its build; weights stay unread.

file or archive ──load──▶ GraphFile ──view──▶ View (values, nodes) ──▶ the window, `joinery inspect`
two views ──match──▶ pairs ──diff──▶ one merged graph and its counts
an initializer ──tensor──▶ statistics            a scope ──excerpt──▶ a small .onnx for Netron
"""

from workflows.graphs.diff import diff_graphs
from workflows.graphs.excerpt import write_excerpt
from workflows.graphs.load import GraphFile, load_graph
from workflows.graphs.tensor import describe_tensor
from workflows.graphs.where import Graphs, Opened, Where, open_graph

__all__ = [
    "GraphFile",
    "Graphs",
    "Opened",
    "Where",
    "describe_tensor",
    "diff_graphs",
    "load_graph",
    "open_graph",
    "write_excerpt",
]
