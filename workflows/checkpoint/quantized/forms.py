"""The forms of packed weights, by the dtype that tensors of them have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.gguf import stacked_experts
from workflows.checkpoint.quantized import awq, bitsandbytes, compressed_tensors, gptq, hqq, mxfp4, quanto, torchao
from workflows.checkpoint.quantized.parts import Parts


@dataclass(frozen=True, slots=True)
class PackedForm:
    """title: what people call it. unpack: rows of a weight as blocks. held: how a bundle holds it; "" for by value.

    minimums: whether it then has minimums.
    """

    name: str
    title: str
    unpack: Callable[[Parts, slice], Blocks]
    held: str = ""
    minimums: bool = False


_LEVELS = "8-bit integers, twice the numbers of E2M1, in blocks of {}"
_TORCHAO = "{}-bit integers, with zero points where it has them"
PACKED_FORMS: Mapping[str, PackedForm] = {
    form.name: form
    for form in (
        *(
            PackedForm(f"GPTQ-{bits}", f"GPTQ, {bits} bits", gptq.unpack, f"{bits}-bit integers with zero points")
            for bits in gptq.BITS
        ),
        PackedForm("AWQ-4", "AWQ (gemm), 4 bits", awq.unpack, "4-bit integers with zero points"),
        *(
            PackedForm(
                f"CT-INT{bits}",
                f"compressed-tensors, {bits}-bit integers",
                compressed_tensors.unpack_integers,
                f"{bits}-bit integers, with zero points where it has them",
            )
            for bits in (4, 8)
        ),
        PackedForm("NVFP4", "compressed-tensors, NVFP4", compressed_tensors.unpack_float4, _LEVELS.format(16)),
        PackedForm("MXFP4-CT", "compressed-tensors, MXFP4", compressed_tensors.unpack_float4, _LEVELS.format(32)),
        PackedForm("FP8", "FP8 by tensor, row, group or block", compressed_tensors.unpack_float8),
        PackedForm("MXFP4-E", "MXFP4 of experts (gpt-oss)", mxfp4.unpack, _LEVELS.format(32)),
        PackedForm(
            stacked_experts.FORM,
            "GGUF experts whose rows alternate (gpt-oss), in a form that is kept exactly",
            stacked_experts.unpack_integers,
            "as other tensors of this form",
        ),
        PackedForm(
            stacked_experts.BY_VALUE,
            "GGUF experts whose rows alternate (gpt-oss), in floats or blocks with minimums",
            stacked_experts.unpack_alternating,
        ),
        *(
            PackedForm(f"BNB-{kind.upper()}", f"bitsandbytes, {kind}", bitsandbytes.unpack_levels)
            for kind in bitsandbytes.KINDS
        ),
        *(
            PackedForm(
                f"HQQ-{bits}",
                f"HQQ, {bits} bits",
                hqq.unpack,
                f"{bits}-bit integers with zero points and minimums",
                minimums=True,
            )
            for bits in hqq.BITS
        ),
        PackedForm("QUANTO-8", "quanto, qint8", quanto.unpack, "8-bit integers in blocks of a row"),
        PackedForm("AO-INT8", "torchao, 8-bit integers", torchao.unpack_integers, _TORCHAO.format(8)),
        PackedForm("AO-INT4", "torchao, 4-bit integers, one in a byte", torchao.unpack_integers, _TORCHAO.format(4)),
        PackedForm(
            "AO-INT4-PACKED",
            "torchao, 4-bit integers, two in a byte (Int4Tensor)",
            torchao.unpack_packed,
            "4-bit integers with minimums",
            minimums=True,
        ),
        PackedForm("BNB-INT8", "bitsandbytes, int8", bitsandbytes.unpack_integers, "8-bit integers in blocks of a row"),
    )
}
"""By the dtype of a tensor."""
