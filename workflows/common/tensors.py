"""The inputs and outputs of a graph: names, shapes with symbolic axes, element types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.common.element_types import TYPES
from workflows.common.errors import GraphError

Array = NDArray[Any]
"""An array of any element type."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One input or output of a graph. A symbolic axis of `shape` is a string, its name; `?` if it has none."""

    name: str
    shape: tuple[int | str, ...]
    dtype: str

    @classmethod
    def of_runtime(cls, name: str, shape: list[int | str | None], type_name: str) -> TensorSpec:
        """Makes a spec from a node argument of an onnxruntime session. Raises GraphError for an unknown type."""
        if type_name not in TYPES:
            raise GraphError(f"{name} has the type {type_name}, which Joinery cannot bind.")
        return cls(name, tuple("?" if axis is None else axis for axis in shape), TYPES[type_name][0])

    @property
    def numpy_dtype(self) -> np.dtype:
        """The numpy type of this tensor's buffers; bfloat16 is held as uint16."""
        return np.dtype("uint16" if self.dtype == "bfloat16" else self.dtype)

    @property
    def element(self) -> np.dtype | int:
        """The type as onnxruntime takes it; numpy has no bfloat16, whose number in ONNX is 16."""
        return 16 if self.dtype == "bfloat16" else self.numpy_dtype

    @property
    def is_floating(self) -> bool:
        """Whether its elements are floating-point numbers."""
        return "float" in self.dtype

    @property
    def is_integer(self) -> bool:
        """Whether its elements are whole numbers."""
        return "int" in self.dtype

    @property
    def lowest(self) -> np.generic:
        """The lowest finite value of the type, as `numpy_dtype`."""
        if self.dtype == "bfloat16":
            return np.uint16(0xFF7F)
        lowest: np.generic = self.numpy_dtype.type(np.finfo(self.numpy_dtype).min)
        return lowest

    def as_float32(self, array: Array) -> NDArray[np.float32]:
        """The values of a floating-point buffer of this type."""
        if self.dtype == "bfloat16":  # the upper half of a float32
            return (array.astype(np.uint32) << 16).view(np.float32)
        return array.astype(np.float32, copy=False)

    def resolve(self, symbols: Mapping[str, int]) -> tuple[int, ...]:
        """The shape with every symbolic axis replaced. Raises GraphError for an axis that `symbols` lacks."""
        missing = [axis for axis in self.shape if isinstance(axis, str) and axis not in symbols]
        if missing:
            raise GraphError(f"{self.name} has the axis {missing[0]}, whose size nothing here decides.")
        return tuple(symbols[axis] if isinstance(axis, str) else axis for axis in self.shape)

    def to_dict(self) -> dict[str, object]:
        """The fields that `inspect --json` prints."""
        return {"name": self.name, "shape": list(self.shape), "dtype": self.dtype}
