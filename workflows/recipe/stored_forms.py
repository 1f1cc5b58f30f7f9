"""How a bundle holds the weights of a checkpoint that stores them in blocks of integers (`--precision stored`).

    form of the checkpoint ──HELD_FORMS──▶ bits of an integer, numbers a scale, whether blocks have minimums

A number of a block is scale · (integer − zero) − minimum. onnxruntime's MatMulNBits takes integers of 4 or 8 bits and a
float32 scale for 16 numbers or more; minimums are a product of their own with the sums of each block's inputs, for with
float zero points, which could say them too, that kernel takes 80 times as long (1,536 × 576, one row).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from workflows.checkpoint import Checkpoint, TensorInfo
from workflows.checkpoint.packed import BlockWeight

_FLOAT, _HALF = 4, 2  # bytes of a scale, and of what is left of a minimum
_HALVES = ("float16", "bfloat16")
_TABLE = re.compile(r"(embed_tokens|embed_in|embeddings?|wte|wpe)\.weight$")  # as transformers names those of lookups


@dataclass(frozen=True, slots=True)
class HeldForm:
    """bits: 4 or 8, of an integer. size: numbers with one scale. minimums: whether each block has one as well. half:
    whether scales are of 16 bits, as the form stores them. zeros: whether the form stores zero points.

    Whole steps of a minimum become a zero point, in 8 bits of the integers themselves, and the rest, of half a step at
    most, a float16: products whose inputs are rounded to 8 bits err less the nearer the integers are to their zero.
    """

    bits: int
    size: int
    minimums: bool = False
    half: bool = False
    zeros: bool = False

    @property
    def zero_points(self) -> bool:
        """Whether blocks have zero points of their own."""
        return self.zeros or (self.bits == 4 and self.minimums)

    @property
    def bytes_a_number(self) -> float:
        """The bytes of a number with its share of scale, zero point and minimum."""
        scale = _HALF if self.half else _FLOAT
        return self.bits / 8 + (scale + _HALF * self.minimums + self.bits / 8 * self.zero_points) / self.size

    def joined(self, other: HeldForm) -> HeldForm:
        """The form that holds the weights of both, for weights that are multiplied together."""
        minimums = self.minimums or other.minimums
        bits, size = max(self.bits, other.bits), min(self.size, other.size)
        return HeldForm(bits, size, minimums, self.half and other.half, self.zeros or other.zeros)

    def __str__(self) -> str:
        beside = " with zero points" * self.zeros + " with minimums" * self.minimums
        return f"{self.bits}-bit integers in blocks of {self.size}{beside}"


HELD_FORMS: Mapping[str, HeldForm] = {
    "Q4_0": HeldForm(4, 32, half=True),
    "Q4_1": HeldForm(4, 32, minimums=True, half=True),
    "Q5_0": HeldForm(8, 32, half=True),
    "Q5_1": HeldForm(8, 32, minimums=True, half=True),
    "Q8_0": HeldForm(8, 32, half=True),
    "Q2_K": HeldForm(4, 16, minimums=True),
    "Q3_K": HeldForm(4, 16),
    "Q4_K": HeldForm(4, 32, minimums=True),
    "Q5_K": HeldForm(8, 32, minimums=True),
    "Q6_K": HeldForm(8, 16),
    "IQ4_NL": HeldForm(8, 32, half=True),
    "IQ4_XS": HeldForm(8, 32),
    "MXFP4": HeldForm(8, 32),
}
"""By the dtype of a stored tensor. All hold integers and scales as they are, and minimums to 1/8192 of a step."""


def held_form(weight: BlockWeight) -> HeldForm | None:
    """How a bundle holds a weight; None for one that it cannot hold as it is stored, or that an adapter changes."""
    packed = weight.packed
    if weight.changes:
        return None
    if packed is None:
        return HELD_FORMS.get(weight.dtype)
    if not packed.held:
        return None
    return HeldForm(packed.bits, packed.size, packed.minimums, packed.half, packed.zeros)


def has_stored_blocks(checkpoint: Checkpoint) -> bool:
    """Whether weights of the checkpoint are stored in blocks of integers."""
    return any(held_form(tensor) for tensor in checkpoint.tensors.values())


def holds_all_blocks(checkpoint: Checkpoint) -> bool:
    """Whether a bundle holds all weights in blocks of integers as they are stored."""
    return all(held for (_, held), _ in _by_form(checkpoint))


def stored_bytes(checkpoint: Checkpoint) -> int:
    """The bytes of the weights as a bundle holds them. A table in 16 bits stays one where no head multiplies by it."""
    tied = checkpoint.config.get("tie_word_embeddings", True) is not False
    kept = [tensor for name, tensor in checkpoint.tensors.items()
            if not tied and tensor.dtype in _HALVES and _TABLE.search(name)]  # fmt: skip
    halves = sum((_FLOAT - _HALF) * tensor.elements for tensor in kept)
    return round(sum(map(_held_bytes, checkpoint.tensors.values()))) - halves


def stored_notice(checkpoint: Checkpoint) -> str:
    """What becomes of the weights of each form, with bytes."""
    parts = [
        f"{len(tensors)} in {form} as {held or 'float32'} ({_megabytes(sum(map(_held_bytes, tensors)))} for "
        f"{_megabytes(sum(tensor.bytes for tensor in tensors))})"
        for (form, held), tensors in _by_form(checkpoint)
    ]
    return f"The bundle holds the weights as the checkpoint stores them: {'; '.join(parts)}."


def converted_notice(checkpoint: Checkpoint, can_hold: bool) -> str:
    """What a build that does not hold the weights as they are stored makes of those in blocks; "" without any.

    can_hold: whether another build could.
    """
    parts = [
        f"{len(tensors)} in {form} ({_megabytes(sum(tensor.bytes for tensor in tensors))})"
        for (form, _), tensors in _by_form(checkpoint)
    ]
    if not parts:
        return ""
    other = "; --precision stored holds those in integers as they are" if can_hold else ""
    return f"The checkpoint's quantized weights are read as float32 numbers: {'; '.join(parts)}{other}."


def _by_form(checkpoint: Checkpoint) -> list[tuple[tuple[str, HeldForm | None], list[TensorInfo]]]:
    """The tensors in blocks of each form, those of most tensors first."""
    forms = defaultdict[tuple[str, HeldForm | None], list[TensorInfo]](list)
    for tensor in checkpoint.tensors.values():
        held = held_form(tensor)
        if held or tensor.packed:
            forms[tensor.dtype, held].append(tensor)
    return sorted(forms.items(), key=lambda entry: -len(entry[1]))


def _held_bytes(tensor: TensorInfo) -> float:
    held = held_form(tensor)
    return tensor.elements * (held.bytes_a_number if held else _FLOAT)


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
