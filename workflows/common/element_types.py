"""The element types of tensors, by the names that onnxruntime and Joinery have for them; the window reads it."""

from __future__ import annotations

from workflows.common.errors import GraphError

# onnxruntime's name → (name here, bytes per element)
TYPES: dict[str, tuple[str, int]] = {
    "tensor(float)": ("float32", 4),
    "tensor(float16)": ("float16", 2),
    "tensor(bfloat16)": ("bfloat16", 2),
    "tensor(double)": ("float64", 8),
    "tensor(int64)": ("int64", 8),
    "tensor(int32)": ("int32", 4),
    "tensor(int16)": ("int16", 2),
    "tensor(int8)": ("int8", 1),
    "tensor(uint8)": ("uint8", 1),
    "tensor(uint16)": ("uint16", 2),
    "tensor(bool)": ("bool", 1),
    "tensor(string)": ("string", 0),
}
_ITEM_BYTES = dict(TYPES.values())


def item_bytes(dtype: str) -> int:
    """Bytes of one element of `dtype` (`float32`, `int8` …). Raises GraphError for a type that has no fixed size."""
    if not _ITEM_BYTES.get(dtype):
        raise GraphError(f"The element type {dtype} has no fixed size, so no buffer can be made for it.")
    return _ITEM_BYTES[dtype]
