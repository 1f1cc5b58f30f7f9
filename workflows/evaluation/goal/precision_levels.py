"""The precision levels of a weight: quantization methods with their block sizes, the smallest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workflows.quantize.grids import BlockFormat
from workflows.recipe.schema import BlockSize

LevelKind = Literal["int4", "int8", "int8-dynamic", "fp16", "fp32"]
_BITS = {"int4": 4, "int8": 8}


@dataclass(frozen=True)
class PrecisionLevel:
    """A method of quantize.nodes, or fp32: the weight as it is. block: of int4 and int8, else 32."""

    kind: LevelKind
    block: BlockSize = 32

    @property
    def in_blocks(self) -> bool:
        """Whether weights share a scale block by block."""
        return self.kind in _BITS

    def __str__(self) -> str:
        """`int4/32`, `fp16`."""
        return f"{self.kind}/{self.block}" if self.in_blocks else self.kind

    def bytes_of(self, outer: int, inner: int, symmetric: bool) -> int:
        """Returns the size of a float32 matrix [outer, inner] at this level, in bytes."""
        if self.kind == "int8-dynamic":
            return outer * inner + 5 * outer  # a scale and a zero point a column
        if not self.in_blocks:
            return outer * inner * (2 if self.kind == "fp16" else 4)
        rows, scales, zeros = BlockFormat(_BITS[self.kind], self.block, symmetric).fitted(inner).shapes(outer, inner)
        whole = rows[0] * rows[1] * rows[2] + 4 * scales[0] * scales[1]
        return whole if symmetric else whole + zeros[0] * zeros[1]


SIZES: tuple[BlockSize, ...] = (128, 64, 32, 16)
FULL = PrecisionLevel("fp32")
PROBE = PrecisionLevel("int4")  # what a unit is in when its share in the error is measured
LEVELS: tuple[PrecisionLevel, ...] = (
    *(PrecisionLevel("int4", size) for size in SIZES),
    PrecisionLevel("int8-dynamic"),
    *(PrecisionLevel("int8", size) for size in SIZES),
    PrecisionLevel("fp16"),
    FULL,
)
