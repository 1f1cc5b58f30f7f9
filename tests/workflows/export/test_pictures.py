"""A model that sees, divided, computes its own logits, or it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.workflows.families.models import save_qwen_vl, save_smolvlm
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.export.decoder import causal_layers
from workflows.export.load import load_model
from workflows.export.pictures import ATTENTION, GridsModule, MergedEmbeddingsModule, TilesModule, check_pictures


def test_what_is_divided_whole_passes_and_what_is_not_is_refused(tmp_path: Path) -> None:
    """As it is; then without the vision encoder's last layer, and with rows that are placed in another order."""
    checkpoint = open_checkpoint(str(save_smolvlm(tmp_path, image_token_id=200)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    layers, vision, embeddings = causal_layers(model), TilesModule(model), MergedEmbeddingsModule(model)
    check_pictures(model, layers, vision, embeddings)

    class Reversed(TilesModule):
        def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
            return super().forward(pixel_values).flip(0)

    with pytest.raises(RecipeError, match=r"logits differ from its own by .* connects them"):
        check_pictures(model, layers, Reversed(model), embeddings)
    layer = model.get_input_embeddings().weight
    with torch.no_grad():
        rows = embeddings(torch.tensor([[5, 200, 200, 6]]), torch.arange(128.0).reshape(2, 64))
    assert torch.equal(rows[0, [0, 3]], layer[[5, 6]])
    assert torch.equal(rows[0, [1, 2]], torch.arange(128.0).reshape(2, 64))


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
