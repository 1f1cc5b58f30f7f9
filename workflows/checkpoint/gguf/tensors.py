"""Names the tensors of a GGUF model as transformers does, and says how each is stored."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import replace

from workflows.checkpoint.gguf.architectures import ROTATIONS, Architecture
from workflows.checkpoint.gguf.header import GgufTensor
from workflows.checkpoint.gguf.model import GgufModel
from workflows.checkpoint.gguf.stacked_experts import alternate
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

_LAYER = re.compile(r"blk\.(\d{1,5})\.(.+)")
_TURNED = ("attn_q", "attn_k")


def name_tensors(model: GgufModel, architecture: Architecture) -> dict[str, TensorInfo]:
    """The tensors by transformers' names; stacked experts one by one, each a part of the stored tensor.

    Raises CheckpointError for a tensor that the architecture does not have: nothing of a model is passed over.
    """
    named: dict[str, TensorInfo] = {}
    turns = {part: name for name, parts in architecture.alternating.items() for part in parts}
    alternating = defaultdict[str, dict[str, TensorInfo]](dict)
    for stored in model.tensors:
        if stored in ROTATIONS:
            continue
        layer = _LAYER.fullmatch(stored)
        part, _, last = (layer[2] if layer else stored).rpartition(".")
        prefix = architecture.layers.format(layer[1]) if layer else ""
        info = _stored_info(model, architecture, stored, part)
        if last not in ("weight", "bias"):
            raise _unknown(model, architecture, stored)
        if layer and part in turns:
            alternating[f"{prefix}{turns[part]}{'_bias' if last == 'bias' else ''}"][part] = info
        elif layer and part in architecture.experts and len(info.shape) == 3:
            for expert, one in enumerate(_experts(info)):
                named[f"{prefix}{architecture.experts[part].format(expert)}.{last}"] = one
        elif name := (architecture.layer if layer else architecture.outside).get(part):
            named[f"{prefix}{name}" + (f".{last}" if part not in architecture.bare else "")] = info
        else:
            raise _unknown(model, architecture, stored)
    return named | {name: _alternating(model, architecture, name, parts) for name, parts in alternating.items()}


def _stored_info(model: GgufModel, architecture: Architecture, stored: str, part: str) -> TensorInfo:
    """What a stored tensor is of the model's. part: its name in a layer, without the last part."""
    tensor, file = model.tensors[stored]
    info = TensorInfo(tensor.form.dtype, tensor.shape, file, tensor.bytes, tensor.offset, stored)
    if architecture.raised and part.endswith("norm"):
        info = replace(info, raised=True)
    if architecture.interleaved and part in _TURNED:
        heads = model.integer("attention.head_count")
        heads = heads if part == "attn_q" else model.integer("attention.head_count_kv", heads)
        info = replace(info, head_rows=_head_rows(model, tensor, heads))
    if part == "ffn_gate_inp_shexp" and len(tensor.shape) == 1:
        info = replace(info, shape=(1, *tensor.shape))
    return info


def _unknown(model: GgufModel, architecture: Architecture, stored: str) -> CheckpointError:
    return model.error(
        f"its tensor '{printable(stored, 60)}' is none that {architecture.model_class} has, so it would be lost"
    )


def _alternating(model: GgufModel, architecture: Architecture, name: str, stored: dict[str, TensorInfo]) -> TensorInfo:
    """The tensor `name` of the model, whose rows the stored ones have in turns."""
    parts = next(parts for ours, parts in architecture.alternating.items() if ours in name)
    found = alternate({part: stored[part] for part in parts}, name) if {*parts} == {*stored} else None
    if found is None:
        raise model.error(f"its tensors {' and '.join(parts)} do not make '{printable(name, 60)}' together")
    return found


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
