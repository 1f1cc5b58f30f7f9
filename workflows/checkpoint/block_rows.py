"""Unpacks weights that are stored in blocks, whatever file they are in.

GGUF: one tensor of blocks ─────────────┐
safetensors: integers, scales, zeros … ─┴─BlockRows──[rows]──▶ Blocks ──numbers──▶ float32
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.gguf.forms import unpack
from workflows.checkpoint.packed import BlockWeight, PackedPart
from workflows.checkpoint.quantized.forms import PACKED_FORMS
from workflows.checkpoint.quantized.parts import Parts
from workflows.common.tensors import Array


class BlockRows:
    """A weight [n, ...] in blocks, of which `[rows]` unpacks some rows. A vector is one row.

    read: the bytes, [n] uint8, of a part, or of the weight itself for None.
    """

    def __init__(self, weight: BlockWeight, read: Callable[[PackedPart | None], Array]) -> None:
        self._dtype, self._packed = weight.dtype, weight.packed
        self._count = weight.shape[0] if len(weight.shape) > 1 else 1
        self._parts = Parts(self._packed, read) if self._packed else None
        self._content = read(None).reshape(self._count, -1) if self._packed is None else None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, rows: slice | NDArray[Any]) -> Blocks:
        """The blocks of some rows, of a packed weight in the order of its groups."""
        if self._content is not None:
            return unpack(self._dtype, np.ascontiguousarray(self._content[rows]))
        assert self._packed is not None and self._parts is not None and isinstance(rows, slice)  # the other kind
        start, stop, _ = rows.indices(self._count)
        each = self._packed.rows // self._count  # rows of the matrix in one of the weight's first axis
        return PACKED_FORMS[self._dtype].unpack(self._parts, slice(start * each, stop * each))

    def numbers(self, rows: slice | NDArray[Any]) -> Array:
        """The numbers of some rows one after another, float32."""
        numbers = self[rows].values()
        order = self.order()
        if order is None:
            return numbers
        sorted_numbers = numbers.reshape(-1, len(order))
        result = np.empty_like(sorted_numbers)
        result[:, order] = sorted_numbers
        return result

    def order(self) -> NDArray[np.int64] | None:
        """The columns in the order of their groups; None where they are in order."""
        return self._parts.order() if self._parts is not None else None
