"""Build targets: which passes, shapes and quantization each provider supports, with the reasons.

The facts were measured on onnxruntime 1.31.1 with onnxruntime-qnn 2.7.0, onnxruntime-ep-webgpu 0.4.0 and
onnxruntime-openvino 1.24.1; DirectML's are from its tables and sources (runtime/providers/kernels/dml.json).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from workflows.common.errors import RecipeError, printable

TargetName = Literal["cpu", "qnn", "dml", "openvino", "webgpu"]
Opset = Literal[21, 23, 24]
TargetSetting = tuple[str, str | bool]  # a recipe's setting, and its value
LOWEST: Opset = 21  # composes what opset 23 has as fused operators
ALIASES: dict[str, TargetName] = {"npu": "qnn"}
# passes that create onnxruntime's own operators, and those that replace what a provider lacks or computes wrongly;
# WebGPU has LinearAttention and CausalConvWithState
CONTRIB_PASSES = ("gqa_attention", "split_attention", "skip_layernorm")
_QNN_PASSES = ("float_masks", "means_apart", "norm_in_three_axes", "position_tables")
PORTABLE_PASSES = ("portable_recurrence", "portable_convolution")
REPAIR_PASSES = (*_QNN_PASSES, "contrib_gelu", *PORTABLE_PASSES)


@dataclass(frozen=True)
class Target:
    """A build target. passes: switches that override the family's. fixed: whether shapes must be fixed. heads: whether
    16-bit 4-D activations are computed correctly. place: components of a transformer-only model that run on another
    provider. opset: of the exported graphs. blocks: precision, preset, finer_head or finer_ends → overrides of
    blockwise quantization settings. refused: setting → why the provider does not support it; noted: setting → its
    drawback. reasons: a sentence for each property of the target.
    """

    name: TargetName
    passes: Mapping[str, bool] = field(default_factory=dict)
    fixed: bool = False
    heads: bool = True
    place: Mapping[str, TargetName] = field(default_factory=dict)
    opset: Opset = 23  # the first with fused attention
    blocks: Mapping[str, Mapping[str, bool | int | str | None]] = field(default_factory=dict)
    refused: Mapping[TargetSetting, str] = field(default_factory=dict)
    noted: Mapping[TargetSetting, str] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


_NO_SCATTER = "it has no TensorScatter, which writes that cache in place"
_NO_BF16 = "it has no bfloat16, and leaves such nodes to the CPU provider, which has none either"
_NO_STORED = "its products were not tried with the blocks of integers that checkpoints bring"
_NO_DYNAMIC = "it has no DynamicQuantizeMatMul and would leave every MatMul to the CPU provider"
_NO_TABLE = "it has no GatherBlockQuantized, which reads a quantized embedding"

# By trained models (resources/docs/quantization.md): blocks of 32 with zero points, rounded with what the weights
# multiply, diverge by two thirds of blocks of 64. A head in 4 bits costs a sixth of the loss if it is rounded so, and a
# quarter if it is rounded by search; 8 bits cost nothing but bytes and time. The first and the last of 18 and of 30
# layers in 8 bits took a ninth off the loss of two small models for 4 % of the bytes. compact is for size and speed:
# blocks of 64 save a seventh of a step's time with AVX-512 (0.86, measured alternately in one process); with AVX2 alone
# they may cost a seventh: see processor.tuning. A float embedding beside an integer head would take more bytes than all
# layers of a small model. Of prompts in 8 bits, the KL to fp32 with symmetric blocks of 128 was less than half of that
# of symmetric blocks of 32, and their step is the shortest.
_CPU_BLOCKS: dict[str, dict[str, bool | int | str | None]] = {
    "int4": {"rounding": "compensated", "embedding": None},
    "finer_head": {"head": "int8/64", "embedding": "int8/64"},
    "finer_ends": {"first_layer": "int8", "last_layer": "int8"},
    "int8": {"embedding": None},
    "stored": {"embedding": None},
    "compact": {"block_size": 64, "fine_block_size": 32, "head": None, "embedding": None},
    "fast_prefill": {"block_size": 128, "fine_block_size": 128, "symmetric": True},
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
            passes=dict.fromkeys(CONTRIB_PASSES, False) | dict.fromkeys((*_QNN_PASSES, *PORTABLE_PASSES), True),
            fixed=True,
            heads=False,
            place={"embeddings": "cpu", "head": "cpu"},
            refused={
                ("graphs", "single"): (
                    "it takes fixed shapes only, and a single graph for every length has dynamic ones"
                ),
                ("cache", "scatter"): _NO_SCATTER,
                ("precision", "bf16"): _NO_BF16,
                ("precision", "int8-dynamic"): _NO_DYNAMIC,
                ("precision", "stored"): _NO_STORED,
            },
            noted={
                ("precision", "fp32"): "QNN computes float32 in half precision.",
                ("cache", "gqa"): (
                    "QNN runs GroupQueryAttention, at more nodes than plain attention (the demo's: 103 instead of 91); "
                    "which is faster on a device was not measured."
                ),
                ("precision", "w8a8"): (
                    "QNN's 8-bit activations are coarse: the demo's logits are 7 % off, and 0.2 % with w8a16."
                ),
            },
            reasons=(
                "QNN takes fixed shapes only, so there is a graph for prompt chunks and one for tokens.",
                "QNN supports float masks only, and of onnxruntime's own operators not the fused norms.",
                "QNN computes 4-D norms wrongly with more than one column: norms over heads are 3-D.",
                "QNN computes LayerNormalization of exactly 16 rows wrongly: the mean is subtracted before the norm.",
                "QNN computes angles in half precision: rotary angles come from tables.",
                "QNN computes 16-bit 4-D activations wrongly with more than one column: heads stay in floating point.",
                "Embeddings and head of a transformer-only model serve chunks and tokens, so they run on the CPU.",
            ),
        ),
        Target(
            "dml",
            passes={"contrib_gelu": True, "matmul_add_fusion": False} | dict.fromkeys(PORTABLE_PASSES, True),
            fixed=True,
            opset=LOWEST,
            refused={
                ("cache", "scatter"): _NO_SCATTER,
                ("cache", "gqa"): (
                    "its GroupQueryAttention applies no rotary positions and no windows, and treats the cache as "
                    "empty in every run of more than one token, so a prompt's second chunk would be wrong"
                ),
                ("precision", "bf16"): "it computes in float32 and float16 only",
                ("precision", "w8a16"): "it quantizes activations to 8 bits at most, not to 16",
                ("precision", "stored"): _NO_STORED,
                ("quantize.embedding", True): _NO_TABLE,
                ("quantize.symmetric", True): "its MatMulNBits needs zero points",
            },
            noted={("graphs", "single"): "DirectML is several times slower with the dynamic shapes of a single graph."},
            reasons=(
                "DirectML's kernels end at opset 21: graphs use that opset, with attention and rotary positions in "
                "primitive operators, and norms and Gelu in onnxruntime's own operators, for which it has kernels.",
                "DirectML is several times slower with dynamic shapes, so there is a graph for prompt chunks and "
                "one for tokens, with fixed shapes.",
                "DirectML's GroupQueryAttention is wrong beyond a prompt's first chunk: the host writes the cache.",
                "DirectML's MatMulNBits takes no bias, which is added separately.",
            ),
        ),
        Target(
            "openvino",
            passes=dict.fromkeys(PORTABLE_PASSES, True),
            fixed=True,
            opset=LOWEST,
            refused={
                ("cache", "scatter"): _NO_SCATTER,
                ("cache", "gqa"): "it has no GroupQueryAttention, and fails where the CPU runs parts of a graph",
                ("precision", "bf16"): _NO_BF16,
                ("precision", "int8-dynamic"): "it fails on MatMuls whose activations are quantized at every run",
                ("precision", "stored"): _NO_STORED,
                ("quantize.embedding", True): _NO_TABLE + ", and the onnxruntime that it comes with reads it wrongly",
            },
            reasons=(
                "OpenVINO lacks the fused attention and rotary positions of opset 23: graphs use primitive "
                "operators of opset 21, with onnxruntime's own norms, which it supports.",
                "OpenVINO compiles each shape separately, and for NPUs fixed ones only: there is a graph for "
                "prompt chunks and one for tokens.",
            ),
        ),
        Target(
            "webgpu",
            refused={
                ("precision", "bf16"): _NO_BF16,
                ("precision", "int8-dynamic"): _NO_DYNAMIC,
                ("precision", "stored"): _NO_STORED,
            },
            noted={
                ("cache", "scatter"): "WebGPU leaves TensorScatter to the CPU, and with it the cache.",
                ("precision", "w8a16"): "WebGPU leaves 16-bit Quantize and Dequantize to the CPU.",
                ("precision", "w8a8"): "WebGPU has no QuantizeLinear, and leaves it to the CPU before every MatMul.",
            },
        ),
    )
}


def resolve_alias(name: object) -> object:
    """Resolves an alias of a target; returns any other value unchanged."""
    return ALIASES.get(name, name) if isinstance(name, str) else name


def find_target(name: object) -> Target:
    """Finds the target. Raises RecipeError that lists the targets."""
    target = next((one for one in TARGETS.values() if one.name == resolve_alias(name)), None)
    if target is None:
        raise RecipeError(f"There is no target {printable(name)!r}: choose one of {', '.join((*TARGETS, *ALIASES))}.")
    return target
