"""MXFP4 of gpt-oss: the experts as transformers unpacks them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

from tests.workflows.checkpoint.quantized.making import mapped_rows, numbers, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError
from workflows.graph.described_weights import StoredWeight, WeightRecipe
from workflows.recipe.stored_forms import held_form

NAME = "model.layers.0.mlp.experts.gate_up_proj"


def experts(folder: Path, groups: int = 3) -> tuple[Path, torch.Tensor]:
    """A checkpoint of a layer's experts, and their weight [E, K, N] as transformers has it."""
    rng = np.random.default_rng(2)
    blocks = torch.from_numpy(rng.integers(0, 256, (4, 10, groups, 16), np.uint8))
    scales = torch.from_numpy(rng.integers(110, 130, (4, 10, groups), np.uint8))
    path = write_layer(folder, {"quant_method": "mxfp4"}, "x", {})
    from safetensors.torch import save_file

    bias = {f"{NAME}_bias": torch.ones(4, 10), "model.embed_tokens.weight": torch.ones(4, 3)}
    save_file({f"{NAME}_blocks": blocks, f"{NAME}_scales": scales, **bias}, path / "model.safetensors")
    return path, convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)


def test_experts_are_those_of_transformers(tmp_path: Path) -> None:
    path, wanted = experts(tmp_path)
    checkpoint = open_checkpoint(str(path))
    info = checkpoint.tensors[NAME]
    assert {*checkpoint.tensors} == {NAME, f"{NAME}_bias", "model.embed_tokens.weight"}
    assert (info.dtype, info.shape) == ("MXFP4-E", tuple(wanted.shape)) == ("MXFP4-E", (4, 96, 10))
    assert torch.equal(numbers(path)[NAME], wanted)
    assert info.packed is not None and str(held_form(info)) == "8-bit integers in blocks of 32"
    shape, packed = info.packed.stored_shape, info.packed.within(path)
    stored = StoredWeight("", 0, info.dtype, shape, NAME, (0, 2, 1), packed=packed)
    np.testing.assert_array_equal(WeightRecipe.of(stored).compute(), wanted.numpy())
    assert len(mapped_rows(checkpoint, NAME)) == 4


def test_what_does_not_fit(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    path, _ = experts(tmp_path)
    blocks, scales = torch.zeros(4, 10, 3, 16, dtype=torch.uint8), torch.zeros(4, 10, 2, dtype=torch.uint8)
    save_file({f"{NAME}_blocks": blocks, f"{NAME}_scales": scales}, path / "model.safetensors")
    with pytest.raises(CheckpointError, match=rf"'{NAME}' cannot be read as MXFP4: 'scales' has the shape"):
        open_checkpoint(str(path))
    save_file({f"{NAME}_blocks": blocks[..., :8].contiguous(), f"{NAME}_scales": scales}, path / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"'blocks' has the shape \[4, 10, 3, 8\], which"):
        open_checkpoint(str(path))
