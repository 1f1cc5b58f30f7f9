"""torchao: layers as its classes give them to files, and what is refused. packages.py compares with the package."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import (
    check_layer,
    float8,
    mapped_rows,
    numbers,
    torchao,
    torchao_classes,
    write_layer,
)
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

SETTINGS = {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_version": 2}}}
LAYER = "model.layers.0.mlp.up_proj"
QDATA = f"{LAYER}._weight_qdata"


def intx(bits: int) -> dict[str, str]:
    target = {"_type": "torch.dtype", "_data": f"int{bits}"}
    return torchao_classes([QDATA], "IntxUnpackedToInt8Tensor", target_dtype=target)


@pytest.mark.parametrize(("group", "zeros"), [(-1, False), (-1, True), (32, True), (96, False)])
def test_integers_of_8_bits(tmp_path: Path, group: int, zeros: bool) -> None:
    packer = partial(torchao, group=group, zeros=zeros)
    check_layer(tmp_path, SETTINGS, packer, "AO-INT8", True, torchao_classes([QDATA]))
    packed = open_checkpoint(str(tmp_path)).tensors[f"{LAYER}.weight"].packed
    assert packed is not None and packed.zeros == zeros and bool(packed.part("zero_point")) == zeros


def test_integers_of_4_bits(tmp_path: Path) -> None:
    check_layer(tmp_path / "a", SETTINGS, partial(torchao, bits=4, group=32), "AO-INT4", True, intx(4))
    check_layer(tmp_path / "b", SETTINGS, partial(torchao, bits=4, group=64), "AO-INT8", True, intx(6))
    own = torchao_classes([QDATA], "Int4Tensor", block_size=[1, 64], shape=[48, 192])
    packer = partial(torchao, bits=4, group=64, packed=True)
    check_layer(tmp_path / "c", SETTINGS, packer, "AO-INT4-PACKED", True, own)


def test_integers_beyond_their_bits(tmp_path: Path) -> None:
    tensors, _ = torchao(np.random.default_rng(1), 48, 192, group=32, zeros=False)
    path = write_layer(tmp_path, SETTINGS, LAYER, tensors, intx(4))
    with pytest.raises(CheckpointError, match=r"'model\.safetensors' holds integers of torchao beyond the 4 bits"):
        numbers(path)
    with pytest.raises(CheckpointError, match="beyond the 4 bits"):
        mapped_rows(open_checkpoint(str(path)), f"{LAYER}.weight")[slice(0, 2)]


def test_float8(tmp_path: Path) -> None:
    for block, shape in (((1, 0), (48, 1)), ((16, 64), (3, 3)), ((0, 0), (1,))):
        made, weight = float8(np.random.default_rng(1), 48, 192, block, dtype=torch.float32)
        tensors = {"_weight_qdata": made["weight"], "_weight_scale": made["weight_scale"]}
        own = torchao_classes([QDATA], "Float8Tensor", block_size=[size or 192 for size in block])
        path = write_layer(tmp_path / str(shape), SETTINGS, LAYER, tensors, own)
        info = open_checkpoint(str(path)).tensors[f"{LAYER}.weight"]
        assert (info.dtype, made["weight_scale"].shape) == ("FP8", shape)
        np.testing.assert_array_equal(numbers(path)[f"{LAYER}.weight"].numpy(), weight)


def test_classes_that_are_not_read(tmp_path: Path) -> None:
    tensors, _ = torchao(np.random.default_rng(1), 48, 192)
    for number, name in enumerate(("Int4TilePackedTo4dTensor", "NVFP4Tensor")):
        path = write_layer(tmp_path / str(number), SETTINGS, LAYER, tensors, torchao_classes([QDATA], name))
        with pytest.raises(CheckpointError, match=rf"'{LAYER}\.weight' is of its class {name}, which is not read"):
            open_checkpoint(str(path))
    experts = {"model.layers.0.mlp.experts.gate_up_proj": '{"_type": "Int8Tensor", "_data": {}}'}
    path = write_layer(tmp_path / "experts", SETTINGS, LAYER, tensors, torchao_classes([QDATA]) | experts)
    with pytest.raises(
        CheckpointError, match=r"'model\.layers\.0\.mlp\.experts\.gate_up_proj' is of its class Int8Tens"
    ):
        open_checkpoint(str(path))
    path = write_layer(tmp_path / "json", SETTINGS, LAYER, tensors, {f"{LAYER}.weight": "{"})
    with pytest.raises(CheckpointError, match=rf"'model\.safetensors: {LAYER}\.weight' is not JSON"):
        open_checkpoint(str(path))


BAD = torch.full((48, 1), 9, dtype=torch.int8)


@pytest.mark.parametrize(
    ("changes", "metadata", "expected"),
    [
        ({}, None, "the metadata of its file do not say of which class it is"),
        ({}, torchao_classes([f"{LAYER}.weight"]), "do not say of which class it is"),
        ({"act_pre_scale": torch.ones(192)}, torchao_classes([QDATA]), "its inputs are scaled before they are multipl"),
        ({"scale": torch.ones(3, 7)}, torchao_classes([QDATA]), r"'scale' has the shape \[3, 7\], which does not divi"),
        ({"scale": None}, torchao_classes([QDATA]), "its tensor 'scale' is missing"),
        ({"zero_point": torch.zeros(3)}, torchao_classes([QDATA]), "'zero_point' has the shape"),
        ({"zero_point": torch.full((48, 1), 0.5)}, torchao_classes([QDATA]), "'zero_point' has numbers that are no i"),
        ({"zero_point": BAD}, intx(4), "'zero_point' has numbers that are no integers of 4 bits"),
        ({}, intx(16), "its integers are of int16, and those up to int8 are read"),
        ({}, torchao_classes([QDATA], "IntxUnpackedToInt8Tensor"), "its integers are of None"),
        ({}, torchao_classes([QDATA], "Float8Tensor"), "'qdata' is stored in int8 and not in float8_e4m3fn"),
        ({}, torchao_classes([QDATA], "Int4Tensor"), "'zero_point' is stored in int8"),
        (
            {"scale": torch.ones(5, 48), "zero_point": torch.ones(5, 48)}, torchao_classes([QDATA], "Int4Tensor"),
            "'scale' has 5 groups, which do not divide 384 inputs",
        ),
    ],
)  # fmt: skip
def test_a_layer_that_is_not_read(
    tmp_path: Path, changes: dict[str, Any], metadata: dict[str, str] | None, expected: str
) -> None:
    tensors = torchao(np.random.default_rng(1), 48, 192)[0]
    tensors |= {f"_weight_{name}": tensor for name, tensor in changes.items()}
    own = {name: one for name, one in tensors.items() if one is not None}
    path = write_layer(tmp_path, SETTINGS, LAYER, own, metadata)
    with pytest.raises(CheckpointError, match=f"'{LAYER}' cannot be read as torchao: .*{expected}"):
        open_checkpoint(str(path))
