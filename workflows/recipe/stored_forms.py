"""How a bundle holds the weights of a checkpoint that stores them in blocks of integers (`--precision stored`).

    form of the checkpoint ──HELD_FORMS──▶ bits of an integer, numbers a scale, whether blocks have minimums

A number of a block is scale · (integer − zero) − minimum. onnxruntime's MatMulNBits takes integers of 4 or 8 bits and a
float32 scale for 16 numbers or more; minimums are a product of their own with the sums of each block's inputs, for with
float zero points, which could say them too, that kernel takes 80 times as long (1,536 × 576, one row).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workflows.checkpoint import Checkpoint, TensorInfo

_FLOAT, _HALF = 4, 2  # bytes of a scale, and of what is left of a minimum


@dataclass(frozen=True, slots=True)
class HeldForm:
    """bits: 4 or 8, of an integer. size: numbers with one scale. minimums: whether each block has one as well. half:
    whether scales are of 16 bits, as the form stores them.

    Whole steps of a minimum become a zero point, in 8 bits of the integers themselves, and the rest, of half a step at
    most, a float16: products whose inputs are rounded to 8 bits err less the nearer the integers are to their zero.
    """

    bits: int
    size: int
    minimums: bool = False
    half: bool = False

    @property
    def zero_points(self) -> bool:
        """Whether blocks have zero points of their own."""
        return self.bits == 4 and self.minimums

    @property
    def bytes_a_number(self) -> float:
        """The bytes of a number with its share of scale, zero point and minimum."""
        scale = _HALF if self.half else _FLOAT
        return self.bits / 8 + (scale + _HALF * self.minimums + 0.5 * self.zero_points) / self.size

    def joined(self, other: HeldForm) -> HeldForm:
        """The form that holds the weights of both, for weights that are multiplied together."""
        minimums = self.minimums or other.minimums
        return HeldForm(max(self.bits, other.bits), min(self.size, other.size), minimums, self.half and other.half)

    def __str__(self) -> str:
        return f"{self.bits}-bit integers in blocks of {self.size}{' with minimums' if self.minimums else ''}"


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


def has_stored_blocks(checkpoint: Checkpoint) -> bool:
    """Whether weights of the checkpoint are stored in blocks of integers."""
    return any(tensor.dtype in HELD_FORMS for tensor in checkpoint.tensors.values())


def stored_bytes(checkpoint: Checkpoint) -> int:
    """The bytes of the weights as a bundle holds them."""
    return round(sum(map(_held_bytes, checkpoint.tensors.values())))


def stored_notice(checkpoint: Checkpoint) -> str:
    """What becomes of the weights of each form, with bytes."""
    tensors = checkpoint.tensors.values()
    counts = Counter(tensor.dtype for tensor in tensors if tensor.dtype in HELD_FORMS)
    parts = [
        f"{count} in {form} as {HELD_FORMS[form]} ({_megabytes(_of(form, tensors))} for {_stored(form, tensors)})"
        for form, count in counts.most_common()
    ]
    return f"The bundle holds the weights as the checkpoint stores them: {'; '.join(parts)}."


def _of(form: str, tensors: Iterable[TensorInfo]) -> float:
    return sum(_held_bytes(tensor) for tensor in tensors if tensor.dtype == form)


def _stored(form: str, tensors: Iterable[TensorInfo]) -> str:
    return _megabytes(sum(tensor.bytes for tensor in tensors if tensor.dtype == form))


def _held_bytes(tensor: TensorInfo) -> float:
    held = HELD_FORMS.get(tensor.dtype)
    return tensor.elements * (held.bytes_a_number if held else _FLOAT)


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
