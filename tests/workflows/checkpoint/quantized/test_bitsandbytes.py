"""bitsandbytes: weights by the formula of its package, bit by bit, in float32."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import bitsandbytes4, bitsandbytes8, check_layer, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

LAYER = "model.layers.0.mlp.up_proj"


SETTINGS = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}


@pytest.mark.parametrize(
    "own", [{}, {"nested": False}, {"kind": "fp4", "block": 128}, {"block": 4096, "nested": False}]
)
def test_levels(tmp_path: Path, own: dict[str, Any]) -> None:
    """Blocks go on from one row into the next: 192 numbers are no blocks of 128."""
    kind = own.get("kind", "nf4").upper()
    check_layer(tmp_path, SETTINGS, partial(bitsandbytes4, **own), f"BNB-{kind}", held=False)


def test_integers(tmp_path: Path) -> None:
    check_layer(tmp_path, {"load_in_8bit": True}, bitsandbytes8, "BNB-INT8", held=True)


@pytest.mark.parametrize(("suffix", "tensor", "sentence"), [
    ("weight.quant_map", torch.ones(8), r"'weight.quant_map' has the shape \[8\] where"),
    ("weight.absmax", torch.ones(9, dtype=torch.uint8), r"'weight.absmax' has the shape \[9\] where"),
    ("weight", torch.zeros(9, 1, dtype=torch.uint8), r"'weight' has the shape \[9, 1\], which are not"),
    ("weight.quant_state.bitsandbytes__nf4", torch.zeros(9, dtype=torch.uint8), r".* is no JSON"),
    ("weight.quant_state.bitsandbytes__nf4", torch.tensor([*b'{"shape": 1}'], dtype=torch.uint8), r".* says shape"),
])  # fmt: skip
def test_tensors_that_do_not_fit(tmp_path: Path, suffix: str, tensor: torch.Tensor, sentence: str) -> None:
    tensors, _ = bitsandbytes4(np.random.default_rng(3), 48, 192)
    path = write_layer(tmp_path, SETTINGS, LAYER, tensors | {suffix: tensor})
    with pytest.raises(CheckpointError, match=rf"'{LAYER}' cannot be read as bitsandbytes: {sentence}"):
        open_checkpoint(str(path))
