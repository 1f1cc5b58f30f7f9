"""What a build is made for: which passes, shapes and grids the target's provider computes rightly, each with its why.

The facts were measured on onnxruntime 1.31.1 with onnxruntime-qnn 2.7.0, onnxruntime-ep-webgpu 0.4.0 and
onnxruntime-openvino 1.24.1; DirectML's are those of its tables and sources (runtime/providers/kernels/dml.json).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from workflows.common.errors import RecipeError, printable

TargetName = Literal["cpu", "qnn", "dml", "openvino", "webgpu"]
Opset = Literal[21, 23, 24]
TargetSetting = tuple[str, str | bool]  # of a recipe, and its value
LOWEST: Opset = 21  # spells out what 23 has fused
ALIASES: dict[str, TargetName] = {"npu": "qnn"}
CONTRIB_PASSES = (
    "gqa_attention",
    "split_attention",
    "skip_layernorm",
)  # passes that give operators of onnxruntime's own
_QNN_PASSES = ("float_masks", "means_apart", "norm_in_three_axes", "position_tables")
REPAIR_PASSES = (*_QNN_PASSES, "contrib_gelu")  # passes for what a provider lacks or computes wrongly


@dataclass(frozen=True)
class Target:
    """A target. passes: those that it has otherwise than the family. fixed: whether shapes must be. heads: whether
    16-bit activations of four axes are computed rightly. place: of a model cut in three, the components that run
    elsewhere. opset: what graphs are exported in. blocks: by precision or rounding, what weights in blocks have other
    than the schema says. refused: setting → why the provider cannot have it; noted: setting → what it makes of it.
    reasons: what of all this is for what, a sentence each.
    """

    name: TargetName
    passes: Mapping[str, bool] = field(default_factory=dict)
    fixed: bool = False
    heads: bool = True
    place: Mapping[str, TargetName] = field(default_factory=dict)
    opset: Opset = 23  # the first with fused attention
    blocks: Mapping[str, Mapping[str, bool | int]] = field(default_factory=dict)
    refused: Mapping[TargetSetting, str] = field(default_factory=dict)
    noted: Mapping[TargetSetting, str] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


_NO_SCATTER = "it has no TensorScatter, which writes that cache in place"
_NO_BF16 = "it has no bfloat16, and what it leaves to the CPU provider finds none there either"
_NO_DYNAMIC = "it has no DynamicQuantizeMatMul, and would leave every product to the CPU provider"
_NO_TABLE = "it has no GatherBlockQuantized, which reads a quantized table of tokens"

# Blocks of 64 take a seventh off a step beside those of 32 (0.86 in one process, in turns), and with zero points, and
# finer ones where errors reach the logits, they are nearer to the model than symmetric blocks of 32. A float table
# beside its head's integers would take more bytes than all layers of a small model. Those of 128 want a rounding that
# makes up for its errors.
_CPU_BLOCKS: dict[str, dict[str, bool | int]] = {
    "int4": {"block_size": 64, "fine_block_size": 32, "embedding": True},
    "int8": {"embedding": True},
    "compensated": {"block_size": 128},
}

TARGETS: dict[TargetName, Target] = {
    target.name: target
    for target in (
        Target(
            "cpu",
            passes={"logits_rows": True},
            blocks=_CPU_BLOCKS,
            noted={
                ("precision", "bf16"): (
                    "bf16 does not run on the CPU provider, which lacks products in bfloat16, so the bundle cannot be "
                    "tried here: fp16 has the same size and runs everywhere."
                ),
                ("precision", "w8a16"): (
                    "w8a16 is for NPUs: on the CPU provider its integers are about 13 × slower than fp32, so it is "
                    "opened there in floating point, at the speed of fp32; for the CPU, int8 or int4 serve better."
                ),
            },
        ),
        Target(
            "qnn",
            passes=dict.fromkeys(CONTRIB_PASSES, False) | dict.fromkeys(_QNN_PASSES, True),
            fixed=True,
            heads=False,
            place={"embeddings": "cpu", "head": "cpu"},
            refused={
                ("graphs", "single"): "it takes fixed shapes alone, and one graph for every length has none",
                ("cache", "scatter"): _NO_SCATTER,
                ("precision", "bf16"): _NO_BF16,
                ("precision", "int8-dynamic"): _NO_DYNAMIC,
            },
            noted={
                ("precision", "fp32"): "QNN computes float32 in half precision.",
                ("precision", "w8a8"): (
                    "QNN's 8-bit activations are coarse: the demo's logits are 7 % off, and 0.2 % with w8a16."
                ),
            },
            reasons=(
                "QNN takes fixed shapes alone, so there is a graph for chunks of a prompt and one for tokens.",
                "QNN takes no operators of onnxruntime's own, and masks of numbers alone.",
                "QNN's norm of four axes is wrong with more than one column: norms over heads have three.",
                "QNN's LayerNormalization of exactly 16 rows is wrong: there the mean is taken away before the norm.",
                "QNN computes angles in half precision: rotary angles come from tables.",
                "QNN's 16-bit grids on four axes are wrong with more than one column: heads stay in floating point.",
                "Embeddings and head of a model cut in three serve chunks and tokens alike, so they run on the CPU.",
            ),
        ),
        Target(
            "dml",
            passes={"contrib_gelu": True, "matmul_add_fusion": False},
            fixed=True,
            opset=LOWEST,
            refused={
                ("cache", "scatter"): _NO_SCATTER,
                ("cache", "gqa"): (
                    "its GroupQueryAttention turns no rotary positions, sees no windows, and takes the cache for empty "
                    "in every run of more than one token, so that a prompt's second chunk would go wrong"
                ),
                ("precision", "bf16"): "it computes in float32 and float16 alone",
                ("precision", "w8a16"): "it quantizes activations to 8 bits at most, not to 16",
                ("quantize.embedding", True): _NO_TABLE,
                ("quantize.symmetric", True): "its MatMulNBits wants zero points",
            },
            noted={("graphs", "single"): "DirectML is several times slower with the open shapes of one graph for all."},
            reasons=(
                "DirectML's kernels end at opset 21: graphs are of that opset, with attention and rotary positions in "
                "its primitives, and norms and Gelu in onnxruntime's own operators, for which it has kernels.",
                "DirectML is several times slower with open shapes, so there is a graph for chunks of a prompt and one "
                "for tokens, of fixed shapes.",
                "DirectML's GroupQueryAttention is wrong beyond a prompt's first chunk: the host writes the cache.",
                "DirectML's product with weights in blocks takes no bias, which is added by itself.",
            ),
        ),
        Target(
            "openvino",
            fixed=True,
            opset=LOWEST,
            refused={
                ("cache", "scatter"): _NO_SCATTER,
                ("cache", "gqa"): "it has no GroupQueryAttention, and fails where the CPU has parts of a graph",
                ("precision", "bf16"): _NO_BF16,
                ("precision", "int8-dynamic"): "it fails on products whose activations are quantized at every run",
                ("quantize.embedding", True): _NO_TABLE + ", and the onnxruntime that it comes with reads it wrongly",
            },
            reasons=(
                "OpenVINO lacks the fused attention and rotary positions of opset 23: graphs are of opset 21, in its "
                "primitives, with the norms of onnxruntime's own, which it knows.",
                "OpenVINO compiles each shape anew, and for NPUs fixed ones alone: there is a graph for chunks of a "
                "prompt and one for tokens.",
            ),
        ),
        Target(
            "webgpu",
            refused={("precision", "bf16"): _NO_BF16, ("precision", "int8-dynamic"): _NO_DYNAMIC},
            noted={
                ("cache", "scatter"): "WebGPU leaves TensorScatter to the CPU, and with it the cache.",
                ("precision", "w8a16"): "WebGPU leaves 16-bit Quantize and Dequantize to the CPU.",
                ("precision", "w8a8"): "WebGPU has no QuantizeLinear, and leaves it to the CPU before every product.",
            },
        ),
    )
}


def resolve_alias(name: object) -> object:
    """A target's own name for one of its others; anything else as it is."""
    return ALIASES.get(name, name) if isinstance(name, str) else name


def find_target(name: object) -> Target:
    """The target. Raises RecipeError that lists what there is."""
    found = next((one for one in TARGETS.values() if one.name == resolve_alias(name)), None)
    if found is None:
        raise RecipeError(f"There is no target {printable(name)!r}: choose one of {', '.join((*TARGETS, *ALIASES))}.")
    return found
