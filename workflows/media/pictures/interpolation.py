"""Scales arrays of floating-point numbers as torch.nn.functional.interpolate does, without antialiasing.

[..., height, width] ──taps of each axis──▶ rows ──▶ columns ──▶ [..., wanted height, wanted width]

Of each of `wanted` places two (bilinear) or four (bicubic) of the axis count. Keys, Cubic convolution interpolation
(1981), with a = -0.75 as in torch.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Filter = Literal["bilinear", "bicubic"]
Taps = tuple[NDArray[np.int64], NDArray[np.float64]]
_A = -0.75


def interpolated(
    values: NDArray[np.floating], height: int, width: int, how: Filter, align_corners: bool = False
) -> NDArray[np.float32]:
    """values [..., H, W] → float32 [..., height, width]. align_corners: the outermost places stay where they are."""
    make = bilinear_taps if how == "bilinear" else bicubic_taps
    made: NDArray[np.float32] = values.astype(np.float32)
    for axis, wanted in ((-2, height), (-1, width)):
        places, weights = make(made.shape[axis], wanted, align_corners)
        factors = weights.astype(np.float32).reshape(wanted, -1, *(1,) * (-axis - 1))  # [wanted, taps, 1 …]
        made = np.sum(
            [np.take(made, places[:, tap], axis) * factors[:, tap] for tap in range(places.shape[1])],
            axis=0,
            dtype=np.float32,
        )
    return made


def bilinear_taps(size: int, wanted: int, align_corners: bool = False) -> Taps:
    """[wanted, 2]: the two nearest of `size` places, of pixels with an extent, and their weights."""
    place = np.maximum(_places(size, wanted, align_corners), 0)
    below = np.minimum(place.astype(np.int64), size - 1)
    above = np.minimum(below + 1, size - 1)
    return np.stack([below, above], axis=1), np.stack([1 - (place - below), place - below], axis=1)


def bicubic_taps(size: int, wanted: int, align_corners: bool = False) -> Taps:
    """[wanted, 4]: the four nearest of `size` places, those beyond the edge being the edge, and their weights."""
    place = _places(size, wanted, align_corners)
    first = np.floor(place).astype(np.int64)
    part = place - first
    far, near = (np.stack([part + 1, 2 - part]), np.stack([part, 1 - part]))
    near = ((_A + 2) * near - (_A + 3)) * near * near + 1
    far = ((_A * far - 5 * _A) * far + 8 * _A) * far - 4 * _A
    places = np.clip(first[:, None] + np.arange(-1, 3), 0, size - 1)
    return places, np.stack([far[0], near[0], near[1], far[1]], axis=1)


def _places(size: int, wanted: int, align_corners: bool) -> NDArray[np.float64]:
    """Where each of `wanted` places lies on an axis of `size`."""
    order = np.arange(wanted, dtype=np.float64)
    if align_corners:
        return order * ((size - 1) / (wanted - 1) if wanted > 1 else 0.0)
    return np.asarray((order + 0.5) * (size / wanted) - 0.5)
