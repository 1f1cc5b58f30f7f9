"""Files that packages wrote, read by Joinery, against the packages' own unpacking; prints a table.

    python -m tests.workflows.checkpoint.quantized.packages FOLDER [compressed_tensors] [bitsandbytes] [hqq] [quanto]
                                                                   [torchao]

The packages are not in the test extra: install them with `pip install --no-deps --target SITE compressed-tensors
bitsandbytes hqq optimum-quanto torchao`, with loguru, termcolor and ninja beside them, and set PYTHONPATH=SITE. The
last column has the scales in float32, as Joinery has them; the packages round to the dtype of the model behind that.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from tests.workflows.checkpoint.quantized.making import numbers, write_layer

ROWS, COLUMNS = 96, 512
LAYER = "model.layers.0.mlp.up_proj"


class Case(NamedTuple):
    """own, wide: the weight in the package's dtype, and with scales in float32. metadata: of the file."""

    what: str
    settings: dict[str, Any]
    tensors: dict[str, torch.Tensor]
    own: torch.Tensor
    wide: torch.Tensor
    metadata: dict[str, str] | None = None


_INT4, _INT8, _FP8 = ({"num_bits": bits, "type": kind} for bits, kind in ((4, "int"), (8, "int"), (8, "float")))
FORMS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("pack-quantized", _INT4 | {"strategy": "group", "group_size": 128}),
    ("pack-quantized", _INT4 | {"strategy": "group", "group_size": 32, "symmetric": False}),
    ("pack-quantized", _INT4 | {"strategy": "channel"}),
    ("pack-quantized", _INT8 | {"strategy": "channel"}),
    ("pack-quantized", _INT8 | {"strategy": "channel", "symmetric": False}),
    ("int-quantized", _INT8 | {"strategy": "channel"}),
    ("int-quantized", _INT8 | {"strategy": "tensor"}),
    ("float-quantized", _FP8 | {"strategy": "tensor"}),
    ("float-quantized", _FP8 | {"strategy": "channel"}),
    ("float-quantized", _FP8 | {"strategy": "block", "block_structure": [32, 128]}),
)


def ends_of(weight: torch.Tensor, strategy: str, own: Mapping[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """The lowest and the highest number of each group."""
    if strategy == "group":
        grouped = weight.unflatten(-1, (-1, own["group_size"]))
        return grouped.amin(-1), grouped.amax(-1)
    if strategy == "channel":
        return weight.amin(-1, keepdim=True), weight.amax(-1, keepdim=True)
    if strategy == "block":
        rows, columns = own["block_structure"]
        blocks = weight.reshape(ROWS // rows, rows, COLUMNS // columns, columns)
        return blocks.amin((1, 3)), blocks.amax((1, 3))
    return weight.min().reshape(1), weight.max().reshape(1)


def of_compressed_tensors() -> Iterator[Case]:
    """Layers that compressed-tensors compressed, in bfloat16."""
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
    from compressed_tensors.quantization.utils import calculate_qparams

    for form, own in FORMS:
        arguments = QuantizationArgs(**own)
        scheme = QuantizationScheme(targets=["Linear"], weights=arguments, format=form)
        weight = (torch.randn(ROWS, COLUMNS) * 0.05).bfloat16()
        scale, zero = calculate_qparams(*ends_of(weight.float(), own["strategy"], own), arguments)
        state = {"weight": weight, "weight_scale": scale.bfloat16()}
        state |= {} if own.get("symmetric", True) else {"weight_zero_point": zero}
        compressor = BaseCompressor.get_value_from_registry(form)
        made = {name: getattr(tensor, "data", tensor) for name, tensor in compressor.compress(state, scheme).items()}
        wide = made | {"weight_scale": made["weight_scale"].float()}
        weights = {"targets": ["Linear"], "weights": json.loads(arguments.model_dump_json())}
        settings = {"quant_method": "compressed-tensors", "format": form, "config_groups": {"group_0": weights}}
        truths = (compressor.decompress(dict(one), scheme)["weight"] for one in (made, wide))
        signs = "" if own.get("symmetric", True) else ", zero points"
        yield Case(f"{form}, {own['num_bits']} bits, {own['strategy']}{signs}", settings, made, *truths)


def of_bitsandbytes() -> Iterator[Case]:
    """Layers that bitsandbytes quantized, on the CPU."""
    from bitsandbytes import functional

    weight = torch.randn(ROWS, COLUMNS) * 0.05
    for kind in ("nf4", "fp4"):
        for nested in (False, True):
            packed, state = functional.quantize_4bit(
                weight.bfloat16(), blocksize=64, compress_statistics=nested, quant_type=kind
            )
            own = functional.dequantize_4bit(packed, state)
            tensors = {f"weight.{name}": tensor for name, tensor in state.as_dict(packed=True).items()}
            state.dtype = torch.float32
            wide = functional.dequantize_4bit(packed, state)
            what = f"bitsandbytes {kind}{', nested' if nested else ''}"
            yield Case(what, {"quant_method": "bitsandbytes"}, {"weight": packed, **tensors}, own, wide)
    integers, scales, _ = functional.int8_vectorwise_quant(weight.half())
    own = functional.int8_vectorwise_dequant(integers, scales)
    yield Case("bitsandbytes int8", {"load_in_8bit": True}, {"weight": integers, "SCB": scales}, own, own)


def of_hqq() -> Iterator[Case]:
    """Layers that HQQ quantized, in float32."""
    from hqq.core.quantize import BaseQuantizeConfig, HQQLinear

    for bits, group in ((4, 64), (4, None), (8, 128)):
        plain = torch.nn.Linear(COLUMNS, ROWS, bias=False)
        own = BaseQuantizeConfig(nbits=bits, group_size=group, axis=1)
        layer = HQQLinear(plain, own, compute_dtype=torch.float32, device="cpu")
        tensors = {name: tensor for name, tensor in layer.state_dict().items() if tensor is not None}
        truth = layer.dequantize().detach()
        yield Case(f"HQQ, {bits} bits, groups of {group}", {"quant_method": "hqq"}, tensors, truth, truth)


def of_quanto() -> Iterator[Case]:
    """A layer that quanto quantized."""
    from optimum.quanto import Calibration, QLinear, qint8  # noqa: F401 - loads the package's operators

    plain = torch.nn.Linear(COLUMNS, ROWS, bias=False)
    layer = QLinear.from_module(plain, weights=qint8)
    layer.freeze()
    tensors = {name: tensor for name, tensor in layer.state_dict().items() if isinstance(tensor, torch.Tensor)}
    truth = layer.weight.dequantize().detach()
    yield Case("quanto, qint8", {"quant_method": "quanto"}, tensors, truth, truth)


def of_torchao() -> Iterator[Case]:
    """Layers that torchao quantized, in float32, as it gives them to safetensors."""
    from torchao.prototype.safetensors.safetensors_support import flatten_tensor_state_dict
    from torchao.quantization import (
        Float8WeightOnlyConfig,
        Int8DynamicActivationInt8WeightConfig,
        Int8WeightOnlyConfig,
        IntxWeightOnlyConfig,
        MappingType,
        PerGroup,
        PerRow,
        PerTensor,
        quantize_,
    )

    asymmetric = {"mapping_type": MappingType.ASYMMETRIC}
    configs = {
        "int8 by rows": Int8WeightOnlyConfig(),
        "int8 in groups of 32": Int8WeightOnlyConfig(granularity=PerGroup(32)),
        "int8 by tensor": Int8WeightOnlyConfig(granularity=PerTensor()),
        "int8, inputs in int8": Int8DynamicActivationInt8WeightConfig(),
        "intx, 4 bits in groups of 32": IntxWeightOnlyConfig(torch.int4, PerGroup(32)),
        "intx, 4 bits, zero points": IntxWeightOnlyConfig(torch.int4, PerGroup(64), **asymmetric),
        "intx, 3 bits, zero points": IntxWeightOnlyConfig(torch.int3, PerGroup(64), **asymmetric),
        "intx, 8 bits, zero points": IntxWeightOnlyConfig(torch.int8, PerGroup(128), **asymmetric),
        "float8 by rows": Float8WeightOnlyConfig(granularity=PerRow()),
    }
    for what, config in configs.items():
        plain = torch.nn.Linear(COLUMNS, ROWS, bias=False)
        plain.weight.data *= torch.rand(ROWS, 1) * 4
        quantize_(plain, config)
        truth = plain.weight.dequantize().detach()
        made, metadata = flatten_tensor_state_dict({f"{LAYER}.weight": plain.weight.data})
        tensors = {name.removeprefix(f"{LAYER}."): tensor for name, tensor in made.items()}
        yield Case(f"torchao, {what}", {"quant_method": "torchao"}, tensors, truth, truth, metadata)


CASES = {
    "compressed_tensors": of_compressed_tensors,
    "bitsandbytes": of_bitsandbytes,
    "hqq": of_hqq,
    "quanto": of_quanto,
    "torchao": of_torchao,
}


def main(folder: Path, names: Sequence[str]) -> None:
    torch.manual_seed(0)
    cases = (case for name in names or CASES for case in CASES[name]())
    print("| layer | to the package | with float32 scales | bit by bit |\n|---|---|---|---|")
    for number, case in enumerate(cases):
        path = write_layer(folder / str(number), case.settings, LAYER, case.tensors, case.metadata)
        ours = numbers(path)[f"{LAYER}.weight"]
        errors = ((ours - one.float()).abs().max() for one in (case.own, case.wide))
        equal = torch.equal(ours, case.wide.float())
        print(f"| {case.what} | {' | '.join(f'{float(one):.1e}' for one in errors)} | {equal} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
