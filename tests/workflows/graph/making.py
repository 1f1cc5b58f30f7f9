"""Small models for tests of the graph readers, and a large one whose sizes are known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from workflows.graph.scopes import SCOPES_KEY


def node(op: str, reads: Sequence[str], makes: Sequence[str], scope: str = "", **attributes: Any) -> onnx.NodeProto:
    """A node called after its first output, in `scope` (dots between modules)."""
    made = helper.make_node(op, reads, makes, name=f"n_{makes[0]}", **attributes)
    if scope:
        made.metadata_props.add(key=SCOPES_KEY, value=repr(["", scope.split(".")[0], scope, makes[0]]))
    return made


def value(name: str, shape: Sequence[int | str] | None = (1, 4), dtype: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    """A typed value."""
    return helper.make_tensor_value_info(name, dtype, shape)


def weight(name: str, array: Any) -> onnx.TensorProto:
    """An initializer in the graph's own file."""
    return numpy_helper.from_array(np.asarray(array, np.float32), name)


def external(name: str, dims: Sequence[int], location: str, offset: int = 0, dtype: int = 1) -> onnx.TensorProto:
    """An initializer in another file."""
    tensor = TensorProto(name=name, data_type=dtype, dims=dims, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    tensor.external_data.add(key="offset", value=str(offset))
    return tensor


def model(
    nodes: Sequence[onnx.NodeProto],
    initializers: Sequence[onnx.TensorProto] = (),
    inputs: Sequence[onnx.ValueInfoProto] = (),
    outputs: Sequence[onnx.ValueInfoProto] = (),
    **fields: Any,
) -> onnx.ModelProto:
    """x → y, where nothing else is said."""
    graph = helper.make_graph(
        nodes, "made", list(inputs) or [value("x")], list(outputs) or [value("y")], list(initializers)
    )
    return helper.make_model(graph, **({"opset_imports": [helper.make_opsetid("", 21)]} | fields))


def save(proto: onnx.ModelProto, path: Path) -> Path:
    """Writes a model, and gives the path."""
    path.write_bytes(proto.SerializeToString())
    return path


def tower(count: int) -> onnx.ModelProto:
    """`count` nodes in layers of ten with weights of their own, a residual each; the weights' file is not there."""
    nodes, weights, last = [], [], "x"
    for layer in range(count // 10):
        first = last
        for step in range(10):
            made, op = f"l{layer}.v{step}", ("MatMul", "Add", "Sigmoid", "Mul", "Transpose")[step % 5]
            reads = [last]
            if op in ("MatMul", "Mul"):
                weights.append(external(f"l{layer}.w{step}", [64, 64], "weights.data", len(weights) * 16384))
                reads.append(weights[-1].name)
            elif op == "Add":
                reads.append(first)
            attributes = {"perm": [0, 1]} if op == "Transpose" else {}
            nodes.append(node(op, reads, [made], f"model.layers.{layer}.{'attn' if step < 5 else 'mlp'}", **attributes))
            last = made
    return model(nodes, weights, outputs=[value(last)])


def scrambled(proto: onnx.ModelProto, seed: int = 0) -> onnx.ModelProto:
    """The same model with other names everywhere, and no scopes."""
    chance, names = random.Random(seed), dict[str, str]()
    twin = onnx.ModelProto()
    twin.CopyFrom(proto)

    def other(name: str) -> str:
        return names.setdefault(name, f"z{chance.getrandbits(48):x}") if name else ""

    graph = twin.graph
    for named in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        named.name = other(named.name)
    for one in graph.node:
        one.name = f"n{chance.getrandbits(48):x}"
        one.input[:], one.output[:] = map(other, one.input), map(other, one.output)
        del one.metadata_props[:]
    return twin
