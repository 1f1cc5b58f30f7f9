"""Extracts a component, or one scope of it, as a small model, which Netron draws.

    GraphFile ──nodes of the scope──▶ inputs: what they read from outside │ outputs: what is read outside ──▶ .onnx

The excerpt names the weights, and does not contain them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import onnx

from workflows.common.errors import RequestError, printable
from workflows.common.files import write_atomically
from workflows.common.paths import home
from workflows.graph.load import topological_order
from workflows.graph.subgraphs import all_graphs, subgraphs_of, values_read
from workflows.inspection.opened_graph import OpenedGraph
from workflows.wire.reports.graphs import ExcerptReport

LIMIT = 500  # nodes; Netron takes 20 s for three times as many
_CACHED_FILES = 32
_INLINE_BYTES = 1024  # bytes


def write_excerpt(opened: OpenedGraph, scope: str = "") -> ExcerptReport:
    """Writes a small .onnx file of the component, or of `scope` and the scopes below it.

    Raises RequestError if the scope does not exist or has more than LIMIT nodes.
    """
    nodes = _nodes_of(opened, scope)
    count = sum(1 + sum(len(graph.node) for body in subgraphs_of(node) for graph in all_graphs(body)) for node in nodes)
    what = printable(scope or opened.title)
    if count > LIMIT:
        raise RequestError(f"{what} has {count:,} nodes; Netron draws up to {LIMIT}: choose a scope.")
    model = _excerpt(opened.file.proto, nodes, what)
    data = model.SerializeToString(deterministic=True)
    folder = home() / "excerpts"
    path = folder / f"{hashlib.sha256(data).hexdigest()[:16]}.onnx"
    write_atomically(path, data)
    _delete_old_files(folder)
    return ExcerptReport(str(path), count)


def _nodes_of(opened: OpenedGraph, scope: str) -> list[onnx.NodeProto]:
    """Returns the nodes of the scope in topological order, without those of subgraphs."""
    graph = opened.file.proto.graph
    top = [node for node in opened.view.nodes if node.parent < 0]  # in that order too
    nodes = [
        graph.node[index]
        for index, node in zip(topological_order(graph), top, strict=True)
        if not scope or f"{node.scope}/".startswith(f"{scope}/")
    ]
    if not nodes:
        raise RequestError(f"{printable(opened.title)} has no scope {printable(scope)!r}.")
    return nodes


def _excerpt(source: onnx.ModelProto, nodes: list[onnx.NodeProto], title: str) -> onnx.ModelProto:
    model = onnx.ModelProto()
    model.ir_version, model.producer_name = source.ir_version, source.producer_name
    model.opset_import.extend(source.opset_import)
    model.functions.extend(source.functions)
    graph, whole = model.graph, source.graph
    graph.name = title
    graph.node.extend(nodes)
    made = {name for node in nodes for name in node.output if name}
    read = list(dict.fromkeys(name for node in nodes for name in values_read(node)))
    typed = {info.name: info for info in (*whole.value_info, *whole.input, *whole.output)}
    weights = {tensor.name: tensor for tensor in whole.initializer}
    sparse = {tensor.values.name: tensor for tensor in whole.sparse_initializer}
    ends = {info.name for info in whole.output}
    ends |= {name for node in whole.node if made.isdisjoint(node.output) for name in values_read(node)}
    for name in read:
        if name in weights:
            graph.initializer.append(_placeholder_tensor(weights[name]))
            graph.input.extend(info for info in whole.input if info.name == name)  # whose default it is
        elif name in sparse:
            graph.sparse_initializer.append(sparse[name])
        elif name and name not in made:
            graph.input.append(_info(name, typed))
    graph.output.extend(_info(name, typed) for node in nodes for name in node.output if name in ends)
    graph.value_info.extend(typed[name] for name in sorted(made - ends) if name in typed)
    return model


def _info(name: str, typed: dict[str, onnx.ValueInfoProto]) -> onnx.ValueInfoProto:
    return typed[name] if name in typed else onnx.ValueInfoProto(name=name)


def _placeholder_tensor(tensor: onnx.TensorProto) -> onnx.TensorProto:
    """Keeps a tensor's name, type and shape, and its values if they take at most _INLINE_BYTES."""
    if tensor.data_location == onnx.TensorProto.EXTERNAL or len(tensor.raw_data) <= _INLINE_BYTES >= tensor.ByteSize():
        return tensor
    bare = onnx.TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)
    bare.data_location = onnx.TensorProto.EXTERNAL
    bare.external_data.add(key="location", value="weights.data")
    return bare


def _delete_old_files(folder: Path) -> None:
    excerpts = sorted(folder.glob("*.onnx"), key=lambda path: path.stat().st_mtime)
    for path in excerpts[:-_CACHED_FILES]:
        path.unlink(missing_ok=True)
