"""A vision encoder as one graph computes the rows of the model's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest
import torch

from tests.workflows.families.models import save_qwen_vl, save_smolvlm
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.export.decoder import causal_layers
from workflows.export.features import MergedEmbeddingsModule, check_features
from workflows.export.load import load_model
from workflows.export.trace import trace
from workflows.export.vision import ATTENTION, GridsModule, Idefics3Module


def test_the_windows_of_patches_are_masks(tmp_path: Path) -> None:
    """As transformers orders patches by window and back; without the windows the logits are others."""
    checkpoint = open_checkpoint(str(save_qwen_vl("qwen2_5_vl", tmp_path, image_token_id=200)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    layers, embeddings = causal_layers(model), MergedEmbeddingsModule(model, 200)
    check_features(model, layers, GridsModule(model), embeddings)
    wrong = GridsModule(model)
    wrong._window = 100
    with pytest.raises(RecipeError, match=r"logits differ from its own by .* connects them"):
        check_features(model, layers, wrong, embeddings)


def test_the_table_of_positions_is_scaled_to_each_picture(tmp_path: Path) -> None:
    """A picture of one row or column of blocks, one of the table's size, larger ones; several at once."""
    checkpoint = open_checkpoint(str(save_qwen_vl("qwen3_vl", tmp_path, image_token_id=200)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    own = load_model(checkpoint, "image-text-to-text", attention="eager").model
    vision = GridsModule(model)
    for grids in ([[1, 2, 2]], [[1, 2, 14]], [[1, 6, 6], [1, 8, 4], [1, 24, 18]]):
        given = torch.tensor(grids)
        pixels = torch.randn(int(given.prod(dim=1).sum()), 96, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            seen = own.get_image_features(pixels, given)
            expected = torch.cat([torch.cat(rows) for rows in (seen.pooler_output, *seen.deepstack_features)], dim=1)
            assert (vision(pixels, given) - expected).abs().max() < 1e-4 * expected.abs().max(), grids


@pytest.mark.slow
@pytest.mark.parametrize(("patch", "side"), [(5, 6), (3, 26)])
def test_the_places_of_patches_are_the_models_own(patch: int, side: int, tmp_path: Path) -> None:
    """Fractions of 1/6 and 1/26 are not exact, and onnxruntime counts them otherwise; Idefics3 has 26 a side."""
    checkpoint = open_checkpoint(str(save_smolvlm(tmp_path / "m", image_token_id=200, patch=patch, side=side)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    own = load_model(checkpoint, "image-text-to-text", attention="eager").model
    vision = Idefics3Module(model)
    proto = ir.to_proto(trace(vision, vision.signature(), 21))
    tiles = np.random.default_rng(0).normal(size=(3, 3, patch * side, patch * side)).astype(np.float32)
    (rows,) = ort.InferenceSession(proto.SerializeToString()).run(None, {"pixel_values": tiles})
    with torch.no_grad():
        expected = torch.cat([*own.get_image_features(pixel_values=torch.from_numpy(tiles)[None]).pooler_output])
    expected = expected.reshape(rows.shape).numpy()
    assert np.abs(rows - expected).max() < 1e-4 * np.abs(expected).max()
