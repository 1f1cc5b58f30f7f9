"""AWQ: weights by the formula of its package, bit by bit."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import awq, check_layer, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

LAYER = "model.layers.0.mlp.up_proj"


@pytest.mark.parametrize("group", [32, 64, 192])
@pytest.mark.parametrize("settings", [{"bits": 4, "version": "gemm"}, {"w_bit": 4, "version": "GEMM"}])
def test_a_layer_is_what_its_integers_stand_for(tmp_path: Path, group: int, settings: dict[str, Any]) -> None:
    name = "group_size" if "bits" in settings else "q_group_size"
    own = {"quant_method": "awq", name: group, "zero_point": True, **settings}
    check_layer(tmp_path, own, partial(awq, group=group), "AWQ-4", held=True)


def test_settings_in_a_file_of_their_own(tmp_path: Path) -> None:
    tensors, _ = awq(np.random.default_rng(3), 48, 192)
    path = write_layer(tmp_path, {}, LAYER, tensors)
    (path / "quant_config.json").write_text('{"w_bit": 4, "q_group_size": 64, "version": "GEMM"}', "utf-8")
    assert open_checkpoint(str(path)).tensors[f"{LAYER}.weight"].shape == (48, 192)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"version": "gemv"}, r"by AWQ in the version gemv, and gemm is read"),
        ({"bits": 8}, r"by AWQ with bits = 8, and 4 are read"),
        ({"group_size": 128}, rf"'{LAYER}' cannot be read as AWQ: 'scales' has the shape \[3, 48\] where .* \[2, 48\]"),
    ],
)
def test_what_is_not_read(tmp_path: Path, settings: dict[str, Any], sentence: str) -> None:
    tensors, _ = awq(np.random.default_rng(3), 48, 192)
    path = write_layer(tmp_path, {"quant_method": "awq", "bits": 4, "group_size": 64} | settings, LAYER, tensors)
    with pytest.raises(CheckpointError, match=sentence):
        open_checkpoint(str(path))


def test_a_layer_without_zero_points(tmp_path: Path) -> None:
    tensors, _ = awq(np.random.default_rng(3), 48, 192)
    del tensors["qzeros"]
    path = write_layer(tmp_path, {"quant_method": "awq", "bits": 4, "group_size": 64}, LAYER, tensors)
    with pytest.raises(CheckpointError, match=rf"'{LAYER}' cannot be read as AWQ: its tensor 'qzeros' is missing"):
        open_checkpoint(str(path))
    assert torch.is_tensor(tensors["scales"])
