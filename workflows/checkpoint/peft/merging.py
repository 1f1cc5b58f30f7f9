"""Computes merged weights, as peft's `merge_and_unload` does, in float32 and in the weight's own memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from workflows.checkpoint.peft.changes import StoredFactor, WeightChange
from workflows.checkpoint.quantized.parts import to_floats
from workflows.common.errors import CheckpointError, printable
from workflows.common.tensors import Array

_ROWS = 1 << 20  # elements of a change that are computed at once
_STORED = {"float32": np.float32, "float16": np.float16, "bfloat16": np.uint16, "float64": np.float64}
"""How numpy reads the dtypes in which adapters are stored, see adapter.FACTOR_DTYPES."""


def apply_changes(changes: Iterable[WeightChange], weight: Array) -> None:
    """Changes a contiguous float32 weight, in order. Raises CheckpointError for numbers that are not finite."""
    for change in changes:
        _apply(change, weight)


def _apply(change: WeightChange, weight: Array) -> None:
    left = read_factor(change.left)
    if change.right is None:
        weight += change.scale * left.reshape(weight.shape)
        return
    left, right = left.reshape(len(left), -1), read_factor(change.right)
    right = right.reshape(len(right), -1)
    if change.turned:
        left, right = right.T, left.T
    matrix = weight.reshape(-1, len(left), right.shape[1])[change.index]
    for rows in _blocks(matrix):
        matrix[rows] += change.scale * (left[rows] @ right)
    if change.magnitude is not None:
        _normalize(change, matrix, read_factor(change.magnitude).reshape(-1))


def _normalize(change: WeightChange, matrix: Array, magnitude: Array) -> None:
    """Gives the rows of the weight, the columns of a turned one, the norms `magnitude`."""
    if change.turned:
        squares = np.zeros(matrix.shape[1], np.float32)
        for rows in _blocks(matrix):
            squares += np.einsum("ij,ij->j", matrix[rows], matrix[rows])
    else:
        squares = np.einsum("ij,ij->i", matrix, matrix)
    norms = np.sqrt(squares)
    if not norms.all():
        raise CheckpointError(
            f"The adapter {printable(change.adapter)} scales a row of zeros by {printable(change.left.name)}: it was "
            "trained for another base, so give that one."
        )
    factors = magnitude / norms
    for rows in _blocks(matrix):
        matrix[rows] *= factors if change.turned else factors[rows, None]


def _blocks(matrix: Array) -> Iterator[slice]:
    count = max(1, _ROWS // max(1, matrix.shape[1]))
    return (slice(start, start + count) for start in range(0, len(matrix), count))


def read_factor(factor: StoredFactor) -> Array:
    """The numbers of a factor in float32. Raises CheckpointError for a file that is gone, and for NaN and infinity."""
    try:
        stored = np.memmap(factor.file, _STORED[factor.dtype], "r", factor.offset, factor.shape)
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"The adapter's tensor {printable(factor.name)} cannot be read from {printable(factor.file)} "
            f"({printable(error, 120)}): leave the adapter where it is until the build ends."
        ) from error
    part = stored[_slice(factor.rows)]
    part = part[..., _slice(factor.columns)] if factor.columns else part
    numbers = to_floats(factor.dtype, part)
    if not np.isfinite(numbers).all():
        raise CheckpointError(
            f"{printable(Path(factor.file).name)}: the adapter's tensor {printable(factor.name)} holds NaN or infinite "
            "values."
        )
    return numbers


def _slice(axis: tuple[int, ...]) -> slice:
    """The slice of (first, step, count)."""
    if not axis:
        return slice(None)
    first, step, count = axis
    return slice(first, first + step * (count - 1) + 1, step)
