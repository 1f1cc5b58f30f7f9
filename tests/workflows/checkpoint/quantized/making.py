"""Small quantized checkpoints by hand: random integers, packed as the packages pack them, and what they stand for.

Each packer gives the tensors of a layer [N,K] by their suffixes, and the weight by the formula of the package, which
the tests of packages compare with the packages themselves (packages.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from tests.workflows.checkpoint.gguf.converting import make_model
from workflows.checkpoint import open_checkpoint
from workflows.export.checkpoint_tensors import CheckpointTensor

Layer = tuple[dict[str, torch.Tensor], np.ndarray]
"""The tensors of a layer by their suffixes, and its weight [N,K] in float32."""
Packer = Callable[[np.random.Generator, int, int], Layer]
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


def words(integers: np.ndarray, bits: int, order: tuple[int, ...] = ()) -> torch.Tensor:
    """Integers [a, b] packed along b in words of 32 bits, the first in the lowest bits."""
    per = 32 // bits
    padded = np.pad(integers, ((0, 0), (0, -integers.shape[1] % per))).astype(np.uint32)
    packed = np.zeros((padded.shape[0], padded.shape[1] // per), np.uint32)
    for place, column in enumerate(order or range(per)):
        packed |= padded[:, column::per] << np.uint32(bits * place)
    return torch.from_numpy(packed.view(np.int32).copy())


def scales_of(rng: np.random.Generator, *shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """Scales of a layer's usual size."""
    return torch.from_numpy(rng.random(shape).astype(np.float32) * 0.01 + 0.004).to(dtype)


def gptq(
    rng: np.random.Generator, rows: int, columns: int, bits: int = 4, group: int = 64, version: int = 1,
    order: str = "", dtype: torch.dtype = torch.float16,
) -> Layer:  # fmt: skip
    """GPTQ. order: "shared" for one that is the same in all layers of so many inputs, "own" for another in each."""
    group = columns if group == -1 else group
    groups = -(-columns // group)
    integers = rng.integers(0, 1 << bits, (columns, rows))
    zeros = rng.integers(1, 1 << bits, (groups, rows))
    scales = scales_of(rng, groups, rows, dtype=dtype)
    index = np.arange(columns) // group
    if order:
        index = (np.random.default_rng(columns) if order == "shared" else rng).permutation(index)
    step = 1 if version == 1 else 0
    weight = scales.float().numpy()[index] * (integers - zeros[index]).astype(np.float32)
    tensors = {"qweight": words(integers.T, bits).T.contiguous(), "qzeros": words(zeros - step, bits),
               "scales": scales, "g_idx": torch.from_numpy(index.astype(np.int32))}  # fmt: skip
    return tensors, weight.T.copy()


def quantize(model: Any, packer: Packer, skip: tuple[str, ...] = ("lm_head", "mlp.gate.")) -> dict[str, torch.Tensor]:
    """The tensors of the model's checkpoint, whose products are packed; the model gets the weights they stand for."""
    rng, tensors = np.random.default_rng(7), {}
    for name, weight in list(model.state_dict().items()):
        module, _, last = name.rpartition(".")
        if name == "lm_head.weight" and model.config.tie_word_embeddings:
            continue
        if last != "weight" or weight.ndim != 2 or "embed" in name or any(one in name for one in skip):
            tensors[name] = weight.to(torch.float16) if weight.ndim > 1 else weight
            weight.copy_(tensors[name].float())
            continue
        packed, numbers = packer(rng, *weight.shape)
        tensors |= {f"{module}.{suffix}": tensor for suffix, tensor in packed.items()}
        weight.copy_(torch.from_numpy(numbers))
    return tensors


def write(folder: Path, model: Any, settings: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> Path:
    """A checkpoint's folder, in two files."""
    folder.mkdir(parents=True, exist_ok=True)
    config = model.config.to_dict() | {"quantization_config": dict(settings), "architectures": [type(model).__name__]}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    names = sorted(tensors)
    shards = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, own in shards.items():
        save_file({name: tensors[name].contiguous() for name in own}, folder / file)
    table = {name: file for file, own in shards.items() for name in own}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": table}), "utf-8")
    return folder


SIZES = {"hidden_size": 128, "intermediate_size": 256, "head_dim": 32, "num_hidden_layers": 2}


def gptq_checkpoint(folder: Path, architecture: str, **changes: Any) -> tuple[Path, Any]:
    """A checkpoint of GPTQ, and the model of its weights. changes: arguments of `gptq`."""
    own = {"bits": 4, "group": 64, "version": 1, "order": "", **changes}
    model = make_model(architecture, **SIZES)
    settings = {
        "quant_method": "gptq", "bits": own["bits"], "group_size": own["group"], "desc_act": bool(own["order"]),
        "checkpoint_format": "gptq" if own["version"] == 1 else "gptq_v2", "sym": False,
    }  # fmt: skip
    return write(folder, model, settings, quantize(model, partial(gptq, **own))), model


def write_layer(folder: Path, settings: Mapping[str, Any], layer: str, tensors: Mapping[str, torch.Tensor]) -> Path:
    """A folder with one quantized layer, and an embedding as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "quantization_config": dict(settings)}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    own = {f"{layer}.{suffix}": tensor.contiguous() for suffix, tensor in tensors.items()}
    save_file(own | {"model.embed_tokens.weight": torch.ones(4, 3)}, folder / "model.safetensors")
    return folder


def numbers(path: Path) -> dict[str, torch.Tensor]:
    """Every weight of a checkpoint as a model gets it."""
    checkpoint = open_checkpoint(str(path))
    return {name: CheckpointTensor(checkpoint.weights_folder, one).read() for name, one in checkpoint.tensors.items()}
