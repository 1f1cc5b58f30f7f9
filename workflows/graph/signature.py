"""Reads a graph's signature from its file, as `workflows.runtime` reads it from a session."""

from __future__ import annotations

import onnx

from workflows.common.errors import printable
from workflows.common.tensors import TensorSpec
from workflows.graph.dtypes import dtype_name
from workflows.runtime.program.signature import FileSignature


def signature_of(model: onnx.ModelProto) -> FileSignature:
    """Returns the inputs that are not weights, the outputs, and the graph's metadata."""
    weights = {tensor.name for tensor in model.graph.initializer}
    return FileSignature(
        tuple(_spec(value) for value in model.graph.input if value.name not in weights),
        tuple(_spec(value) for value in model.graph.output),
        {entry.key: entry.value for entry in model.metadata_props},
    )


def _spec(value: onnx.ValueInfoProto) -> TensorSpec:
    dtype, shape = type_of(value)
    return TensorSpec(value.name, ("?",) if shape is None else tuple(shape), dtype or "unknown")


def type_of(info: onnx.ValueInfoProto) -> tuple[str, list[int | str] | None]:
    """Returns (element type, shape) of a tensor; for another type its kind, and no shape."""
    kind = info.type.WhichOneof("value")
    if kind is None:
        return "", None
    if kind not in ("tensor_type", "sparse_tensor_type"):
        return kind.removesuffix("_type"), None
    tensor = getattr(info.type, kind)
    if not tensor.HasField("shape"):
        return dtype_name(tensor.elem_type), None
    return dtype_name(tensor.elem_type), [
        int(axis.dim_value) if axis.HasField("dim_value") else printable(axis.dim_param) or "?"
        for axis in tensor.shape.dim
    ]
