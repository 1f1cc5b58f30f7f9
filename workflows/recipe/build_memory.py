"""The memory that a build takes, from the sizes of the checkpoint's tensors.

whole:     all weights in float32 at once         fixed + 1.08 × the weights
streamed:  a tensor and a layer at a time         fixed + 1.35 × the largest tensor + 2 × the largest layer,
                                                  of its experts 1 ×, + an encoder of pictures or sound
rounding:  as int4 is rounded                     + 5 × K · K numbers, for the layer's most inputs K of a product
"""

from __future__ import annotations

import re
from collections import defaultdict

from workflows.checkpoint import Checkpoint
from workflows.recipe.family import Family
from workflows.recipe.stored_forms import has_stored_blocks

STREAM_ABOVE = 256 << 20  # bytes of float32 weights; fewer are held in memory
_FIXED_BYTES = 525 << 20  # of a small model
_WHOLE_COPIES = 1.08
_TENSOR_COPIES, _LAYER_COPIES = 1.35, 2.0  # measured: 1.4 GB for 0.6B, 5.6 for 8B
_MOMENT_COPIES = 5  # measured: 1.35 GB more for 8,192 inputs; numpy factorizes moments in float64
_EXPERT_COPIES = 1.0  # measured: 4.4 GB for layers of 128 experts, 2.4 GB each
_ENCODER = re.compile(r"(^|\.)(visual|vision_tower|vision_model|audio_tower)\.")
_LAYER = re.compile(r"^.*?\.\d+\.")  # `model.layers.3.` of `model.layers.3.mlp.experts.5.up_proj.weight`


def can_stream(checkpoint: Checkpoint, family: Family) -> bool:
    """Whether to try a build without the weights in memory: of a decoder that runs no code of its own, and is large or
    stored in blocks of integers, which are taken from the file; of a text encoder in the latter case.
    """
    if family.encoder or family.remote_code or family.reads == "pixels":
        return False
    if not family.cached:
        return has_stored_blocks(checkpoint)
    return float32_bytes(checkpoint) > STREAM_ABOVE or has_stored_blocks(checkpoint)


def can_hold_blocks(checkpoint: Checkpoint, family: Family) -> bool:
    """Whether a bundle can hold weights in the blocks of integers in which the checkpoint stores them."""
    return has_stored_blocks(checkpoint) and can_stream(checkpoint, family)


def float32_bytes(checkpoint: Checkpoint) -> int:
    """The bytes of all weights in float32."""
    return 4 * checkpoint.parameters


def whole_build_bytes(weights: float) -> float:
    """The memory of a build that holds `weights` bytes of float32 weights."""
    return _FIXED_BYTES + _WHOLE_COPIES * weights


def rounding_bytes(checkpoint: Checkpoint) -> float:
    """What is in memory beside the rest while weights are rounded with the second moments of their inputs."""
    inner = (
        tensor.shape[-1]
        for name, tensor in checkpoint.tensors.items()
        if len(tensor.shape) == 2 and ".experts." not in name and _LAYER.match(name) and not _ENCODER.search(name)
    )
    return _MOMENT_COPIES * 4.0 * max(inner, default=0) ** 2


def build_bytes(checkpoint: Checkpoint, streamed: bool) -> float:
    """The memory of a build, in bytes."""
    if not streamed:
        return whole_build_bytes(float32_bytes(checkpoint))
    layers: defaultdict[str, float] = defaultdict(float)
    encoder = 0
    for name, tensor in checkpoint.tensors.items():
        if _ENCODER.search(name):
            encoder += 4 * tensor.elements
        elif layer := _LAYER.match(name):
            layers[layer[0]] += 4 * tensor.elements * (_EXPERT_COPIES if ".experts." in name else _LAYER_COPIES)
    largest = max(4 * tensor.elements for tensor in checkpoint.tensors.values())
    return _FIXED_BYTES + encoder + _TENSOR_COPIES * largest + max(layers.values(), default=0)
