"""Numbers as files store them in blocks: small integers, and a scale for each block.

a number:  scale · (integer − zero) − minimum          or, of a table:  scale · levels[integer]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.common.tensors import Array

Bytes = NDArray[Any]
"""uint8"""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Numbers in groups of `size`, n of them: scale · (integer − zero) − minimum.

    integers: [n, size] uint8. scales, minimums: [n] float32; minimums is None where all are 0. zero: one for all, or
    [n]. bits: of an integer. levels: the numbers that integers stand for, float32, where they are not themselves.
    """

    integers: Bytes
    scales: Array
    zero: int | Array
    bits: int
    minimums: Array | None = None
    levels: Array | None = None

    def values(self) -> Array:
        """The numbers, [n, size] float32, rounded as the packages that write the files round them."""
        numbers: Array = self.integers.astype(np.float32) if self.levels is None else self.levels[self.integers]
        numbers -= np.asarray(self.zero, np.float32).reshape(-1, 1)
        with np.errstate(over="ignore", invalid="ignore"):  # who reads numbers refuses those that are not finite
            numbers *= self.scales[:, None]
            if self.minimums is not None:
                numbers -= self.minimums[:, None]
        return numbers
