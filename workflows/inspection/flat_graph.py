"""A model as lists of values and nodes, with indices for edges; the subgraphs of If and Loop are flattened.

    GraphFile ──_Flattener──▶ FlatGraph (values, nodes, digests) ──OpenedGraph.report──▶ GraphReport, for the window

A name inside a subgraph may repeat one outside it; a value's `name` here is unique, because the parent node's name is
added to a repeated one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import onnx

from workflows.common.errors import printable
from workflows.graph.dtypes import byte_count, dtype_name
from workflows.graph.external_data import external_location
from workflows.graph.load import GraphFile, topological_order
from workflows.graph.operator_schemas import canonical_domain
from workflows.graph.scopes import scope_of
from workflows.graph.signature import type_of
from workflows.graph.subgraphs import subgraphs_of
from workflows.wire.reports.graphs import GraphFacts, GraphNode, GraphValue

ATTRIBUTE_TEXT = 200
_LISTED = 60  # elements of a list that fit into ATTRIBUTE_TEXT
Attribute = onnx.AttributeProto


class InitializerDigest(NamedTuple):
    """An initializer without its name. content: the hash of its bytes, or its location in a weight file of `folder`."""

    dtype: int
    shape: tuple[int | str, ...]
    content: Hashable
    folder: str = ""

    def differs(self, other: InitializerDigest) -> bool:
        """Whether the two are known to differ; locations in files of two folders are not comparable."""
        same_places = not (self.folder and other.folder and self.folder != other.folder)
        return self[:2] != other[:2] or (same_places and self[2:] != other[2:])


@dataclass
class FlatGraph:
    """Nodes in topological order, and values, as on the wire. digests: value index → digest, of initializers."""

    facts: GraphFacts
    values: list[GraphValue] = field(default_factory=list)
    nodes: list[GraphNode] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    digests: dict[int, InitializerDigest] = field(default_factory=dict)


def flatten_graph(file: GraphFile, made_by: Mapping[str, str] | None = None) -> FlatGraph:
    """Flattens a whole model. made_by: name of a node's first output → the pass that created or changed the node."""
    model = file.proto
    facts = GraphFacts(
        producer=printable(f"{model.producer_name} {model.producer_version}".strip()),
        ir_version=model.ir_version,
        opset={entry.domain or "ai.onnx": entry.version for entry in model.opset_import},
        bytes=0,
        functions=len(model.functions),
        warnings=[*file.warnings, *_metadata(model)],
    )
    view = _Flattener(FlatGraph(facts), made_by or {}, str(file.folder)).model(model.graph)
    view.facts = replace(facts, bytes=sum(value.bytes for value in view.values))
    return view


def _metadata(model: onnx.ModelProto) -> list[str]:
    if not model.functions:
        return []
    names = ", ".join(printable(function.name, 40) for function in model.functions[:3])
    more = f" and {len(model.functions) - 3} more" if len(model.functions) > 3 else ""
    return [f"The model defines functions of its own ({names}{more}): a call of one is drawn as one node."]


@dataclass
class _Frame:
    """One graph during the traversal: the values that it can read, its noted types, and the node that contains it."""

    known: dict[str, int]
    typed: Mapping[str, onnx.ValueInfoProto]
    parent: int = -1
    scope: str = ""
    within: str = ""


class _Flattener:
    """Collects values and nodes; a name is resolved in its own graph first, then in the enclosing ones."""

    def __init__(self, view: FlatGraph, made_by: Mapping[str, str], folder: str) -> None:
        self.view, self._made_by, self._folder = view, made_by, folder
        self._taken: set[str] = set()

    def model(self, graph: onnx.GraphProto) -> FlatGraph:
        """Adds the whole graph."""
        frame = self._graph(graph, _Frame({}, _types(graph)))
        for info in graph.output:
            index = frame.known.get(info.name, -1)
            index = self._value(info.name, info, "output", frame) if index < 0 else index
            if self.view.values[index].kind == "value":
                self.view.values[index].kind = "output"
            self.view.outputs.append(index)
        return self.view

    def _graph(self, graph: onnx.GraphProto, frame: _Frame) -> _Frame:
        initializers: list[tuple[onnx.TensorProto, list[int | str]]]
        initializers = [(tensor, list(tensor.dims)) for tensor in graph.initializer]
        initializers += [(sparse.values, list(sparse.dims)) for sparse in graph.sparse_initializer]
        own = {tensor.name: self._initializer(tensor, dims, frame) for tensor, dims in initializers}
        frame.known.update(own)
        for info in graph.input:
            if info.name in own:
                continue  # old models list every weight as an input too
            frame.known[info.name] = self._value(info.name, info, "input" if frame.parent < 0 else "value", frame)
            if frame.parent < 0:
                self.view.inputs.append(frame.known[info.name])
        for index in topological_order(graph):
            self._node(graph.node[index], frame)
        return frame

    def _node(self, node: onnx.NodeProto, frame: _Frame) -> None:
        inputs = [self._read(name, frame) for name in node.input]
        outputs = [self._value(name, frame.typed.get(name), "value", frame) for name in node.output if name]
        frame.known.update(zip((name for name in node.output if name), outputs, strict=True))
        first = node.output[0] if node.output else ""
        index, name = len(self.view.nodes), node.name or first
        scope = frame.scope if frame.parent >= 0 else scope_of(node)
        self.view.nodes.append(
            GraphNode(
                name=name,
                op=node.op_type,
                domain=canonical_domain(node.domain),
                scope=scope,
                inputs=inputs,
                outputs=outputs,
                attrs={printable(attribute.name): _text(attribute) for attribute in node.attribute},
                made_by=self._made_by.get(first, ""),
                parent=frame.parent,
            )
        )
        for body in subgraphs_of(node):
            inner = "/".join(part for part in (scope, name) if part)
            self._graph(body, _Frame(dict(frame.known), _types(body), index, inner, name))

    def _read(self, name: str, frame: _Frame) -> int:
        if not name:
            return -1
        if name not in frame.known:  # nothing makes it: the model is broken there, and shown so
            frame.known[name] = self._value(name, frame.typed.get(name), "value", frame)
        return frame.known[name]

    def _initializer(self, tensor: onnx.TensorProto, dims: list[int | str], frame: _Frame) -> int:
        code, size = tensor.data_type, byte_count(tensor.data_type, tensor.dims)
        index = self._add(tensor.name, dtype_name(code), dims, "initializer", size, frame)
        self.view.digests[index] = _digest(tensor, tuple(dims), self._folder)
        return index

    def _value(self, name: str, info: onnx.ValueInfoProto | None, kind: str, frame: _Frame) -> int:
        dtype, shape = ("", None) if info is None else type_of(info)
        return self._add(name, dtype, shape, kind, 0, frame)

    def _add(self, name: str, dtype: str, shape: list[int | str] | None, kind: str, size: int, frame: _Frame) -> int:
        unique, count = name, 1
        while unique in self._taken:
            count += 1
            unique = f"{name} ({frame.within}{'' if count == 2 and frame.within else f' {count}'})"
        self._taken.add(unique)
        self.view.values.append(GraphValue(unique, dtype, shape, kind, size))
        return len(self.view.values) - 1


def _types(graph: onnx.GraphProto) -> dict[str, onnx.ValueInfoProto]:
    return {info.name: info for info in (*graph.value_info, *graph.output)}


def _text(attribute: onnx.AttributeProto) -> str:
    """Formats an attribute's value in at most ATTRIBUTE_TEXT characters; a tensor as its type and shape."""
    kind = attribute.type
    if attribute.ref_attr_name:
        return printable(f"the function's {attribute.ref_attr_name}", ATTRIBUTE_TEXT)
    if kind == Attribute.STRING:
        return printable(attribute.s[: 4 * ATTRIBUTE_TEXT].decode("utf-8", "replace"), ATTRIBUTE_TEXT)
    if kind == Attribute.INT:
        return str(attribute.i)
    if kind == Attribute.FLOAT:
        return f"{attribute.f:.7g}"
    if kind == Attribute.TENSOR:
        return _tensor_text(attribute.t)
    if kind == Attribute.GRAPH:
        return f"a graph of {len(attribute.g.node)} nodes"
    lists: dict[int, Sequence[float]] = {Attribute.INTS: attribute.ints, Attribute.FLOATS: attribute.floats}
    if kind in lists:
        shown = [f"{item:.7g}" if isinstance(item, float) else str(item) for item in lists[kind][:_LISTED]]
        return printable(f"[{', '.join(shown)}{', …' if len(lists[kind]) > _LISTED else ''}]", ATTRIBUTE_TEXT)
    if kind == Attribute.STRINGS:
        texts = [item[:ATTRIBUTE_TEXT].decode("utf-8", "replace") for item in attribute.strings[:_LISTED]]
        return printable(texts, ATTRIBUTE_TEXT)
    return str(Attribute.AttributeType.Name(kind)).lower()


def _tensor_text(tensor: onnx.TensorProto) -> str:
    """Formats a tensor as type and shape, and the value of a scalar."""
    text = f"{dtype_name(tensor.data_type)} {list(tensor.dims)}"
    whole = tensor.data_location != onnx.TensorProto.EXTERNAL and not any(axis < 1 for axis in tensor.dims)
    if whole and sum(tensor.dims) == len(tensor.dims) and byte_count(tensor.data_type, ()) == len(tensor.raw_data) > 0:
        text += f" = {onnx.numpy_helper.to_array(tensor).reshape(-1)[0]}"
    return printable(text, ATTRIBUTE_TEXT)


def _digest(tensor: onnx.TensorProto, dims: tuple[int | str, ...], folder: str) -> InitializerDigest:
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        place = external_location(tensor)
        return InitializerDigest(tensor.data_type, dims, (place.location, place.offset), folder)
    if tensor.HasField("raw_data"):
        return InitializerDigest(tensor.data_type, dims, hash(tensor.raw_data))
    nameless = deepcopy(tensor)
    nameless.ClearField("name")
    nameless.ClearField("doc_string")
    return InitializerDigest(tensor.data_type, dims, hash(nameless.SerializeToString(deterministic=True)))
