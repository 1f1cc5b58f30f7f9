"""The rows of a weight as a bundle holds them: integers, scales, zero points and minimums of stored blocks.

StoredWeight ──BlockRows──▶ Blocks ──▶ integers of 4 or 8 bits packed, scales, zero points, negative minimums
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.checkpoint.gguf.forms import ordered_rows
from workflows.common.tensors import Array
from workflows.graph.described_weights import StoredWeight, block_rows
from workflows.quantize.lazy_tensors import Kind, LazyTensorGroup, lazy_tensors
from workflows.recipe.stored_forms import HeldForm

_CHUNK = 1 << 22  # numbers that are unpacked at once
_SHIFT = 96  # steps by which integers of up to 5 bits can be moved within 8 bits


@dataclass(frozen=True)
class HeldRows:
    """The rows of a weight [N,K], made of stored tensors one after another. label: of these rows, if others have more.

    order: the inputs in the order of their groups, as int64 bytes; None where they are in order.
    """

    source: ir.TensorProtocol
    parts: tuple[StoredWeight, ...]
    form: HeldForm
    orders: tuple[bytes | None, ...]
    label: str = ""

    @property
    def order(self) -> bytes | None:
        """The order of the inputs of all rows, or of the first."""
        return self.orders[0]

    def by_order(self) -> list[HeldRows]:
        """The rows that follow each other with one order of inputs."""
        runs = [list(run) for _, run in groupby(range(len(self.parts)), key=lambda index: self.orders[index])]
        return [
            replace(
                self,
                parts=tuple(self.parts[index] for index in run),
                orders=tuple(self.orders[index] for index in run),
                label=f".{number}" if len(runs) > 1 else "",
            )
            for number, run in enumerate(runs)
        ]

    @property
    def outer(self) -> int:
        return sum(part.shape[0] for part in self.parts)

    @property
    def inner(self) -> int:
        return self.parts[0].shape[1]

    @property
    def blocks(self) -> int:
        return self.inner // self.form.size

    def tensors(self) -> LazyTensorGroup:
        """Integers [N, blocks, bytes], scales [N, blocks], zero points, packed like integers, and negative minimums
        [blocks, N] and [N, blocks]; the last three where the form has them.
        """
        name, form, half = f"{self.source.name}{self.label}.stored", self.form, ir.DataType.FLOAT16
        held = self.outer, self.blocks
        kinds: list[Kind] = [
            (name, ir.DataType.UINT8, (*held, form.size * form.bits // 8)),
            (f"{name}.scales", half if form.half else ir.DataType.FLOAT, held),
        ]
        if form.zero_points:
            kinds.append((f"{name}.zeros", ir.DataType.UINT8, (self.outer, -(-self.blocks * form.bits // 8))))
        if form.minimums:
            kinds += [(f"{name}.minimums", half, held[::-1]), (f"{name}.minimums.rows", half, held)]
        return lazy_tensors(self.source, ("stored", form, self.parts), kinds, lambda _: self.unpacked(), reads=False)

    def unpacked(self) -> list[NDArray[Any]]:
        """The numbers of `tensors`."""
        packed = np.empty((self.outer, self.inner * self.form.bits // 8), np.uint8)
        scales = np.empty((self.outer, self.blocks), np.float16 if self.form.half else np.float32)
        zeros = np.empty((self.outer, -(-self.blocks * self.form.bits // 8)), np.uint8)
        minimums = np.zeros((self.outer, self.blocks), np.float16)
        start = 0
        for part in self.parts:
            step = max(1, _CHUNK // self.inner)
            step = -(-step // part.head_size[0]) * part.head_size[0] if part.head_size else step
            for first in range(0, part.shape[0], step):
                rows = slice(first, min(first + step, part.shape[0]))
                own = slice(start + rows.start, start + rows.stop)
                packed[own], scales[own], middles, minimums[own] = _rows_of(part, rows, self.form)
                if self.form.zero_points:
                    zeros[own] = middles
            start += part.shape[0]
        tensors: list[NDArray[Any]] = [packed, scales]
        if self.form.zero_points:
            tensors.append(zeros)
        if self.form.minimums:
            tensors += [np.ascontiguousarray(minimums.T), minimums]
        return tensors


def _rows_of(part: StoredWeight, rows: slice, form: HeldForm) -> tuple[NDArray[Any], Array, NDArray[Any], Array]:
    """Integers [n, K·bits/8], scales [n, blocks], packed zero points, and negative minimums [n, blocks] of rows."""
    count, inner = rows.stop - rows.start, part.shape[1]
    stored = block_rows(part)[rows]
    turn = part.head_size[0] if part.head_size else 0
    own = stored.integers.shape[1] // form.size  # blocks of the bundle in one of the checkpoint
    integers = ordered_rows(stored.integers.reshape(count, inner), turn)
    scales = np.repeat(ordered_rows(stored.scales.reshape(count, -1), turn), own, axis=1)
    zero: Any = stored.zero
    steps = rest = np.zeros_like(scales)
    if isinstance(zero, np.ndarray):
        exact = np.repeat(ordered_rows(zero.reshape(count, -1), turn), own, axis=1)
        zero = np.clip(np.rint(exact), 0, (1 << stored.bits) - 1).astype(np.int16)
        rest = scales * (exact - zero)  # of zero points that are no whole numbers
    if stored.minimums is not None:
        rest = np.repeat(ordered_rows(stored.minimums.reshape(count, -1), turn), own, axis=1)
        whole = np.rint(np.divide(rest, scales, out=np.zeros_like(rest), where=scales != 0))
        steps = np.clip(whole, *((0, 15) if form.zero_points else (-_SHIFT, _SHIFT)))
        rest = rest - steps * scales
    zeros = (steps + zero).astype(np.uint8) if form.zero_points else np.zeros((count, 0), np.uint8)
    if not form.zero_points:  # the kernel's own zero is in the middle
        moved = (1 << (form.bits - 1)) - zero - steps.astype(np.int16)
        integers = (integers.reshape(count, -1, form.size) + moved[..., None]).astype(np.uint8).reshape(count, inner)
    if form.bits == 8:
        return integers, scales, zeros, -rest
    return _packed(integers), scales, _packed(np.pad(zeros, ((0, 0), (0, zeros.shape[1] % 2)))), -rest


def _packed(integers: NDArray[Any]) -> NDArray[Any]:
    """Integers of 4 bits, two in a byte, the first in its low bits."""
    packed: NDArray[Any] = integers[:, ::2] | (integers[:, 1::2] << 4)
    return packed
