"""AWQ in its form `gemm`: integers of 4 bits, packed along the outputs in an order of its own.

    qweight int32 [K, N/8]    qzeros int32 [G, N/8]    scales [G, N]

    W[n, k] = scales[g, n] · (q[k, n] − zero[g, n]), g = k // group_size

Formula: `dequantize_gemm` of awq/utils/packing_utils.py (AutoAWQ 0.2.9).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.layers import (
    FLOATS,
    QuantizedLayer,
    Settings,
    block_size,
    fields,
    groups_of_blocks,
    positive,
)
from workflows.checkpoint.quantized.parts import Parts
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

SUFFIXES = ("qweight", "qzeros", "scales")
TITLE = "AWQ"
_PLACES = (0, 4, 1, 5, 2, 6, 3, 7)  # of each column of eight among the integers of a word
_BITS, _A_WORD = 4, 8


def unpack(parts: Parts, rows: slice) -> Blocks:
    """Rows of a weight."""
    packed, groups = parts.packed, groups_of_blocks(parts.packed)
    words = slice(rows.start // _A_WORD, -(-rows.stop // _A_WORD))
    own = slice(rows.start - words.start * _A_WORD, rows.stop - words.start * _A_WORD)
    integers = np.ascontiguousarray(_columns(parts.raw("qweight")[:, words])[:, own].T)  # [n, K]
    zeros = _columns(parts.raw("qzeros")[:, words])[:, own].T[:, groups]  # [n, blocks]
    scales = parts.floats("scales", (slice(None), rows)).T[:, groups]
    return Blocks(integers.reshape(-1, packed.size), scales.reshape(-1), zeros.reshape(-1), packed.bits)


def _columns(stored: NDArray[Any]) -> NDArray[Any]:
    """Words [a, w] as integers [a, 8w]."""
    apart = fields(stored, _BITS).reshape(stored.shape[0], -1, _A_WORD)
    return apart[:, :, _PLACES].reshape(stored.shape[0], -1)


def check(settings: Settings) -> None:
    """Raises CheckpointError for a form of AWQ that is not read."""
    bits = settings.get("bits", settings.get("w_bit", _BITS))
    if bits != _BITS:
        raise CheckpointError(
            f"The checkpoint is quantized by AWQ with bits = {printable(bits, 20)}, and 4 are read: get the model with "
            "these, or without quantization."
        )
    version = settings.get("version") or settings.get("format") or "gemm"
    if str(version).lower() != "gemm":
        raise CheckpointError(
            f"The checkpoint is quantized by AWQ in the version {printable(version, 30)}, and gemm is read: get the "
            "model in this one."
        )


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer."""
    qweight, scales = layer.get("qweight", ("int32",), 2), layer.get("scales", FLOATS, 2)
    layer.get("qzeros", ("int32",), 2)
    columns, rows = qweight.shape[0], qweight.shape[1] * _A_WORD
    name = "group_size" if "group_size" in layer.settings else "q_group_size"
    group = positive(layer.settings, name, TITLE)
    group = columns if group == -1 else group
    groups = -(-columns // group)
    layer.check_shape("scales", (groups, rows))
    layer.check_shape("qzeros", (groups, qweight.shape[1]))
    size, held = block_size(group, columns)
    half = scales.dtype == "float16"
    return layer.weight("AWQ-4", SUFFIXES, PackedWeight((), rows, columns, group, size, _BITS, True, half, held=held))
