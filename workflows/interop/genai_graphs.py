"""Adapts a graph to onnxruntime-genai's inputs by adding nodes at its inputs and outputs only.

    genai provides                           the graph takes
    attention_mask [1, total] integers ──▶   masks [1, 1, columns, total], seqlens_k, total_sequence_length
    past [1, heads, before, size]            past, the same
    present [1, heads, total, size]    ◀──   the new tokens' rows, concatenated to past

A graph with genai's inputs and outputs already is left unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy

import numpy as np
import onnx
from onnx import helper, numpy_helper

from workflows.bundle.outline import Fault
from workflows.common import tensor_names
from workflows.common.tensor_names import POSITIONS_KEY
from workflows.common.tensors import Array, TensorSpec
from workflows.graph.signature import signature_of
from workflows.kvcache import StateTensor
from workflows.kvcache.geometry import FACTS_KEY
from workflows.runtime.program.program import Program

TOTAL = "total_sequence_length"
_PREFIX = "joinery.genai."
_I64, _BOOL = onnx.TensorProto.INT64, onnx.TensorProto.BOOL
_WIDE = (tensor_names.IDS, tensor_names.EMBEDS, tensor_names.POSITIONS)  # inputs [1, columns, …]


def adaptation_faults(program: Program) -> Iterator[Fault]:
    """Yields faults that no added node can repair."""
    facts = program.facts
    if facts.writer == "scatter" or (facts.joins == "place" and facts.writer == "host"):
        yield Fault(
            "metadata.layout", ("genai does not support a cache written in place by index: build with cache=static")
        )
    for name, run in (("prefill", program.prefill), ("decode", program.decode)):
        if run.columns is not None:
            message = (
                f"its graphs take {run.columns} tokens per run, and genai needs any number: build with graphs=single"
            )
            yield Fault(f"pipeline.flow ({name})", message)
    if any(group.chunked for group in facts.groups):
        message = "genai gives a mask of all tokens, and this model's layers attend within chunks: no node can add them"
        yield Fault("pipeline.state.kv_cache", message)
    fixed = next((tensor for tensor in program.state if tensor.capacity is not None), None)
    if fixed is not None:
        message = f"{fixed.past} has {fixed.capacity} slots, and genai's cache grows: build with graphs=single"
        yield Fault("pipeline.state.kv_cache", message)


def adapt_graph(model: onnx.ModelProto, session: str, program: Program) -> onnx.ModelProto | None:
    """A copy of a session's graph, without external data, that genai can feed; None where no change is needed."""
    changed = deepcopy(model)
    inputs = signature_of(model).inputs
    ends = _GraphEnds(changed.graph, inputs)
    session_feeds = {port[1]: feed for port, feed in program.decode.feeds.items() if port[0] == session}
    specs = {spec.name: spec for spec in inputs}
    facts = program.facts
    for group in facts.groups:
        spec = specs.get(group.mask)
        if spec is not None and len(spec.shape) == 4:
            ends.mask(spec, group.window)
    for name in (tensor_names.SEQLENS, tensor_names.TOTAL_LENGTH):
        if name in specs and name in session_feeds and session_feeds[name].kind == "driver":
            ends.length(specs[name])
    if facts.left_aligned and tensor_names.POSITIONS in specs:
        ends.positions(specs[tensor_names.POSITIONS])
    for tensor in program.cache_tensors.get(session, ()):
        if facts.writer == "host" and tensor.gives == "rows":
            ends.join(tensor)
        if ends.changed:
            ends.grow(tensor)
    if not ends.changed:
        return None
    ends.finish()
    entries = [entry for entry in changed.metadata_props if entry.key not in (FACTS_KEY, POSITIONS_KEY)]
    del changed.metadata_props[:]
    changed.metadata_props.extend(entries)  # the facts about the cache no longer hold
    return changed


class _GraphEnds:
    """Adds nodes before and after those of a graph."""

    def __init__(self, graph: onnx.GraphProto, inputs: Sequence[TensorSpec]) -> None:
        self._graph, self._before, self._after = graph, list[onnx.NodeProto](), list[onnx.NodeProto]()
        self._columns = next((spec.name for spec in inputs if spec.name in _WIDE), "")
        self._known: dict[tuple[object, ...], str] = {}  # operator and inputs, or constant → output name
        self._replaced: set[str] = set()

    @property
    def changed(self) -> bool:
        return bool(self._before or self._after)

    def mask(self, spec: TensorSpec, window: int | None) -> None:
        """Computes a causal mask [1, 1, columns, total] from attention_mask; spec: of the graph's mask input."""
        seen = [
            self._node("LessOrEqual", self._keys(), self._queries()),
            self._node("Cast", tensor_names.MASK, to=_BOOL),
        ]
        if window is not None:
            back = self._node("Sub", self._queries(), self._keys())
            seen.append(self._node("Less", back, self._scalar(window)))
        both = seen[0]
        for other in seen[1:]:
            both = self._node("And", both, other)
        wide = self._node("Unsqueeze", both, self._numbers(0, 1))
        smallest = float(spec.as_float32(np.array(spec.lowest, spec.numpy_dtype)))
        zero, lowest = (self._constant(np.array(value, np.float32)) for value in (0, smallest))
        self._replace(spec.name, self._cast(self._node("Where", wide, zero, lowest), spec))

    def length(self, spec: TensorSpec) -> None:
        """Computes the number of tokens after the step, minus one for seqlens_k."""
        less = int(spec.name == tensor_names.SEQLENS)
        count = self._node("Sub", self._total(), self._numbers(1)) if less else self._total()
        self._replace(spec.name, self._cast(self._node("Reshape", count, self._numbers(*[1] * len(spec.shape))), spec))

    def positions(self, spec: TensorSpec) -> None:
        """Computes the positions of the step's tokens from attention_mask."""
        self._replace(spec.name, self._cast(self._node("Reshape", self._queries(), self._numbers(1, -1)), spec))

    def join(self, tensor: StateTensor) -> None:
        """Concatenates past and the new rows to present."""
        rows = f"{_PREFIX}{tensor.present}.rows"
        for node in self._graph.node:
            for ends in (node.input, node.output):
                for i, name in enumerate(ends):
                    if name == tensor.present:
                        ends[i] = rows
        self._after.append(helper.make_node("Concat", [tensor.past, rows], [tensor.present], axis=tensor.slot_axis))

    def grow(self, tensor: StateTensor) -> None:
        """Names the slot axes: past has the slots before the step, present those after it."""
        for value in (*self._graph.output, *self._graph.input):
            if value.name in (tensor.present, tensor.past):
                axis = value.type.tensor_type.shape.dim[tensor.slot_axis]
                axis.dim_param = TOTAL if value.name == tensor.present else "past_sequence_length"

    def finish(self) -> None:
        """Inserts the nodes and removes the inputs that they replace."""
        inputs = [value for value in self._graph.input if value.name not in self._replaced]
        if self._replaced and tensor_names.MASK not in {value.name for value in inputs}:
            inputs.insert(1, helper.make_tensor_value_info(tensor_names.MASK, _I64, [1, TOTAL]))
        nodes = [*self._before, *self._graph.node, *self._after]
        del self._graph.input[:], self._graph.node[:]
        self._graph.input.extend(inputs)
        self._graph.node.extend(nodes)

    def _total(self) -> str:
        return self._node("Shape", tensor_names.MASK, start=1, end=2)

    def _bounds(self) -> tuple[str, str]:
        """Scalars: the step's first and last position + 1."""
        start = self._node("Sub", self._total(), self._node("Shape", self._columns, start=1, end=2))
        return self._node("Squeeze", start), self._node("Squeeze", self._total())

    def _queries(self) -> str:
        """[columns, 1]."""
        return self._node("Unsqueeze", self._node("Range", *self._bounds(), self._scalar(1)), self._numbers(1))

    def _keys(self) -> str:
        """[1, total]."""
        every = self._node("Range", self._scalar(0), self._bounds()[1], self._scalar(1))
        return self._node("Unsqueeze", every, self._numbers(0))

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

    def _replace(self, name: str, made: str) -> None:
        """Replaces the graph's input `name`, which is removed, by the value `made`."""
        for node in self._graph.node:
            for i, read in enumerate(node.input):
                if read == name:
                    node.input[i] = made
        self._replaced.add(name)
