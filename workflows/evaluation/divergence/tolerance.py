"""Decides whether two tensors that should be equal differ by more than rounding.

A node is judged by itself: both sides read the same values, so the tolerance does not grow with the depth of the model.
With u the unit roundoff of the coarser of the two element types, and relative to the largest value of the tensor:

    the same operator on the same provider    8 u   the same kernel adds in the same order; this is slack, not need
    another operator or fusion                256 u of float32 and float64, 32 u of half precision
    another provider                          32 u of half precision: NPUs and GPUs compute float32 in it, or coarser

A sum of K products has a relative error of about u √K where roundings are independent (Higham & Mary, "A new approach
to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019), which is 64 u for K = 4,096; angles of rotary
embeddings err by their position times u, and a softmax turns an absolute error of its scores into a relative one. Half
precision is accumulated in float32 by the kernels at hand, so that roundings of inputs and outputs alone count there.

Masks are filled with values at or below the lowest of float16: two such values agree.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
_ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11}
_SAME, _OTHER, _HALF = 8.0, 256.0, 32.0
_MASKED = -6.0e4


class Gap(NamedTuple):
    """The largest difference, infinite if only one value is not finite, and the largest value of the first tensor."""

    difference: float
    largest: float

    @property
    def relative(self) -> float:
        """The difference relative to the largest value."""
        return self.difference / self.largest if self.largest else (math.inf if self.difference else 0.0)


NO_GAP = Gap(0.0, 0.0)


def largest_gap(reference: Array, other: Array) -> Gap:
    """Returns the gap between two real tensors of the same shape."""
    one, two = (np.asarray(array, np.float64) for array in (reference, other))
    counts = ~((one <= _MASKED) & (two <= _MASKED))
    one, two = one[counts], two[counts]
    finite = np.isfinite(one) & np.isfinite(two)
    with np.errstate(invalid="ignore"):
        alike = (one == two) | (np.isnan(one) & np.isnan(two))
    largest = float(np.abs(one[finite]).max(initial=0.0))
    if not np.all(finite | alike):
        return Gap(math.inf, largest)
    return Gap(float(np.abs(one[finite] - two[finite]).max(initial=0.0)), largest)


def tolerance(types: tuple[str, str], same_operator: bool, same_provider: bool = True) -> float:
    """Returns the error that rounding explains, relative to the largest value. types: numpy's names of both types."""
    coarser = max(types, key=lambda name: _ROUNDOFF[name]) if same_provider else "float16"
    factor = _SAME if same_operator and same_provider else _HALF if coarser == "float16" else _OTHER
    return factor * _ROUNDOFF[coarser]
