"""Rounds weights whose inputs were seen, and keeps the results in files until the graphs that read them are written.

product, format, moments ──round──▶ q, scales, zero points ─┬▶ TensorCache
                                                            └▶ the weight as its integers give it
weight, format ──learned──▶ what identifies the result, for quantized_matrix
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import onnx_ir as ir

from workflows.common.tensors import Array
from workflows.graph.weights import Key, tensor_key
from workflows.quantize.block_quantization import dequantize_rows, quantize_rows, quantized_matrix
from workflows.quantize.error_compensation import ErrorFeedback
from workflows.quantize.grids import BlockFormat, Floats
from workflows.quantize.lazy_tensors import Kind, LazyTensorGroup
from workflows.quantize.linear_layers import LinearProduct
from workflows.quantize.tensor_cache import TensorCache, is_cacheable


class CompensatedRounding:
    """The rounded weights of one build. cache: where they are stored; small ones stay in memory."""

    def __init__(self, cache: TensorCache) -> None:
        self._cache = cache
        self._results: dict[tuple[Key, BlockFormat], tuple[str, LazyTensorGroup]] = {}

    def __len__(self) -> int:
        return len(self._results)

    def learned(self, weight: ir.TensorProtocol, how: BlockFormat) -> str:
        """Returns what identifies the result for this weight in this format; empty for none."""
        return self._results.get((tensor_key(weight), how), ("", None))[0]

    def round(self, product: LinearProduct, how: BlockFormat, feedback: ErrorFeedback) -> Array:
        """Rounds the product's weight once, and returns what it became, as it is stored: [N,K] or [K,N]."""
        source = product.tensor
        packed, scales, zeros = _quantized(source, product.rows, how, feedback)
        learned = sha256(feedback.losses.tobytes()).hexdigest()  # on which all moments have an effect
        made: list[Array | Path] = [packed, scales, *([] if how.symmetric else [zeros])]
        group = quantized_matrix(source, product.rows, how, learned, lambda: [*map(_read, made, group.kinds)])
        for place, tensor in enumerate(group.tensors):
            if is_cacheable(tensor):
                made[place] = self._cache.file(tensor)
        self._results[tensor_key(source), how] = learned, group
        values: Floats = dequantize_rows(packed, scales, None if how.symmetric else zeros, product.inner, how)
        return np.ascontiguousarray(values if product.rows else values.T, scales.dtype)


def _read(part: Array | Path, kind: Kind) -> Array:
    """Returns a part that is in memory, or at the beginning of a file."""
    if not isinstance(part, Path):
        return part
    return np.memmap(part, kind[1].numpy(), "r", shape=tuple(kind[2]))


def _quantized(
    source: ir.TensorProtocol, rows: bool, how: BlockFormat, feedback: ErrorFeedback
) -> tuple[Array, Array, Array]:
    """Returns (q, scales, zero points) of a tensor that is read for it, and then released."""
    matrix = np.asarray(source.numpy())
    made = quantize_rows(matrix if rows else matrix.T, how, feedback)
    del matrix
    if isinstance(source, ir.ExternalTensor):
        source.release()
    return made
