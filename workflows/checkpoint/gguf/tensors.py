"""Names the tensors of a GGUF model as transformers does, and says how each is stored."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from workflows.checkpoint.gguf.architectures import ROTATIONS, Architecture
from workflows.checkpoint.gguf.header import GgufTensor
from workflows.checkpoint.gguf.model import GgufModel
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import printable

_LAYER = re.compile(r"blk\.(\d{1,5})\.(.+)")
_TURNED = ("attn_q", "attn_k")


def name_tensors(model: GgufModel, architecture: Architecture) -> dict[str, TensorInfo]:
    """The tensors by transformers' names; stacked experts one by one, each a part of the stored tensor.

    Raises CheckpointError for a tensor that the architecture does not have: nothing of a model is passed over.
    """
    heads = {"attn_q": model.integer("attention.head_count")}
    heads["attn_k"] = model.integer("attention.head_count_kv", heads["attn_q"])
    named: dict[str, TensorInfo] = {}
    for stored, (tensor, file) in model.tensors.items():
        if stored in ROTATIONS:
            continue
        layer = _LAYER.fullmatch(stored)
        part, _, last = (layer[2] if layer else stored).rpartition(".")
        info = TensorInfo(tensor.form.dtype, tensor.shape, file, tensor.bytes, tensor.offset, stored)
        if architecture.raised and part.endswith("norm"):
            info = replace(info, raised=True)
        if architecture.interleaved and part in _TURNED:
            info = replace(info, head_rows=_head_rows(model, tensor, heads[part]))
        if layer and part in architecture.experts and len(tensor.shape) == 3:
            for expert, one in enumerate(_experts(info)):
                named[f"model.layers.{layer[1]}.mlp.experts.{expert}.{architecture.experts[part]}.{last}"] = one
            continue
        name = architecture.layer.get(part) if layer else architecture.outside.get(part)
        if name is None or last not in ("weight", "bias"):
            raise model.error(
                f"its tensor '{printable(stored, 60)}' is none that {architecture.model_class} has, so it would be lost"
            )
        if part == "ffn_gate_inp_shexp" and len(tensor.shape) == 1:
            info = replace(info, shape=(1, *tensor.shape))
        named[f"model.layers.{layer[1]}.{name}.{last}" if layer else f"{name}.{last}"] = info
    return named


def _head_rows(model: GgufModel, tensor: GgufTensor, heads: int) -> int:
    """The rows of a head. Raises CheckpointError where they cannot be halved."""
    rows, rest = divmod(tensor.shape[0], max(heads, 1))
    if rest or rows % 2:
        raise model.error(f"its tensor '{printable(tensor.name, 60)}' has {tensor.shape[0]} rows for {heads} heads")
    return rows


def _experts(info: TensorInfo) -> list[TensorInfo]:
    """The experts [N,K] that are stacked in a tensor [E,N,K], each where it lies in the file."""
    count, *shape = info.shape
    size = info.bytes // count
    return (
        [replace(info, shape=tuple(shape), bytes=size, offset=info.offset + expert * size) for expert in range(count)]
        if math.prod(shape)
        else []
    )
