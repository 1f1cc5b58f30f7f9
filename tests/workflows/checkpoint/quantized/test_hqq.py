"""HQQ: layers as the package stores them, and what is refused. packages.py compares with the package itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import check_layer, hqq, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

SETTINGS = {"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 4}}}
LAYER = "model.layers.0.mlp.up_proj"


@pytest.mark.parametrize(("bits", "group"), [(4, 64), (4, 192), (4, 32), (8, 64), (8, 96)])
def test_weights_are_those_of_the_formula(tmp_path: Path, bits: int, group: int) -> None:
    check_layer(tmp_path, SETTINGS, partial(hqq, bits=bits, group=group), f"HQQ-{bits}", held=True)


def test_groups_that_no_product_takes_are_read_by_value(tmp_path: Path) -> None:
    path = write_layer(tmp_path, SETTINGS, LAYER, hqq(np.random.default_rng(1), 48, 192, group=24)[0])
    packed = open_checkpoint(str(path)).tensors[f"{LAYER}.weight"].packed
    assert packed is not None and not packed.held


def whole(value: int) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.int32)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"nbits": whole(3)}, "it has 3 bits, and 4 and 8 are read"),
        ({"axis": whole(0)}, r"groups lie along the outputs \(axis = 0\)"),
        ({"view_as_float": torch.tensor(1, dtype=torch.uint8)}, "its integers are stored as floats"),
        ({"quant_zero": torch.tensor(1, dtype=torch.uint8)}, "its scales or zero points are quantized themselves"),
        ({"group_size": whole(7)}, "its groups of 7 do not divide its 192 inputs"),
        ({"group_size": whole(-64)}, "its groups of -64 do not divide its 192 inputs"),
        ({"nbits": torch.ones(2, dtype=torch.int32)}, "'nbits' is not one number"),
        ({"nbits": None}, "its tensor 'nbits' is missing"),
        ({"shape": torch.tensor([48, 0])}, r"'shape' is \[48, 0\], which is no matrix"),
        ({"shape": torch.tensor([48, 192, 1])}, "which is no matrix"),
        ({"shape": torch.tensor([48, 384])}, r"'W_q' has the shape \[72, 64\] where the others need \[144, 64\]"),
        ({"scale": torch.ones(3, 1)}, "'scale' has the shape"),
        ({"zero": torch.zeros(144, 1, dtype=torch.uint8)}, "'zero' is stored in uint8"),
    ],
)
def test_a_layer_that_is_not_read(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    tensors = hqq(np.random.default_rng(1), 48, 192)[0] | changes
    path = write_layer(tmp_path, SETTINGS, LAYER, {name: one for name, one in tensors.items() if one is not None})
    with pytest.raises(CheckpointError, match=f"'{LAYER}' cannot be read as HQQ: .*{expected}"):
        open_checkpoint(str(path))
