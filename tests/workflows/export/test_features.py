"""A model that sees, divided, computes its own logits, or it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.workflows.families.models import VOCABULARY, save_qwen_vl, save_smolvlm, save_with_tiles
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.export.decoder import causal_layers
from workflows.export.equivalence import check_causal
from workflows.export.features import MergedEmbeddingsModule, check_features
from workflows.export.load import load_model
from workflows.export.reference import ReferenceLogits
from workflows.export.vision import ATTENTION, GridsModule, Idefics3Module, TilesModule
from workflows.recipe.resolve import resolve_recipe


def test_what_is_divided_whole_passes_and_what_is_not_is_refused(tmp_path: Path) -> None:
    """As it is; then without the vision encoder's last layer, and with rows that are placed in another order."""
    checkpoint = open_checkpoint(str(save_smolvlm(tmp_path, image_token_id=200)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    layers, vision, embeddings = causal_layers(model), Idefics3Module(model), MergedEmbeddingsModule(model, 200)
    reference = check_features(model, layers, vision, embeddings)
    assert reference.rows.tolist() == [*range(22, 31)] and reference.given["pixel_values"].shape == (2, 3, 32, 32)
    assert (reference.ids == 200).sum() == 8 and len(reference.ids) == 31
    reference.write(tmp_path, "again.npz")
    again = ReferenceLogits.read(tmp_path, "again.npz")
    assert again is not None and again.steps == 8
    assert all((again.given[name] == value).all() for name, value in reference.given.items())

    class Reversed(Idefics3Module):
        def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
            return super().forward(pixel_values).flip(0)

    with pytest.raises(RecipeError, match=r"logits differ from its own by .* connects them"):
        check_features(model, layers, Reversed(model), embeddings)
    layer = model.get_input_embeddings().weight
    with torch.no_grad():
        (rows,) = embeddings(torch.tensor([[5, 200, 200, 6]]), torch.arange(128.0).reshape(2, 64))
    assert torch.equal(rows[0, [0, 3]], layer[[5, 6]])
    assert torch.equal(rows[0, [1, 2]], torch.arange(128.0).reshape(2, 64))


def test_layers_with_rows_of_their_own(tmp_path: Path) -> None:
    """Rows stand behind the embedding, at the placeholders alone; in another order the logits are others."""
    checkpoint = open_checkpoint(str(save_qwen_vl("qwen3_vl", tmp_path, image_token_id=200)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    layers, vision, embeddings = causal_layers(model), GridsModule(model), MergedEmbeddingsModule(model, 200)
    check_features(model, layers, vision, embeddings)
    features = torch.arange(2 * 3 * 64.0).reshape(2, 3 * 64)
    with torch.no_grad():
        embeds, deep = embeddings(torch.tensor([[200, 5, 200]]), features)
    assert torch.equal(embeds[0, [0, 2]], features[:, :64]) and torch.equal(deep[0, [0, 2]], features[:, 64:])
    assert not deep[0, 1].any()

    class Exchanged(GridsModule):
        def forward(self, pixel_values: torch.Tensor, image_grid_thw: torch.Tensor) -> torch.Tensor:
            rows = super().forward(pixel_values, image_grid_thw)
            return torch.cat([rows[:, :64], rows[:, 128:], rows[:, 64:128]], dim=1)

    with pytest.raises(RecipeError, match="logits differ from its own"):
        check_features(model, layers, Exchanged(model), embeddings)


def test_the_places_of_a_picture_attend_to_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle is told which tokens are a picture's; causal masks give other logits."""
    checkpoint = open_checkpoint(str(save_with_tiles("gemma3", tmp_path, image_token_id=200)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    layers, vision, embeddings = causal_layers(model), TilesModule(model), MergedEmbeddingsModule(model, 200)
    check_features(model, layers, vision, embeddings, mutual="pictures")
    monkeypatch.setattr("workflows.export.features.TokenBlocks.ahead", lambda blocks, positions: None)
    with pytest.raises(RecipeError, match="logits differ from its own"):
        check_features(model, layers, vision, embeddings, mutual="pictures")


def test_a_placeholder_beyond_the_embedding_takes_its_features(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(str(save_with_tiles("gemma3", tmp_path, image_token_id=VOCABULARY)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    layers, vision, embeddings = causal_layers(model), TilesModule(model), MergedEmbeddingsModule(model, VOCABULARY)
    features = torch.randn(1, 64)
    with torch.no_grad():
        (embeds,) = embeddings(torch.tensor([[VOCABULARY, 5]]), features)
        assert torch.equal(embeds[0, :1], features)
        assert torch.equal(embeds[:, 1:], model.get_input_embeddings()(torch.tensor([[5]])))
    check_features(model, layers, vision, embeddings, mutual="pictures")


def test_the_text_of_the_comparison_has_no_placeholder(tmp_path: Path) -> None:
    """Nor padding: with the padding 0 and the placeholder 1, neither takes the other's place."""
    checkpoint = open_checkpoint(str(save_smolvlm(tmp_path, image_token_id=1)))
    model = load_model(checkpoint, "image-text-to-text", attention=ATTENTION)
    recipe = resolve_recipe(checkpoint, {"check": "quick"})
    reference = check_causal(model, causal_layers(model), recipe)
    assert not {0, 1} & set(reference.ids.tolist()) and len(set(reference.ids.tolist())) > 20
