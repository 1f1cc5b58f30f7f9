"""Edits of copied graphs: resolve an If, keep chosen outputs, rename inputs, fix axes, fold computations of shapes.

No weights are read: an initializer is copied or dropped by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx.shape_inference import InferenceError, infer_shapes

from workflows.common.errors import GraphError, printable
from workflows.graph.subgraphs import all_graphs, values_read

Whole = NDArray[np.integer[Any]]
Sizes = Mapping[str, Sequence[int | None]]  # value → its axes, None for an unknown one
_KINDS = {onnx.TensorProto.INT64: np.int64, onnx.TensorProto.INT32: np.int32}
_LIMIT = 4096  # elements of a folded value
_ROUNDS = 8


def resolve_condition(model: onnx.ModelProto, condition: str, value: bool) -> onnx.ModelProto:
    """A copy in which every If on the input `condition` is replaced by its branch, and the input is removed.

    Raises GraphError where a branch redefines a name of the outer graph.
    """
    copy = deepcopy(model)
    graph = copy.graph
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "If" and list(node.input) == [condition]:
            nodes += _body(node, graph, value)
        else:
            nodes.append(node)
    _put(graph.node, nodes)
    if condition not in {name for node in nodes for name in values_read(node)}:
        _put(graph.input, [one for one in graph.input if one.name != condition])
    return copy


def _body(node: onnx.NodeProto, graph: onnx.GraphProto, value: bool) -> list[onnx.NodeProto]:
    """The nodes of one branch, plus nodes that name its outputs like the If's; its weights move to the graph."""
    name = "then_branch" if value else "else_branch"
    body = next((attribute.g for attribute in node.attribute if attribute.name == name), None)
    if body is None or len(body.output) != len(node.output):
        raise GraphError(f"The If {printable(node.name)} has no {name} with its outputs: get the graph again.")
    known = {tensor.name for tensor in graph.initializer} | {one.name for one in graph.input}
    made = {output for inner in body.node for output in inner.output} | {tensor.name for tensor in body.initializer}
    if twice := sorted(known & made):
        raise GraphError(f"The name {printable(twice[0])} is defined twice in the graph: get the graph again.")
    graph.initializer.extend(body.initializer)
    graph.sparse_initializer.extend(body.sparse_initializer)
    graph.value_info.extend(body.value_info)
    pairs = zip((one.name for one in body.output), node.output, strict=True)
    return [*body.node, *(helper.make_node("Identity", [own], [outer]) for own, outer in pairs if own != outer)]


def keep_outputs(
    model: onnx.ModelProto, outputs: Iterable[str], names: Mapping[str, str] | None = None
) -> onnx.ModelProto:
    """A copy with only these outputs and the nodes they need. names: output → new name."""
    copy, names = deepcopy(model), names or {}
    graph, wanted = copy.graph, list(outputs)
    _put(graph.output, [one for one in graph.output if one.name in wanted])
    _put(graph.node, _needed(graph.node, wanted))
    read = {name for node in graph.node for name in values_read(node)} | {*wanted}
    for output in graph.output:
        if output.name in names:
            graph.node.append(helper.make_node("Identity", [output.name], [names[output.name]]))
            output.name = names[output.name]
    made = {name for node in graph.node for name in node.output}
    _put(graph.input, [one for one in graph.input if one.name in read])
    _put(graph.initializer, [one for one in graph.initializer if one.name in read])
    _put(graph.sparse_initializer, [one for one in graph.sparse_initializer if one.values.name in read])
    _put(graph.value_info, [one for one in graph.value_info if one.name in made])
    return copy


def _needed(nodes: Iterable[onnx.NodeProto], wanted: Collection[str]) -> list[onnx.NodeProto]:
    """The nodes that the wanted values need, in order."""
    needed, nodes_needed = {*wanted}, []
    for node in reversed(list(nodes)):
        if needed & {*node.output}:
            nodes_needed.append(node)
            needed |= {*values_read(node)}
    return nodes_needed[::-1]


def rename_inputs(model: onnx.ModelProto, names: Mapping[str, str]) -> onnx.ModelProto:
    """A copy with renamed inputs, old → new."""
    copy = deepcopy(model)
    for value in copy.graph.input:
        value.name = names.get(value.name, value.name)
    for node in (node for graph in all_graphs(copy.graph) for node in graph.node):
        node.input[:] = [names.get(name, name) for name in node.input]
    return copy


def fix_axes(model: onnx.ModelProto, sizes: Mapping[tuple[str, int], int]) -> onnx.ModelProto:
    """A copy in which axes of inputs and outputs, (name, axis), have these sizes; absent ones are ignored."""
    copy = deepcopy(model)
    for value in (*copy.graph.input, *copy.graph.output):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if (value.name, axis) in sizes:
                dim.dim_value = sizes[value.name, axis]
    return copy


def _put(field: Any, items: list[Any]) -> None:
    """Replaces the contents of a repeated field by `items`."""
    del field[:]
    field.extend(items)


def with_known_sizes(model: onnx.ModelProto, sizes: Mapping[tuple[str, int], int]) -> onnx.ModelProto:
    """A copy with these input sizes, (name, axis), and with the shape computations that depend on them folded."""
    model = fix_axes(model, sizes)
    for _ in range(_ROUNDS):
        if not _fold_shapes(model.graph, _sizes(model)):
            break
    return model


def _fold_shapes(graph: onnx.GraphProto, sizes: Sizes) -> bool:
    """Replaces nodes by constants; whether there was any."""
    known = {one.name: folded for one in graph.initializer if (folded := _read(one)) is not None}
    measured: dict[str, Sequence[int | None]] = {}  # the output of a Shape → its value
    changed = False
    for node in graph.node:
        if node.op_type == "Constant" and len(node.output) == len(node.attribute) == 1:
            constant = _read(node.attribute[0].t) if node.attribute[0].name == "value" else None
            known |= {} if constant is None else {node.output[0]: constant}
        elif len(node.output) == 1 and not node.domain:
            if node.op_type == "Shape" and len(node.input) == 1 and not node.attribute and node.input[0] in sizes:
                measured[node.output[0]] = sizes[node.input[0]]
            folded = _value(node, known, measured)
            if folded is not None:
                known[node.output[0]], changed = folded, True
                made = numpy_helper.from_array(folded)
                node.CopyFrom(helper.make_node("Constant", [], [node.output[0]], name=node.name, value=made))
    return changed


def _read(tensor: onnx.TensorProto) -> Whole | None:
    """A small integer tensor stored in the graph; None for any other."""
    inline = tensor.data_location == onnx.TensorProto.DEFAULT
    if not inline or tensor.data_type not in _KINDS or prod(tensor.dims) > _LIMIT:
        return None
    try:
        return np.asarray(numpy_helper.to_array(tensor))
    except ValueError:  # fewer bytes than its shape needs
        return None


def _value(
    node: onnx.NodeProto, known: Mapping[str, Whole], measured: Mapping[str, Sequence[int | None]]
) -> Whole | None:
    """The output of a node, where it is known."""
    if node.op_type == "Shape":
        axes = measured.get(node.output[0], (None,))
        return None if None in axes else np.array(axes, np.int64)
    try:
        if node.op_type == "Gather" and node.input[0] in measured and known[node.input[1]].ndim == 0:
            size = measured[node.input[0]][int(known[node.input[1]])]
            return None if size is None else np.array(size, np.int64)
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        made = _COMPUTED[node.op_type](attributes, *(known[name] for name in node.input))
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):  # unknown or invalid inputs
        return None
    return made if made.dtype in _KINDS.values() and made.size <= _LIMIT else None


def _filled(attributes: Mapping[str, Any], shape: Whole) -> Whole:
    value = _read(attributes["value"]) if "value" in attributes else None
    if value is None:
        raise TypeError
    return np.full(_few(shape), value.reshape(())[()])


def _range(_: object, start: Whole, end: Whole, step: Whole) -> Whole:
    first, last, by = (int(one) for one in (start, end, step))
    _few(np.array([len(range(first, last, by))]))
    return np.arange(first, last, by, dtype=start.dtype)


def _few(shape: Whole) -> tuple[int, ...]:
    """A shape of at most _LIMIT elements. Raises ValueError for a larger one."""
    axes = tuple(int(axis) for axis in shape)
    if prod(axes) > _LIMIT:
        raise ValueError
    return axes


_COMPUTED: dict[str, Callable[..., Whole]] = {
    "Add": lambda _, one, other: one + other,
    "Sub": lambda _, one, other: one - other,
    "Mul": lambda _, one, other: one * other,
    "Identity": lambda _, one: one,
    "Cast": lambda attributes, one: one.astype(_KINDS[attributes["to"]]),
    "Concat": lambda attributes, *several: np.concatenate(several, attributes["axis"]),
    "ConstantOfShape": _filled,
    "Expand": lambda _, one, shape: np.broadcast_to(one, np.broadcast_shapes(one.shape, _few(shape))).copy(),
    "Gather": lambda attributes, one, places: np.take(one, places, attributes.get("axis", 0)),
    "Range": _range,
    "Reshape": lambda attributes, one, shape: one.reshape(_few(shape)),
    "Tile": lambda _, one, times: np.tile(one, _few(times)),
    "Unsqueeze": lambda attributes, one, axes=None: np.expand_dims(
        one, tuple(int(axis) for axis in (attributes["axes"] if axes is None else axes))
    ),
}


def _sizes(model: onnx.ModelProto) -> Sizes:
    """The axes of every value, as far as the inputs determine them."""
    bare = keep_outputs(model, [one.name for one in model.graph.output])
    for value in bare.graph.output:
        value.type.tensor_type.ClearField("shape")
    del bare.graph.value_info[:]
    try:
        graph = infer_shapes(bare, data_prop=True).graph
    except InferenceError:  # nothing is known then; the caller reports what depends on it
        return {}
    typed = [one for one in (*graph.input, *graph.output, *graph.value_info) if one.type.tensor_type.HasField("shape")]
    return {
        one.name: [dim.dim_value if dim.HasField("dim_value") else None for dim in one.type.tensor_type.shape.dim]
        for one in typed
    }
