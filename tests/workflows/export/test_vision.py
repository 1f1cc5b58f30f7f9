"""A vision encoder as one graph computes the rows of the model's own."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.workflows.families.models import save_qwen_vl
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.export.decoder import causal_layers
from workflows.export.load import load_model
from workflows.export.pictures import MergedEmbeddingsModule, check_pictures
from workflows.export.vision import ATTENTION, GridsModule


def test_the_windows_of_patches_are_masks(tmp_path: Path) -> None:
    """As transformers orders patches by window and back; without the windows the logits are others."""
    checkpoint = open_checkpoint(str(save_qwen_vl("qwen2_5_vl", tmp_path, image_token_id=200)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    layers, embeddings = causal_layers(model), MergedEmbeddingsModule(model)
    check_pictures(model, layers, GridsModule(model), embeddings)
    wrong = GridsModule(model)
    wrong._window = 100
    with pytest.raises(RecipeError, match=r"logits differ from its own by .* connects them"):
        check_pictures(model, layers, wrong, embeddings)


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
