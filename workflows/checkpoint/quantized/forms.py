"""The forms of packed weights, by the dtype that tensors of them have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.quantized import gptq
from workflows.checkpoint.quantized.parts import Parts


@dataclass(frozen=True, slots=True)
class PackedForm:
    """title: what people call it. unpack: rows of a weight as blocks."""

    name: str
    title: str
    unpack: Callable[[Parts, slice], Blocks]


PACKED_FORMS: Mapping[str, PackedForm] = {
    form.name: form
    for form in (*(PackedForm(f"GPTQ-{bits}", f"GPTQ, {bits} bits", gptq.unpack) for bits in gptq.BITS),)
}
"""By the dtype of a tensor."""
