"""A copy of a graph with nodes before and after its own, for another program's inputs and outputs."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import onnx
from onnx import helper, numpy_helper

from workflows.common.tensor_names import POSITIONS_KEY
from workflows.common.tensors import Array, TensorSpec
from workflows.graph.signature import signature_of
from workflows.graph.subgraphs import all_nodes
from workflows.kvcache.geometry import FACTS_KEY

_PREFIX = "joinery.genai."


class GraphEnds:
    """A copy of a graph, without external data, with nodes added before and after its own."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._model = deepcopy(model)
        self._graph, self._before, self._after = self._model.graph, list[onnx.NodeProto](), list[onnx.NodeProto]()
        signature = signature_of(model)
        self.specs = {spec.name: spec for spec in signature.inputs}
        self.outputs = {spec.name: spec for spec in signature.outputs}
        self._known: dict[tuple[object, ...], str] = {}  # operator and inputs, or constant → output name
        self._replaced: set[str] = set()

    @property
    def changed(self) -> bool:
        return bool(self._before or self._after)

    def shorten(self, spec: TensorSpec, axis: int, whole: int) -> None:
        """Gives the input `whole` elements along an axis, of which the graph reads the first, as many as it did."""
        size = spec.shape[axis]
        if not isinstance(size, int) or size == whole:
            return
        bounds = (self._numbers(0), self._numbers(size), self._numbers(axis))
        self._reroute(spec.name, self._node("Slice", spec.name, *bounds))
        (value,) = (one for one in self._graph.input if one.name == spec.name)
        value.type.tensor_type.shape.dim[axis].dim_value = whole

    def model(self) -> onnx.ModelProto:
        """The changed copy: with the nodes, and without the inputs that they replace."""
        inputs = [value for value in self._graph.input if value.name not in self._replaced]
        nodes = [*self._before, *self._graph.node, *self._after]
        del self._graph.input[:], self._graph.node[:]
        self._graph.input.extend(inputs)
        self._graph.node.extend(nodes)
        entries = [entry for entry in self._model.metadata_props if entry.key not in (FACTS_KEY, POSITIONS_KEY)]
        del self._model.metadata_props[:]
        self._model.metadata_props.extend(entries)  # the facts about the cache no longer hold
        return self._model

    def _cast(self, name: str, spec: TensorSpec) -> str:
        is_bfloat16 = spec.dtype == "bfloat16"  # which numpy lacks
        kind = onnx.TensorProto.BFLOAT16 if is_bfloat16 else helper.np_dtype_to_tensor_dtype(np.dtype(spec.numpy_dtype))
        return self._node("Cast", name, to=int(kind))

    def _scalar(self, value: int) -> str:
        return self._constant(np.array(value, np.int64))

    def _numbers(self, *values: int) -> str:
        return self._constant(np.array(values, np.int64))

    def _constant(self, value: Array) -> str:
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self._known:
            self._known[key] = f"{_PREFIX}constant_{len(self._known)}"
            self._graph.initializer.append(numpy_helper.from_array(value, self._known[key]))
        return self._known[key]

    def _node(self, op: str, *inputs: str, **attributes: int) -> str:
        """Adds a node, or reuses an equal one, and returns its output."""
        key = (op, inputs, tuple(attributes.items()))
        if key not in self._known:
            name = self._known[key] = f"{_PREFIX}{op.lower()}_{len(self._known)}"
            self._before.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return self._known[key]

    def _lowest(self, spec: TensorSpec) -> str:
        """A scalar: the lowest finite number of the tensor's type."""
        smallest = float(spec.as_float32(np.array(spec.lowest, spec.numpy_dtype)))
        return self._constant(np.array(smallest, np.float32))

    def _replace(self, name: str, made: str) -> None:
        """Replaces the graph's input `name`, which is removed, by the value `made`."""
        self._reroute(name, made)
        self._replaced.add(name)

    def _reroute(self, name: str, made: str) -> None:
        """Lets the graph's own nodes, also those of subgraphs, read the value `made` in place of `name`."""
        for node in all_nodes(self._graph.node):
            for i, read in enumerate(node.input):
                if read == name:
                    node.input[i] = made

    def _renamed(self, name: str) -> str:
        """The new name of the graph's own output `name`, whose name is then free for another node's."""
        rows = f"{_PREFIX}{name}.rows"
        for node in self._graph.node:
            for i, written in enumerate(node.output):
                if written == name:
                    node.output[i] = rows
        self._reroute(name, rows)
        return rows
