"""Experts that a model has in one tensor and GGUF in several, whose rows alternate (gpt-oss: gate, up, gate, up …).

    ffn_gate_exps [E, N, K] ─┐
    ffn_up_exps   [E, N, K] ─┴─alternate──▶ gate_up_proj [E, K, 2N], which the model has transposed

Integers without minimums, all of one form, are taken as they are, and everything else by value.

Source: conversion/gpt_oss.py of llama.cpp, which takes rows ::2 for the gate and 1::2 for the other product.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.gguf.forms import BLOCK_FORMS, unpack
from workflows.checkpoint.packed import PackedPart, PackedWeight
from workflows.checkpoint.quantized.parts import Parts
from workflows.checkpoint.weights import TensorInfo

FORM, BY_VALUE = "GGUF-EXPERTS", "GGUF-EXPERTS-BY-VALUE"


def alternate(tensors: Mapping[str, TensorInfo], name: str) -> TensorInfo | None:
    """The tensor `name` of weights [E, N, K] or biases [E, N], one after another by rows; None where their shapes
    are not equal or of another kind. tensors: by their roles, in the order of their rows.
    """
    infos = list(tensors.values())
    experts, *shape = infos[0].shape
    if len(shape) not in (1, 2) or any(info.shape != infos[0].shape for info in infos) or not infos[0].elements:
        return None
    weights = len(shape) == 2
    rows = experts * shape[0] if weights else experts
    parts = tuple(
        PackedPart(role, info.file, info.offset, info.dtype, (rows, *_row_shape(info, rows)), info.bytes)
        for role, info in tensors.items()
    )
    columns = shape[1] if weights else len(parts) * shape[0]
    held = _integers({info.dtype for info in infos}) if weights else None
    size, bits = held or (columns, 8)
    packed = PackedWeight(
        parts,
        rows=len(parts) * rows if weights else rows,
        columns=columns,
        group=size,
        size=size,
        bits=bits,
        held=bool(held),
        turned=experts if weights else 0,
    )
    form = FORM if held else BY_VALUE
    return TensorInfo(form, packed.shape, infos[0].file, packed.bytes, infos[0].offset, name, packed=packed)


def _integers(dtypes: set[str]) -> tuple[int, int] | None:
    """The numbers and the bits of a block of integers without minimums, if all tensors are of one such form."""
    dtype = min(dtypes)
    if len(dtypes) > 1 or dtype not in BLOCK_FORMS:
        return None
    block = unpack(dtype, bytes(BLOCK_FORMS[dtype].bytes))
    return (block.integers.shape[1], 4 if block.bits <= 4 else 8) if block.minimums is None else None


def _row_shape(info: TensorInfo, rows: int) -> tuple[int, ...]:
    """The shape of a stored row: bytes of blocks, or numbers."""
    return (info.bytes // rows,) if info.dtype in BLOCK_FORMS else (info.elements // rows,)


def unpack_alternating(parts: Parts, rows: slice) -> Blocks:
    """Some rows of the weight, by value: each number is a block whose scale it is."""
    stored = parts.packed.parts
    if not parts.packed.turned:  # biases: the numbers of a row alternate
        numbers = np.stack([_numbers(parts, part, rows) for part in stored], axis=2).reshape(-1)
    else:
        first, last = rows.start // len(stored), -(-rows.stop // len(stored))
        values = np.stack([_numbers(parts, part, slice(first, last)) for part in stored], axis=1)
        skipped = first * len(stored)
        numbers = values.reshape(-1, values.shape[-1])[rows.start - skipped : rows.stop - skipped].reshape(-1)
    return Blocks(np.ones((numbers.size, 1), np.uint8), numbers, 0, 8)


def unpack_integers(parts: Parts, rows: slice) -> Blocks:
    """Some rows of the weight, in the blocks of its tensors."""
    stored = parts.packed.parts
    first, last = rows.start // len(stored), -(-rows.stop // len(stored))
    blocks = [unpack(part.dtype, np.ascontiguousarray(parts.raw(part.role)[first:last])) for part in stored]
    own = slice(rows.start - first * len(stored), rows.stop - first * len(stored))

    def in_turns(arrays: list[np.ndarray]) -> np.ndarray:
        return np.stack([one.reshape(last - first, -1) for one in arrays], axis=1).reshape(
            (last - first) * len(stored), -1
        )[own]

    integers, scales = in_turns([one.integers for one in blocks]), in_turns([one.scales for one in blocks])
    return Blocks(integers.reshape(-1, parts.packed.size), scales.reshape(-1), blocks[0].zero, blocks[0].bits)


def _numbers(parts: Parts, part: PackedPart, rows: slice) -> np.ndarray:
    if part.dtype not in BLOCK_FORMS:
        return parts.floats(part.role, rows)
    return (
        unpack(part.dtype, np.ascontiguousarray(parts.raw(part.role)[rows]))
        .values()
        .reshape(rows.stop - rows.start, -1)
    )
