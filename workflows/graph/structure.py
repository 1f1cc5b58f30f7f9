"""Finds faults for which every runtime refuses a graph: names, operators and attributes that do not match.

    ModelProto ──names made and read · operators · attributes · functions · types──▶ one sentence a kind of fault

Only the first fault of each kind is reported, because a damaged file repeats it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

import onnx

from workflows.common.errors import printable
from workflows.graph.dtypes import byte_count
from workflows.graph.operator_schemas import LATEST_OPSET, operator_exists, schema_of
from workflows.graph.subgraphs import all_nodes, subgraphs_of

_STANDARD = {"", "ai.onnx", "ai.onnx.ml"}
_NO_TYPE = onnx.TensorProto.UNDEFINED


def structure_faults(model: onnx.ModelProto, graphs: Sequence[onnx.GraphProto], shown: str) -> Iterator[str]:
    """Returns a sentence for each kind of fault. graphs: all, subgraphs included. shown: the file's name."""
    for faults in (
        _duplicate_names(graphs, shown),
        _undefined_values(model, shown),
        _invalid_opset(model, shown),
        _unknown_operator(model, graphs, shown),
        _invalid_attributes(model, graphs, shown),
        _recursive_function(model, shown),
        _invalid_types(graphs, shown),
        _missing_locations(graphs, shown),
    ):
        yield from islice(faults, 1)


def _duplicate_names(graphs: Iterable[onnx.GraphProto], shown: str) -> Iterator[str]:
    """A name of two values in one graph. An initializer with the name of an input is its default value."""
    for graph in graphs:
        made = [name for node in graph.node for name in node.output if name]
        inputs, constants = [value.name for value in graph.input], _constants(graph)
        for kind, names in (
            ("input", inputs),
            ("output", [value.name for value in graph.output]),
            ("initializer", constants),
            ("result", [*made, *{*inputs, *constants}]),
        ):
            if twice := _first_duplicate(names):
                yield f"{shown} has the {kind} {printable(twice)} twice: no runtime loads it."


def _first_duplicate(names: Sequence[str]) -> str | None:
    """Returns the first name that occurs twice."""
    if len(set(names)) == len(names):
        return None
    return next(name for place, name in enumerate(names) if name in names[:place])


def _constants(graph: onnx.GraphProto) -> list[str]:
    return [tensor.name for tensor in graph.initializer] + [tensor.values.name for tensor in graph.sparse_initializer]


def _undefined_values(model: onnx.ModelProto, shown: str) -> Iterator[str]:
    """A name that is read, or is an output, and is not defined."""
    yield from _undefined_in_graph(model.graph, frozenset(), shown)
    for function in model.functions:
        own = {*function.input, *(name for node in function.node for name in node.output)}
        yield from _undefined_in_nodes(function.node, frozenset(own), shown)


def _undefined_in_graph(graph: onnx.GraphProto, around: frozenset[str], shown: str) -> Iterator[str]:
    known = around | {value.name for value in graph.input} | set(_constants(graph))
    known = known.union(*(node.output for node in graph.node))
    yield from _undefined_in_nodes(graph.node, known, shown)
    for value in graph.output:
        if value.name not in known:
            yield f"Nothing in {shown} makes its output {printable(value.name)}, so no runtime takes it."


def _undefined_in_nodes(nodes: Iterable[onnx.NodeProto], known: frozenset[str], shown: str) -> Iterator[str]:
    for node in nodes:
        for name in node.input:
            if name not in known and name:
                label = _node_label(node)
                yield f"{label} of {shown} reads {printable(name)}, which nothing makes: no runtime takes it."
        for body in subgraphs_of(node) if len(node.attribute) else ():
            yield from _undefined_in_graph(body, known, shown)


def _invalid_opset(model: onnx.ModelProto, shown: str) -> Iterator[str]:
    """An operator set with an invalid version."""
    for entry in model.opset_import:
        if not 0 <= entry.version <= LATEST_OPSET:
            domain = printable(entry.domain or "ai.onnx")
            yield f"{shown} asks for the operators of {domain} in version {entry.version}, so no runtime takes it."


def _unknown_operator(model: onnx.ModelProto, graphs: Sequence[onnx.GraphProto], shown: str) -> Iterator[str]:
    """A node without an operator, or with one that neither onnx nor onnxruntime has in the imported version."""
    versions = _versions(model)
    own = {(function.domain, function.name) for function in model.functions}
    known: set[tuple[str, str]] = set()
    for node in _nodes(model, graphs):
        operator = node.domain, node.op_type
        if operator in known:
            continue
        known.add(operator)
        if not node.op_type:
            yield f"{_node_label(node)} of {shown} has no operator, so no runtime takes it."
        elif node.domain in _STANDARD and operator not in own and node.domain in versions:
            version = versions[node.domain]
            if _is_known(version) and not operator_exists(node.op_type, version, node.domain):
                domain = node.domain or "ai.onnx"
                yield f"{_node_label(node)} of {shown} is no operator of {domain} {version}, so no runtime takes it."


def _invalid_attributes(model: onnx.ModelProto, graphs: Sequence[onnx.GraphProto], shown: str) -> Iterator[str]:
    """An attribute whose type differs from its operator's, or a missing required one."""
    versions = _versions(model)
    for node in _nodes(model, graphs):
        types, required = _attributes(node.op_type, versions.get(node.domain, 0), node.domain)
        if not types:
            continue
        actual = {attribute.name: attribute.type for attribute in node.attribute}
        for name, kind in actual.items():
            if types.get(name, kind) != kind:
                has, wanted = (onnx.AttributeProto.AttributeType.Name(one).lower() for one in (kind, types[name]))
                yield (
                    f"The attribute {printable(name)} of {_node_label(node, 'the')} in {shown} is of the type {has}, "
                    f"and must be of {wanted}: no runtime takes it."
                )
        for name in required - actual.keys():
            yield f"{_node_label(node)} of {shown} lacks the attribute {name}, so no runtime takes it."


def _recursive_function(model: onnx.ModelProto, shown: str) -> Iterator[str]:
    """A function that calls itself, directly or through others."""
    bodies = {(function.domain, function.name): function for function in model.functions}
    calls = {
        key: [call for node in all_nodes(body.node) if (call := (node.domain, node.op_type)) in bodies]
        for key, body in bodies.items()
    }
    remaining = dict(calls)
    while ready := [key for key, called in remaining.items() if not any(call in remaining for call in called)]:
        for key in ready:
            del remaining[key]
    for _, name in remaining:
        yield f"The function {printable(name)} of {shown} calls itself, so that nothing can run it."


def _invalid_types(graphs: Sequence[onnx.GraphProto], shown: str) -> Iterator[str]:
    """An initializer, an input or another value whose type ONNX does not define."""
    known = set(onnx.TensorProto.DataType.values()) - {_NO_TYPE}
    for tensor in _weights(graphs):
        if tensor.data_type not in known:
            yield (
                f"The initializer {printable(tensor.name)} of {shown} has the type {tensor.data_type}, which is none "
                "of ONNX's: it cannot be run."
            )
    for graph in graphs:
        for value in (*graph.input, *graph.output, *graph.value_info):
            kind = value.type.tensor_type.elem_type
            if value.type.HasField("tensor_type") and kind not in known and kind != _NO_TYPE:
                name = printable(value.name)
                yield f"The value {name} of {shown} has the type {kind}, which is none of ONNX's: it cannot be run."


def _missing_locations(graphs: Iterable[onnx.GraphProto], shown: str) -> Iterator[str]:
    """A weight in a file without a name. A tensor of a snapshot without data has no entry at all (GraphSnapshot)."""
    for tensor in _weights(graphs):
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        entries = {entry.key: entry.value for entry in tensor.external_data}
        if entries and not entries.get("location"):
            size = byte_count(tensor.data_type, tensor.dims)
            yield (
                f"The initializer {printable(tensor.name)} of {shown} is in a file without a name: its {size:,} "
                "bytes are missing."
            )


def _weights(graphs: Iterable[onnx.GraphProto]) -> Iterator[onnx.TensorProto]:
    for graph in graphs:
        yield from graph.initializer
        for node in graph.node:
            yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))


def _nodes(model: onnx.ModelProto, graphs: Iterable[onnx.GraphProto]) -> Iterator[onnx.NodeProto]:
    """Yields the nodes of the graphs and of the functions."""
    for graph in graphs:
        yield from graph.node
    for function in model.functions:
        yield from all_nodes(function.node)


def _versions(model: onnx.ModelProto) -> dict[str, int]:
    return {entry.domain: entry.version for entry in model.opset_import}


def _node_label(node: onnx.NodeProto, article: str = "The") -> str:
    name = node.name or next(iter(node.output), "")
    return f"{article} node {printable(name)} ({printable(node.op_type)})" if node.op_type else f"{article} node {name}"


def _is_known(version: int) -> bool:
    """Whether the installed onnx knows the operators of this version of its own domain."""
    return bool(0 < version <= onnx.defs.onnx_opset_version())


@cache
def _attributes(operator: str, version: int, domain: str) -> tuple[dict[str, int], frozenset[str]]:
    """Returns the type of each attribute of onnx's operator, and the required ones; none for another operator."""
    schema = schema_of(operator, version, domain)
    attributes = schema.attributes if schema is not None else {}
    types = {name: int(attribute.type.value) for name, attribute in attributes.items()}
    return types, frozenset(name for name, attribute in attributes.items() if attribute.required)
