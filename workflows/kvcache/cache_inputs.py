"""The inputs that the cache computes for a graph at each step: ids, positions, masks and lengths.

    slot table [allocated] ──columns──▶ the position of each key column while the graph attends ──▶ masks

How a graph joins past keys (C columns) with the step's own (N columns):
    append  past then new: C + N columns                    slide  past without its first N, then new: C columns
    place   past with the new ones in their slots: C columns
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workflows.common import tensor_names
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.geometry import PLAIN_SOURCE_MASK, SOURCE_MASK, KeyJoin
from workflows.kvcache.layouts import Positions

EMPTY = -1  # a slot, or a column, that holds no token

GRID_AXES = 3  # of a position by time, height and width
IDS, POSITIONS, CACHE_POSITION = tensor_names.IDS, tensor_names.POSITIONS, "cache_position"
_ROWS = (IDS, POSITIONS)
_LENGTHS = (tensor_names.SEQLENS, tensor_names.TOTAL_LENGTH, tensor_names.WRITE_INDICES, tensor_names.VALID_LENGTH)
CACHE_INPUTS = (*_ROWS, CACHE_POSITION, *_LENGTHS)


class AttentionRange(Protocol):
    """The keys that a query attends to: `window` positions back, its own included; None for all of them.

    sinks: the number of first positions that stay visible besides. reach: the distance beyond which the model itself
    attends to nothing, sinks included; None for no limit. chunk: the size of the chunks of which it attends to its own
    alone; None for no chunks.
    """

    @property
    def window(self) -> int | None: ...
    @property
    def sinks(self) -> int: ...
    @property
    def reach(self) -> int | None: ...
    @property
    def chunk(self) -> int | None: ...


@dataclass(frozen=True)
class StepTokens:
    """The tokens of one run and their places: N columns, of which the slice `real` are tokens.

    positions, slots: [n] int64 of the tokens. joins: see above. in_place: the graph writes all columns, so that the
    valid length it is fed includes the padding, which no token attends to. position_ids: [3, n] where the graph takes
    three numbers per token; None for `positions`. kin: [n, n], which of each other's keys branching tokens attend to;
    None where each attends to those before it. ahead: [n, n], which of each other's keys they attend to besides, though
    these come later; None for none. ahead_in_windows: so in the groups of layers with a window alone.
    """

    ids: Sequence[int]
    positions: Positions
    slots: Positions
    columns: int
    real: slice
    joins: KeyJoin
    in_place: bool = False
    position_ids: NDArray[np.int64] | None = None
    kin: NDArray[np.bool_] | None = None
    ahead: NDArray[np.bool_] | None = None
    ahead_in_windows: bool = False

    def driver(self, spec: TensorSpec) -> Array:
        """The array of an input other than a mask."""
        if spec.name in _ROWS:
            row = np.zeros(shape_of(spec, self.columns, 0), spec.numpy_dtype)
            row[..., 0, self.real] = self.ids if spec.name == IDS else self._position_ids()
            return row
        start = int(self.positions[0])
        after = start + (self.columns if self.in_place else len(self.ids))
        if spec.name == CACHE_POSITION:
            return np.arange(start, start + self.columns, dtype=spec.numpy_dtype)
        lengths = {"seqlens_k": after - 1, "write_indices": start}
        return np.full((1,) * len(spec.shape), lengths.get(spec.name, after), spec.numpy_dtype)

    def _position_ids(self) -> NDArray[np.int64]:
        return self.positions if self.position_ids is None else self.position_ids

    def mask(self, spec: TensorSpec, table: Positions, visible: AttentionRange) -> Array:
        """The mask of a group: one row for all queries where `spec` has two axes, else a row per query."""
        if self.columns == 1 and self.joins == "append" and len(spec.shape) == 4:
            return self._single_token_mask(spec, table, visible)
        keys = self._keys(table)
        if len(spec.shape) == 2:
            row: Array = self._seen(keys, visible, self.positions[-1:]).astype(spec.numpy_dtype)
            return row
        mask = np.full((1, 1, self.columns, len(keys)), spec.lowest, spec.numpy_dtype)
        seen = self._seen(keys, visible, self.positions)
        if self.kin is not None:
            seen[:, self._own_columns(keys)] &= self.kin
        if self.ahead is not None and (visible.window is not None or not self.ahead_in_windows):
            seen[:, self._own_columns(keys)] |= self.ahead
        np.copyto(mask[0, 0, self.real], 0, where=seen)
        if len(self.ids) < self.columns:
            self._unmask_padding(mask[0, 0])
        return mask

    def _single_token_mask(self, spec: TensorSpec, table: Positions, visible: AttentionRange) -> Array:
        """The mask of one query; a short path, for it runs for every generated token."""
        mask = np.full((1, 1, 1, len(table) + 1), spec.lowest, spec.numpy_dtype)
        row = mask[0, 0, 0]
        row[-1] = 0
        seen = table != EMPTY if visible.window is None else self._seen(table, visible, self.positions)[0]
        np.copyto(row[:-1], 0, where=seen)
        return mask

    def _keys(self, table: Positions) -> Positions:
        """The position of each column of keys, EMPTY for a column without a token."""
        if self.joins == "place":
            keys = table.copy()
            keys[self.slots] = self.positions
            return keys
        new = self.positions
        if len(new) < self.columns:
            new = np.full(self.columns, EMPTY, np.int64)
            new[self.real] = self.positions
        keys = np.concatenate((table, new))
        return keys[self.columns :] if self.joins == "slide" else keys

    def _own_columns(self, keys: Positions) -> Positions:
        """The columns of keys, [n], of this run's tokens."""
        if self.joins == "place":
            return self.slots
        return np.arange(self.real.start, self.real.stop) + (len(keys) - self.columns)

    def _seen(self, keys: Positions, visible: AttentionRange, positions: Positions) -> NDArray[np.bool_]:
        """[n, columns of keys]: whether the query at each of `positions` attends to the key."""
        query = positions[:, None]
        seen: NDArray[np.bool_] = (keys != EMPTY)[None]
        if len(positions) > 1:
            seen = seen & (keys <= query)
        if visible.window is not None:
            near = query - keys < visible.window
            seen = seen & (near | (keys < visible.sinks) if visible.sinks else near)
        if visible.sinks and visible.reach is not None:
            seen = seen & (query - keys < visible.reach)
        if visible.chunk is not None:
            seen = seen & (query // visible.chunk == keys // visible.chunk)
        return seen

    def _unmask_padding(self, mask: Array) -> None:
        """Lets padding attend to itself, or to what the last token attends to: a fully masked row would give NaN."""
        rows = np.arange(self.columns)
        padding = rows[(rows < self.real.start) | (rows >= self.real.stop)]
        if self.joins == "place":
            mask[padding] = mask[self.real.stop - 1]
        else:
            mask[padding, padding + (mask.shape[1] - self.columns)] = 0


def shape_of(spec: TensorSpec, width: int, keys: int) -> tuple[int, ...]:
    """The shape of an input other than a past tensor, for a step of `width` columns and `keys` columns of keys."""
    if spec.name in _ROWS:
        return (*(int(axis) for axis in spec.shape[:-2]), 1, width)
    if spec.name == CACHE_POSITION:
        return (width,)
    if spec.name in _LENGTHS:
        return (1,) * len(spec.shape)
    return (1, keys) if len(spec.shape) == 2 else (1, 1, width, keys)


def columns_axis(spec: TensorSpec) -> int | None:
    """The axis of the run's columns, or of the source's columns for its mask; None for an input without one."""
    if spec.name == SOURCE_MASK:
        return 3
    if spec.name == PLAIN_SOURCE_MASK:
        return len(spec.shape) - 1
    if spec.name in _ROWS or spec.name == CACHE_POSITION:
        return len(spec.shape) - 1
    return 2 if spec.name not in _LENGTHS and len(spec.shape) == 4 else None


def cache_input_problem(spec: TensorSpec) -> str:
    """Why the cache cannot compute an input of this shape and type, as the end of a sentence; or empty."""
    axes = len(spec.shape)
    actual = f"{list(spec.shape)} {spec.dtype}, and should be "
    if spec.name == POSITIONS and axes == 3:
        return (
            "" if spec.is_integer and spec.shape[0] == GRID_AXES else f"{actual}[{GRID_AXES}, 1, columns] of integers"
        )
    if spec.name in (*_ROWS, CACHE_POSITION):
        named = "[columns]" if spec.name == CACHE_POSITION else "[1, columns]"
        return "" if spec.is_integer and axes == named.count(",") + 1 else f"{actual}{named} of integers"
    if spec.name in _LENGTHS:
        return "" if spec.is_integer else f"{actual}integers"
    if spec.name == SOURCE_MASK:
        return "" if spec.is_floating and axes == 4 else f"{actual}[1, 1, 1, source] of floating-point numbers"
    if spec.name == PLAIN_SOURCE_MASK:
        return "" if axes == 2 and spec.dtype != "string" else f"{actual}[1, source] of numbers"
    fits = spec.is_floating if axes == 4 else axes == 2 and spec.dtype != "string"
    return "" if fits else f"{actual}[1, keys] of numbers or [1, 1, columns, keys] of floating-point numbers"
