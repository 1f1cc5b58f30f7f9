"""The table of resources/docs/quantized-weights.md: what becomes of each form in which checkpoints store weights.

    python installer/forms_table.py     prints it, for the page

gguf.forms, quantized.forms, quantized.methods ──table──▶ | format | in the bundle | how |
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from workflows.checkpoint.gguf.forms import FORMS, UNREAD
from workflows.checkpoint.quantized.forms import PACKED_FORMS
from workflows.checkpoint.quantized.methods import REFUSED
from workflows.recipe.stored_forms import HELD_FORMS

_ROUNDED = "kept, minimums to 1/8192 of a step"


def table() -> str:
    """The table in Markdown."""
    rows = [("format", "in the bundle (`stored`)", "how"), ("---", "---", "---"), *_gguf(), *_packed(), *_refused()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _gguf() -> Iterator[tuple[str, str, str]]:
    for form in FORMS.values():
        held = HELD_FORMS.get(form.dtype)
        fate = "converted" if held is None else _ROUNDED if held.minimums else "kept exactly"
        yield f"GGUF {form.name}", fate, "float32" if held is None else str(held)
    yield "GGUF " + ", ".join(UNREAD.values()), "refused", "get the model in another quantization"


def _packed() -> Iterator[tuple[str, str, str]]:
    for form in PACKED_FORMS.values():
        fate = "converted" if not form.held else _ROUNDED if form.minimums else "kept exactly"
        yield form.title, fate, form.held or "float32, by value"


def _refused() -> Iterator[tuple[str, str, str]]:
    yield "GPTQ, 2 and 3 bits; marlin, gptq_p", "refused", "get the model with 4 or 8 bits in gptq or gptq_v2"
    yield "AWQ gemv, gemv_fast, llm-awq", "refused", "get the model in gemm"
    yield "HQQ, 1 to 3 bits; groups along the outputs (axis = 0)", "refused", "get the model with 4 or 8 bits, axis = 1"
    yield (
        "quanto, qint4, qint2, qfloat8",
        "refused",
        "get the model in qint8: files of 4 and 2 bits lack the weights' shapes",
    )
    yield (
        "torchao, Int4TilePackedTo4dTensor, Int4PlainInt32Tensor, MXTensor, NVFP4Tensor; experts; files of PyTorch",
        "refused",
        "get safetensors of Int8Tensor, IntxUnpackedToInt8Tensor, Int4Tensor or Float8Tensor",
    )
    for name, reason in REFUSED.items():
        yield f"`{name}`", "refused", reason


if __name__ == "__main__":
    sys.stdout.write(table())
