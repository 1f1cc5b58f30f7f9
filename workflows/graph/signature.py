"""A graph's signature, read from its file: what `workflows.runtime` asks of a session, without one."""

from __future__ import annotations

import onnx

from workflows.common.tensors import TensorSpec
from workflows.graph.flat_graph import type_of
from workflows.runtime.program.signature import FileSignature


def signature_of(model: onnx.ModelProto) -> FileSignature:
    """The inputs that are no weights, the outputs, and what the graph notes of itself."""
    weights = {tensor.name for tensor in model.graph.initializer}
    return FileSignature(
        tuple(_spec(value) for value in model.graph.input if value.name not in weights),
        tuple(_spec(value) for value in model.graph.output),
        {entry.key: entry.value for entry in model.metadata_props},
    )


def _spec(value: onnx.ValueInfoProto) -> TensorSpec:
    dtype, shape = type_of(value)
    return TensorSpec(value.name, ("?",) if shape is None else tuple(shape), dtype or "unknown")
