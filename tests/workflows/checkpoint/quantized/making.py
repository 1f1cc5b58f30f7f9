"""Small quantized checkpoints by hand: random integers, packed as the packages pack them, and what they stand for.

Each packer gives the tensors of a layer [N,K] by their suffixes, and the weight by the formula of the package, which
the tests of packages compare with the packages themselves (packages.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import write_gguf
from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.checkpoint.block_rows import BlockRows
from workflows.checkpoint.quantized.forms import PACKED_FORMS
from workflows.export.checkpoint_tensors import CheckpointTensor
from workflows.graph.described_weights import StoredWeight, block_rows

Layer = tuple[dict[str, torch.Tensor], np.ndarray]
"""The tensors of a layer by their suffixes, and its weight [N,K] in float32."""
Packer = Callable[[np.random.Generator, int, int], Layer]
_MXFP4 = 39
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


def awq(rng: np.random.Generator, rows: int, columns: int, group: int = 64) -> Layer:
    """AWQ in its form gemm."""
    groups = columns // group
    integers, zeros = rng.integers(0, 16, (columns, rows)), rng.integers(0, 16, (groups, rows))
    scales = scales_of(rng, groups, rows)
    index = np.arange(columns) // group
    weight = (integers - zeros[index]).astype(np.float32) * scales.float().numpy()[index]
    tensors = {"qweight": words(integers, 4, AWQ_ORDER), "qzeros": words(zeros, 4, AWQ_ORDER), "scales": scales}
    return tensors, weight.T.copy()


def compressed(
    rng: np.random.Generator, rows: int, columns: int, bits: int = 4, group: int = 64, symmetric: bool = True,
    packed: bool = True, order: bool = False, dtype: torch.dtype = torch.bfloat16,
) -> Layer:  # fmt: skip
    """Integers of compressed-tensors, packed or in int8. group: -1 for one scale a row."""
    group, half = columns if group == -1 else group, 1 << (bits - 1)
    groups = columns // group
    integers = rng.integers(-half, half, (rows, columns))
    zeros = np.zeros((rows, groups), int) if symmetric else rng.integers(-half, half, (rows, groups))
    scales = scales_of(rng, rows, groups, dtype=dtype)
    index = np.arange(columns) // group
    index = rng.permutation(index) if order else index
    weight = (integers - zeros[:, index]).astype(np.float32) * scales.float().numpy()[:, index]
    tensors: dict[str, torch.Tensor] = {"weight_scale": scales}
    if packed:
        tensors |= {"weight_packed": words(integers + half, bits), "weight_shape": torch.tensor([rows, columns])}
    else:
        tensors["weight"] = torch.from_numpy(integers.astype(np.int8))
    if not symmetric:
        stored = words((zeros + half).T, bits).T if packed else torch.from_numpy(zeros.astype(np.int8))
        tensors["weight_zero_point"] = stored
    if order:
        tensors["weight_g_idx"] = torch.from_numpy(index.astype(np.int32))
    return tensors, weight


def float8(
    rng: np.random.Generator, rows: int, columns: int, block: tuple[int, int] = (1, 0), suffix: str = "weight_scale",
    dtype: torch.dtype = torch.bfloat16,
) -> Layer:  # fmt: skip
    """FP8 (E4M3). block: rows and columns with one scale; 0 for all."""
    codes = torch.from_numpy(rng.normal(0, 60, (rows, columns)).astype(np.float32)).to(torch.float8_e4m3fn)
    sizes = [size or whole for size, whole in zip(block, (rows, columns), strict=True)]
    scales = scales_of(rng, -(-rows // sizes[0]), -(-columns // sizes[1]), dtype=dtype) / 32
    spread = scales.float().numpy().repeat(sizes[0], 0)[:rows].repeat(sizes[1], 1)[:, :columns]
    return {
        "weight": codes,
        suffix: scales if max(scales.shape) > 1 else scales.reshape(1),
    }, codes.float().numpy() * spread


_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def float4(rng: np.random.Generator, rows: int, columns: int, form: str = "nvfp4") -> Layer:
    """NVFP4 and MXFP4 of compressed-tensors."""
    codes = rng.integers(0, 16, (rows, columns))
    tensors = {"weight_packed": torch.from_numpy((codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8))}
    if form == "nvfp4":
        scales = torch.from_numpy(rng.random((rows, columns // 16)).astype(np.float32) * 200 + 20).to(
            torch.float8_e4m3fn
        )
        tensors |= {"weight_scale": scales, "weight_global_scale": torch.tensor([6000.0])}
        own = (scales.float() / 6000.0).numpy().repeat(16, 1)
    else:
        exponents = rng.integers(116, 121, (rows, columns // 32)).astype(np.uint8)
        tensors["weight_scale"] = torch.from_numpy(exponents)
        own = (2.0 ** (exponents.astype(np.float32) - 127)).repeat(32, 1)
    return tensors, _E2M1[codes] * own


_NF4 = np.sort(np.random.default_rng(4).uniform(-1, 1, 16)).astype(np.float32)


def bitsandbytes4(
    rng: np.random.Generator, rows: int, columns: int, kind: str = "nf4", block: int = 64, nested: bool = True
) -> Layer:
    """4 bits of bitsandbytes, by a table of levels that the file has."""
    codes = rng.integers(0, 16, rows * columns)
    groups = -(-rows * columns // block)
    state: dict[str, Any] = {"quant_type": kind, "blocksize": block, "dtype": "bfloat16", "shape": [rows, columns]}
    tensors = {"weight": torch.from_numpy((codes[::2] << 4 | codes[1::2]).astype(np.uint8))[:, None],
               "weight.quant_map": torch.from_numpy(_NF4.copy())}  # fmt: skip
    absmax = rng.random(groups).astype(np.float32) * 0.2 + 0.05
    if nested:
        levels, stored = np.linspace(-1, 1, 256, dtype=np.float32), rng.integers(0, 256, groups)
        own = scales_of(rng, -(-groups // 256), dtype=torch.float32)
        absmax = levels[stored] * own.numpy().repeat(256)[:groups] + np.float32(0.125)
        state |= {"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": 0.125}
        tensors |= {"weight.absmax": torch.from_numpy(stored.astype(np.uint8)), "weight.nested_absmax": own,
                    "weight.nested_quant_map": torch.from_numpy(levels)}  # fmt: skip
    else:
        tensors["weight.absmax"] = torch.from_numpy(absmax)
    text = json.dumps(state).encode()
    tensors[f"weight.quant_state.bitsandbytes__{kind}"] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    return tensors, (_NF4[codes] * absmax.repeat(block)[: rows * columns]).reshape(rows, columns)


def bitsandbytes8(rng: np.random.Generator, rows: int, columns: int) -> Layer:
    """int8 of bitsandbytes."""
    integers, scales = rng.integers(-127, 128, (rows, columns)), scales_of(rng, rows, dtype=torch.float32) * 40
    tensors = {"weight": torch.from_numpy(integers.astype(np.int8)), "SCB": scales,
               "weight_format": torch.tensor(0, dtype=torch.uint8)}  # fmt: skip
    return tensors, integers.astype(np.float32) * (scales.numpy() * np.float32(1 / 127))[:, None]


def hqq(rng: np.random.Generator, rows: int, columns: int, bits: int = 4, group: int = 64) -> Layer:
    """HQQ, with zero points that are no whole numbers, as its optimizer leaves them."""
    groups = rows * columns // group
    integers = rng.integers(0, 1 << bits, (groups, group), np.uint8)
    scale = scales_of(rng, groups, 1).float().numpy()
    zero = (rng.random((groups, 1)) * (1 << bits) * 0.8).astype(np.float16)
    half = groups // 2
    stored = integers if bits == 8 else (integers[:half] << 4) | integers[half:]
    whole = {"nbits": bits, "group_size": group, "axis": 1}
    flags = {"view_as_float": 0, "quant_scale": 0, "quant_zero": 0, "offload_meta": 0, "encoded_state_dict": 1}
    tensors = {
        "W_q": torch.from_numpy(stored), "scale": torch.from_numpy(scale).half(), "zero": torch.from_numpy(zero),
        "shape": torch.tensor([rows, columns]), "packing": torch.tensor([*f"{bits}bit_u8".encode()], dtype=torch.uint8),
        **{name: torch.tensor(value, dtype=torch.int32) for name, value in whole.items()},
        **{name: torch.tensor(value, dtype=torch.uint8) for name, value in flags.items()},
    }  # fmt: skip
    return tensors, ((integers - zero.astype(np.float32)) * scale).reshape(rows, columns)


def quanto(rng: np.random.Generator, rows: int, columns: int) -> Layer:
    """quanto's qint8."""
    integers, scale = rng.integers(-128, 128, (rows, columns), np.int8), scales_of(rng, rows, 1).float()
    ones = {name: torch.ones(()) for name in ("input_scale", "output_scale")}
    tensors = {"weight._data": torch.from_numpy(integers), "weight._scale": scale / 8, **ones}
    return tensors, integers * (scale / 8).numpy()


def torchao(
    rng: np.random.Generator, rows: int, columns: int, bits: int = 8, group: int = -1, zeros: bool = True,
    packed: bool = False,
) -> Layer:  # fmt: skip
    """Integers of torchao: one in a byte, or two (Int4Tensor). group: -1 for one scale a row."""
    group, half = columns if group == -1 else group, 1 << (bits - 1)
    integers = rng.integers(-half, half, (rows, columns), np.int8)
    scale = scales_of(rng, rows, columns // group, dtype=torch.bfloat16 if packed else torch.float32)
    own = scale.float().numpy().repeat(group, 1)
    if packed:
        offsets = (torch.from_numpy(rng.random(scale.shape).astype(np.float32)) * 0.02 - 0.01).bfloat16()
        tensors = {"qdata": torch.from_numpy((integers[:, ::2] & 15) | (integers[:, 1::2] << 4)),
                   "scale": scale.T, "zero_point": offsets.T}  # fmt: skip
        minimums = np.float32(8) * scale.float().numpy() - offsets.float().numpy()
        weight = (integers + 8).astype(np.float32) * own - minimums.repeat(group, 1)
    else:
        middles = rng.integers(-half, half, scale.shape, np.int8) if zeros else np.zeros(scale.shape, np.int8)
        tensors = {"qdata": torch.from_numpy(integers), "scale": scale, "zero_point": torch.from_numpy(middles)}
        weight = (integers.astype(np.float32) - middles.repeat(group, 1)) * own
    return {f"_weight_{name}": tensor for name, tensor in tensors.items()}, weight


def torchao_classes(names: Iterable[str], kind: str = "Int8Tensor", **facts: Any) -> dict[str, str]:
    """What a file's metadata say of these tensors and parts of weights, all of one class."""
    suffix = "._weight_qdata"
    return {"format": "pt"} | {
        f"{name.removesuffix(suffix)}.weight": json.dumps({"_type": kind, "_data": facts}) if name.endswith(suffix)
        else json.dumps({"_type": "Tensor"}) for name in names
    }  # fmt: skip


def quantize(model: Any, packer: Packer, skip: tuple[str, ...] = ("lm_head", "mlp.gate.")) -> dict[str, torch.Tensor]:
    """The tensors of the model's checkpoint, whose products are packed; the model gets the weights they stand for."""
    rng, tensors = np.random.default_rng(7), {}
    for name, weight in list(model.state_dict().items()):
        module, _, last = name.rpartition(".")
        if name == "lm_head.weight" and model.config.tie_word_embeddings:
            continue
        if weight.ndim == 3:
            tensors |= _experts(rng, name, weight, packer)
            continue
        if last != "weight" or weight.ndim != 2 or "embed" in name or any(one in name for one in skip):
            tensors[name] = weight.to(torch.float16) if weight.ndim > 1 else weight
            weight.copy_(tensors[name].float())
            continue
        packed, numbers = packer(rng, *weight.shape)
        tensors |= {f"{module}.{suffix}": tensor for suffix, tensor in packed.items()}
        weight.copy_(torch.from_numpy(numbers))
    return tensors


def _experts(rng: np.random.Generator, name: str, weight: torch.Tensor, packer: Packer) -> dict[str, torch.Tensor]:
    """The tensors of stacked experts [E,N,K], each packed alone, gate and up apart; the weight becomes theirs."""
    module, _, last = name.rpartition(".")
    labels, tensors = ("gate_proj", "up_proj") if last == "gate_up_proj" else (last,), {}
    for expert, own in enumerate(weight):
        for label, part in zip(labels, own.chunk(len(labels)), strict=True):
            packed, numbers = packer(rng, *part.shape)
            tensors |= {f"{module}.{expert}.{label}.{suffix}": tensor for suffix, tensor in packed.items()}
            part.copy_(torch.from_numpy(numbers))
    return tensors


def write(folder: Path, model: Any, settings: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> Path:
    """A checkpoint's folder, in two files."""
    folder.mkdir(parents=True, exist_ok=True)
    config = model.config.to_dict() | {"quantization_config": dict(settings), "architectures": [type(model).__name__]}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    names = sorted(tensors)
    shards = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    metadata = torchao_classes(names) if settings.get("quant_method") == "torchao" else None
    for file, own in shards.items():
        save_file({name: tensors[name].contiguous() for name in own}, folder / file, metadata)
    table = {name: file for file, own in shards.items() for name in own}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": table}), "utf-8")
    return folder


def gpt_oss(folder: Path) -> tuple[Path, Path, Any]:
    """A checkpoint of gpt-oss, experts in MXFP4, as transformers has it and in GGUF, and the model of its weights."""
    model, rng, blocks = make_model("gpt-oss", intermediate_size=64), np.random.default_rng(3), {}
    tensors, stored = {}, {}
    for name, weight in model.state_dict().items():
        if weight.ndim < 3:
            tensors[name] = weight
            continue
        experts, columns, rows = weight.shape  # [E, K, N]
        integers = rng.integers(0, 16, (experts, rows, columns // 32, 32), np.uint8)
        exponents = rng.integers(119, 124, integers.shape[:3], np.uint8)
        numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)[integers]
        numbers *= np.ldexp(np.float32(1), exponents.astype(np.int32) - 127)[..., None]
        weight.copy_(torch.from_numpy(numbers.reshape(experts, rows, columns)).transpose(1, 2))
        tensors[f"{name}_blocks"] = torch.from_numpy(integers[..., ::2] | (integers[..., 1::2] << 4))
        tensors[f"{name}_scales"] = torch.from_numpy(exponents)
        halves = integers[..., :16] | (integers[..., 16:] << 4)
        stored[name] = np.concatenate([exponents[..., None], halves], -1)  # [E, N, K/32, 17]
    for name, packed in stored.items():
        layer = name.split(".")[2]
        parts = {"down": packed} if "down" in name else {"gate": packed[:, ::2], "up": packed[:, 1::2]}
        blocks |= {f"blk.{layer}.ffn_{part}_exps.weight": own for part, own in parts.items()}
    file = write_gguf(folder / "gpt-oss.gguf", metadata_of("gpt-oss", model.config), [
        (name, shape, _MXFP4, blocks[name].tobytes()) if name in blocks else (name, shape, kind, content)
        for name, shape, kind, content in tensors_of("gpt-oss", model)
    ])  # fmt: skip
    return write(folder / "checkpoint", model, {"quant_method": "mxfp4"}, tensors), file, model


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


def write_layer(
    folder: Path, settings: Mapping[str, Any], layer: str, tensors: Mapping[str, torch.Tensor],
    metadata: Mapping[str, str] | None = None,
) -> Path:  # fmt: skip
    """A folder with one quantized layer, and an embedding as it is. metadata: of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "quantization_config": dict(settings)}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    own = {f"{layer}.{suffix}": tensor.contiguous() for suffix, tensor in tensors.items()}
    save_file(own | {"model.embed_tokens.weight": torch.ones(4, 3)}, folder / "model.safetensors", metadata)
    return folder


def numbers(path: Path) -> dict[str, torch.Tensor]:
    """Every weight of a checkpoint as a model gets it."""
    checkpoint = open_checkpoint(str(path))
    return {name: CheckpointTensor(checkpoint.weights_folder, one).read() for name, one in checkpoint.tensors.items()}


def check_layer(
    folder: Path, settings: Mapping[str, Any], packer: Packer, form: str, held: bool,
    metadata: Mapping[str, str] | None = None,
) -> np.ndarray:  # fmt: skip
    """Whether a layer of this packer has this form, and the numbers that it stands for, bit by bit; the numbers."""
    tensors, weight = packer(np.random.default_rng(3), 48, 192)
    path = write_layer(folder, settings, "model.layers.0.mlp.up_proj", tensors, metadata)
    info = open_checkpoint(str(path)).tensors["model.layers.0.mlp.up_proj.weight"]
    assert (info.dtype, info.shape) == (form, (48, 192)) and info.packed is not None and info.packed.held == held
    assert bool(PACKED_FORMS[form].held) == held
    made = numbers(path)
    assert {*made} == {"model.layers.0.mlp.up_proj.weight", "model.embed_tokens.weight"}
    found = made["model.layers.0.mlp.up_proj.weight"].numpy()
    np.testing.assert_array_equal(found, weight)
    rows = mapped_rows(open_checkpoint(str(path)), "model.layers.0.mlp.up_proj.weight")
    np.testing.assert_array_equal(rows.numbers(slice(9, 21)).reshape(12, 192), weight[9:21])
    return found


def mapped_rows(checkpoint: Checkpoint, name: str) -> BlockRows:
    """The rows of a packed weight as a streamed build reads them."""
    info = checkpoint.tensors[name]
    assert info.packed is not None
    return block_rows(StoredWeight("", 0, info.dtype, info.shape, name, packed=info.packed.within(checkpoint.folder)))


def checkpoint_of(
    folder: Path, architecture: str, settings: Mapping[str, Any], packer: Packer, **changes: Any
) -> tuple[Path, Any]:
    """A checkpoint of a method, and the model of its weights."""
    model = make_model(architecture, **SIZES, **changes)
    return write(folder, model, settings, quantize(model, packer)), model
