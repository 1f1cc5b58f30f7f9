"""Constraints of onnxruntime's CPU kernels beyond the schemas of their operators, in one table.

    KERNEL_CONSTRAINTS ──▶ choosing and refusing a cache layout (recipe/cache_layout.py, recipe/compatibility.py,
                           export/equivalence.py)
                       ──▶ fusing rotary positions (optimize/passes/gqa_attention.py, export/in_place.py)
                       ──▶ preflight (graph/kernel_tables.py)

recipe/target.py has the limits of other targets' providers. The rows were measured with onnxruntime 1.31.1:
tests/workflows/common/test_kernel_constraints.py fails if another version has other limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Name = Literal[
    "GroupQueryAttention",
    "GroupQueryAttention with rotary positions",
    "TensorScatter",
    "Attention",
    "RotaryEmbedding",
    "RMSNormalization",
    "MatMulNBits",
    "GatherBlockQuantized",
]
_SIZES = {
    "head_size": "heads of a multiple of {0}, and this model's have {1}",
    "rotary_size": "heads of which a multiple of {0} is rotated, and this model rotates {1}",
}


@dataclass(frozen=True)
class KernelConstraints:
    """The limits of one kernel. since: the first opset of ai.onnx with the operator; 1 for onnxruntime's own operators.

    types: element types of the tensors. multiples: size → its divisor; the sizes are `head_size` and `rotary_size` (the
    rotated elements of a head). one_size: keys and values must have the same head size. blocks: block sizes.
    """

    operator: str
    since: int = 1
    types: tuple[str, ...] = ("float32", "float16")
    multiples: Mapping[str, int] = field(default_factory=dict)
    one_size: bool = False
    blocks: tuple[int, ...] = ()

    def violation(
        self,
        *,
        head_size: int = 0,
        value_size: int = 0,
        rotary_size: int = 0,
        opset: int = 0,
        dtype: str = "",
        block_size: int = 0,
    ) -> str:
        """Why the kernel rejects such a node, as a clause; empty if it accepts it. 0 and "" are not checked."""
        sizes = {"head_size": head_size, "rotary_size": rotary_size}
        for name, divisor in self.multiples.items():
            if sizes[name] % divisor:
                return f"{self.operator} takes {_SIZES[name].format(divisor, sizes[name])}"
        if self.one_size and value_size and value_size != head_size:
            return f"{self.operator} takes keys and values of one size alone, not {head_size} and {value_size}"
        if opset and opset < self.since:
            return f"{self.operator} needs opset {self.since}, not {opset}"
        if dtype and dtype not in self.types:
            return f"{self.operator} takes {' or '.join(self.types)}, not {dtype}"
        if block_size and block_size not in self.blocks:
            return f"{self.operator} takes blocks of {', '.join(map(str, self.blocks))}, not {block_size}"
        return ""


_BLOCKS = (16, 32, 64, 128, 256)

# Measured up to 256 and beyond; a recipe's block sizes (recipe/schema.py) are among them.
KERNEL_CONSTRAINTS: Mapping[Name, KernelConstraints] = {
    "GroupQueryAttention": KernelConstraints("GroupQueryAttention", multiples={"head_size": 8}, one_size=True),
    "GroupQueryAttention with rotary positions": KernelConstraints(
        "GroupQueryAttention with rotary positions", multiples={"head_size": 16, "rotary_size": 16}, one_size=True
    ),
    "TensorScatter": KernelConstraints("TensorScatter", since=24),
    "Attention": KernelConstraints("Attention", since=23),
    "RotaryEmbedding": KernelConstraints("RotaryEmbedding", since=23),
    "RMSNormalization": KernelConstraints("RMSNormalization", since=23),
    "MatMulNBits": KernelConstraints("MatMulNBits", blocks=_BLOCKS),
    "GatherBlockQuantized": KernelConstraints("GatherBlockQuantized", blocks=_BLOCKS),
}
# The operator that writes the rows of a cache layout; in every other layout the host writes them.
_WRITERS: Mapping[str, Name] = {"gqa": "GroupQueryAttention", "scatter": "TensorScatter"}


def layout_violation(cache: str, head_size: int, value_size: int = 0) -> str:
    """The reason why no graph with the cache layout `cache` runs with these head sizes, as a clause; empty if one does.

    value_size: head size of the values, if it may differ; 0 otherwise.
    """
    writer = _WRITERS.get(cache)
    if writer is None:
        return ""
    return KERNEL_CONSTRAINTS[writer].violation(head_size=head_size, value_size=value_size)
