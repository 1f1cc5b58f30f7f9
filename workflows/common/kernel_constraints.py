"""What the kernels of onnxruntime's CPU provider need of a node, beside what their operators' schemas say: one table.

    KERNELS ──▶ choosing and refusing a cache layout (recipe/layout.py, recipe/choose.py, export/check.py)
            ──▶ fusing rotary positions (optimize/passes/gqa_attention.py, export/inplace.py)
            ──▶ preflight (graphs/kernels.py)

The sweep and the fuzzer (tests/sweep) draw sizes on both sides of the limits and build by what is chosen here. What the
provider of another target lacks stands in recipe/target.py. The rows were measured with onnxruntime 1.31.1:
tests/workflows/common/test_kernel_constraints.py runs every kernel on both sides of every limit, so that a version of onnxruntime
with other limits fails there.
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
    """One row. since: the first opset of ai.onnx that has the operator; 1 for onnxruntime's own operators.

    types: element types of the tensors. multiples: the divisor of a size, `head_size` or `rotary_size` (the numbers of
    a head that are rotated). one_size: keys and values must have heads of one size. blocks: the block sizes.
    """

    operator: str
    since: int = 1
    types: tuple[str, ...] = ("float32", "float16")
    multiples: Mapping[str, int] = field(default_factory=dict)
    one_size: bool = False
    blocks: tuple[int, ...] = ()

    def misfit(
        self,
        *,
        head_size: int = 0,
        value_size: int = 0,
        rotary_size: int = 0,
        opset: int = 0,
        dtype: str = "",
        block_size: int = 0,
    ) -> str:
        """Why the kernel does not take such a node, as a part of a sentence; empty where it does. 0 and "" are left
        out of the question.
        """
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
# What writes the rows of a cache layout; the host does in every other.
_WRITERS: Mapping[str, Name] = {"gqa": "GroupQueryAttention", "scatter": "TensorScatter"}


def layout_violation(cache: str, head_size: int, value_size: int = 0, opset: int = 0) -> str:
    """Why no graph with the cache layout `cache` runs for heads of these sizes, as a part of a sentence; else empty.

    value_size: of the values' heads, where it may be another. opset: 0 where it is not settled.
    """
    writer = _WRITERS.get(cache)
    if writer is None:
        return ""
    return KERNEL_CONSTRAINTS[writer].misfit(head_size=head_size, value_size=value_size, opset=opset)
