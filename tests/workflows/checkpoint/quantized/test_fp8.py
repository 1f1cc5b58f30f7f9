"""FP8 in blocks and by rows, bit by bit; a block may end with the matrix."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import check_layer, float8, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

LAYER = "model.layers.0.mlp.up_proj"


@pytest.mark.parametrize("block", [(32, 128), (128, 128), (16, 64)])
def test_blocks(tmp_path: Path, block: tuple[int, int]) -> None:
    settings = {"quant_method": "fp8", "weight_block_size": [*block], "activation_scheme": "dynamic"}
    packer = partial(float8, block=block, suffix="weight_scale_inv", dtype=torch.float32)
    check_layer(tmp_path, settings, packer, "FP8", held=False)


def test_one_scale_and_rows(tmp_path: Path) -> None:
    one = partial(float8, block=(0, 0), suffix="weight_scale_inv")
    check_layer(tmp_path / "one", {"quant_method": "fp8", "weight_block_size": None}, one, "FP8", held=False)
    check_layer(tmp_path / "rows", {"quant_method": "fbgemm_fp8"}, partial(float8, block=(1, 0)), "FP8", held=False)


@pytest.mark.parametrize(("settings", "scales", "sentence"), [
    ({"weight_block_size": [64, 64]}, (2, 2), r"'weight_scale_inv' has the shape \[2, 2\], which does not"),
    ({"weight_block_size": "64"}, (2, 2), r"'weight_scale_inv' has the shape \[2, 2\], which does not"),
])  # fmt: skip
def test_blocks_that_do_not_fit(
    tmp_path: Path, settings: dict[str, Any], scales: tuple[int, int], sentence: str
) -> None:
    tensors, _ = float8(np.random.default_rng(3), 48, 192)
    own = {"weight": tensors["weight"], "weight_scale_inv": torch.ones(scales)}
    path = write_layer(tmp_path, {"quant_method": "fp8"} | settings, LAYER, own)
    with pytest.raises(CheckpointError, match=rf"'{LAYER}' cannot be read as FP8: {sentence}"):
        open_checkpoint(str(path))
