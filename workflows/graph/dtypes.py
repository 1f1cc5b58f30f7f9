"""ONNX element types: their names, and the size of tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx
import onnx_ir as ir

_TEXT = onnx.TensorProto.STRING
_NAMES = {"FLOAT": "float32", "DOUBLE": "float64"}


def dtype_name(code: int) -> str:
    """Returns `float32`, `int8`, `bfloat16` …; `unknown` for a code that ONNX does not define."""
    try:
        name = onnx.TensorProto.DataType.Name(code)
    except ValueError:
        return "unknown"
    return "unknown" if code == onnx.TensorProto.UNDEFINED else _NAMES.get(name, name.lower())


def element_count(dims: Sequence[int]) -> int:
    """Returns the number of elements of a tensor with these axes; a negative axis gives 0."""
    return math.prod(max(axis, 0) for axis in dims)


def byte_count(code: int, dims: Sequence[int]) -> int:
    """Returns the bytes of a tensor as ONNX stores it, packed; 0 for strings and unknown types."""
    if code == _TEXT or dtype_name(code) == "unknown":
        return 0
    bits = element_count(dims) * int(ir.DataType(code).bitwidth)
    return (bits + 7) // 8
