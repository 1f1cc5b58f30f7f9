"""compressed-tensors: weights by the formula of its package, bit by bit, in float32."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import check_layer, compressed, float4, float8, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

LAYER = "model.layers.0.mlp.up_proj"


SETTINGS = {"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"]}


@pytest.mark.parametrize("own", [
    {}, {"bits": 8}, {"symmetric": False}, {"bits": 8, "symmetric": False, "group": 32}, {"group": -1},
    {"group": -1, "symmetric": False}, {"order": True, "symmetric": False}, {"dtype": torch.float16},
    {"packed": False, "bits": 8}, {"packed": False, "bits": 8, "group": -1, "symmetric": False},
])  # fmt: skip
def test_integers(tmp_path: Path, own: dict[str, Any]) -> None:
    check_layer(tmp_path, SETTINGS, partial(compressed, **own), f"CT-INT{own.get('bits', 4)}", held=True)


@pytest.mark.parametrize("block", [(0, 0), (1, 0), (1, 64), (32, 128)])
def test_float8(tmp_path: Path, block: tuple[int, int]) -> None:
    """By tensor, row, group and block."""
    groups = {"group_0": {"weights": {"num_bits": 8, "type": "float", "block_structure": [*block]}}}
    settings = SETTINGS | ({"config_groups": groups} if block == (32, 128) else {})
    check_layer(tmp_path, settings, partial(float8, block=block), "FP8", held=False)


@pytest.mark.parametrize(("form", "name"), [("nvfp4", "NVFP4"), ("mxfp4", "MXFP4-CT")])
def test_float4(tmp_path: Path, form: str, name: str) -> None:
    check_layer(tmp_path, SETTINGS, partial(float4, form=form), name, held=True)


def test_scales_of_activations_are_left_out(tmp_path: Path) -> None:
    own = {"input_scale": torch.ones(1), "input_zero_point": torch.zeros(1), "k_scale": torch.ones(1)}
    tensors, _ = compressed(np.random.default_rng(3), 48, 192)
    path = write_layer(tmp_path, SETTINGS, LAYER, tensors | own)
    assert {*open_checkpoint(str(path)).tensors} == {f"{LAYER}.weight", "model.embed_tokens.weight"}


@pytest.mark.parametrize(("settings", "sentence"), [
    ({"transform_config": {"config_groups": {"R1": {}}}}, r"compressed-tensors with transforms \(transform_config\)"),
    ({"sparsity_config": {"format": "sparse-24-bitmask"}}, r"compressed-tensors with sparsity \(sparsity_config\)"),
])  # fmt: skip
def test_what_is_done_beside_quantization(tmp_path: Path, settings: dict[str, Any], sentence: str) -> None:
    tensors, _ = compressed(np.random.default_rng(3), 48, 192)
    with pytest.raises(CheckpointError, match=sentence):
        open_checkpoint(str(write_layer(tmp_path, SETTINGS | settings, LAYER, tensors)))
    dense = SETTINGS | {"sparsity_config": {"format": "dense"}, "transform_config": {}}
    assert open_checkpoint(str(write_layer(tmp_path / "dense", dense, LAYER, tensors))).dtype == "CT-INT4"


@pytest.mark.parametrize(("suffix", "tensor", "sentence"), [
    ("weight_shape", torch.tensor([48, 200]), r"'weight_packed' has the shape \[48, 24\], which are neither"),
    ("weight_shape", torch.tensor([48]), r"'weight_shape' is no shape of a matrix"),
    ("weight_scale", torch.ones(48, 5), r"'weight_scale' has the shape \[48, 5\], which does not divide 48 × 192"),
    ("weight_scale", torch.ones(48, 3, dtype=torch.int32), r"'weight_scale' is stored in int32"),
    ("weight_zero_point", torch.ones(5, 3, dtype=torch.int32), r"'weight_zero_point' has the shape \[5, 3\]"),
    ("weight_g_idx", torch.zeros(192, dtype=torch.int32), r"'weight_g_idx' has groups of several sizes"),
])  # fmt: skip
def test_tensors_that_do_not_fit(tmp_path: Path, suffix: str, tensor: torch.Tensor, sentence: str) -> None:
    tensors, _ = compressed(np.random.default_rng(3), 48, 192)
    path = write_layer(tmp_path, SETTINGS, LAYER, tensors | {suffix: tensor})
    with pytest.raises(CheckpointError, match=rf"'{LAYER}' cannot be read as compressed-tensors: {sentence}"):
        open_checkpoint(str(path))
