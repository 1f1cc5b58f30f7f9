"""quanto: layers as the package stores them, and what is refused. packages.py compares with the package itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import check_layer, quanto, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

SETTINGS = {"quant_method": "quanto"}
LAYER = "model.layers.0.mlp.up_proj"


def test_weights_are_those_of_the_formula(tmp_path: Path) -> None:
    check_layer(tmp_path, SETTINGS, quanto, "QUANTO-8", held=True)


def test_the_list_of_layers_names_the_method(tmp_path: Path) -> None:
    """As the package writes it: config.json says nothing."""
    path = write_layer(tmp_path, {}, LAYER, quanto(np.random.default_rng(1), 48, 192)[0])
    (path / "quanto_qmap.json").write_text(json.dumps({LAYER: {"weights": "qint8", "activations": "none"}}), "utf-8")
    assert open_checkpoint(str(path)).tensors[f"{LAYER}.weight"].dtype == "QUANTO-8"


def test_what_is_not_read(tmp_path: Path) -> None:
    scale, four = torch.ones(144, 1), torch.zeros(72, 64, dtype=torch.uint8)
    tensors = {"weight._data._data": four, "weight._scale": scale, "weight._shift": scale.clone()}
    path = write_layer(tmp_path / "4", SETTINGS, LAYER, tensors)
    with pytest.raises(CheckpointError, match=r"as quanto: it has 4 or 2 bits, whose shape the file does not say"):
        open_checkpoint(str(path))
    tensors = {"weight._data": torch.zeros(48, 192).to(torch.float8_e4m3fn), "weight._scale": torch.ones(48, 1)}
    with pytest.raises(CheckpointError, match=r"'weight._data' is stored in float8_e4m3fn and not in int8"):
        open_checkpoint(str(write_layer(tmp_path / "8", SETTINGS, LAYER, tensors)))
    tensors = {"weight._data": torch.zeros(48, 192, dtype=torch.int8), "weight._scale": torch.ones(())}
    with pytest.raises(CheckpointError, match=r"'weight._scale' has the shape \[\], which has not 2 axes"):
        open_checkpoint(str(write_layer(tmp_path / "tensor", SETTINGS, LAYER, tensors)))
