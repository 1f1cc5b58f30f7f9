"""The components of a model that reads pictures: vision encoder, embeddings with its rows, decoder over embeddings.

vision      pixel_values [tiles,3,H,W] ──▶ image_features [rows,E]
embeddings  input_ids [1,S] · image_features [rows of the placeholders among them,E] ──▶ inputs_embeds [1,S,E]
decoder     inputs_embeds · position_ids · attention_mask · past ──▶ logits · present
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from workflows.common.errors import RecipeError, printable
from workflows.export.attention import (
    ATTENTION_NAME,
    MODEL_ERRORS,
    BaseCacheAdapter,
    HostCacheAdapter,
    LayerFacts,
)
from workflows.export.decoder import DecoderModule, logits_in_steps, run_causal

ATTENTION = {"text_config": ATTENTION_NAME, "vision_config": "eager"}
"""transformers' attention by part: ours holds the decoder's cache, and the vision encoder has none."""
_TOLERANCE = 1e-3  # of the largest logit
_BEFORE, _AFTER = 5, 9  # tokens of the comparison around its pictures


class TilesModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """The vision encoder and the connector of Idefics3 and SmolVLM, for tiles that are pictures in all their pixels."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.vision, self.connector = model.model.vision_model, model.model.connector
        self.vision.set_attn_implementation("eager")
        self._side = model.config.vision_config.image_size // model.config.vision_config.patch_size

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        """[tiles,3,H,W] → [tiles · rows of one,E]"""
        mask = torch.ones(pixel_values.shape[0], self._side, self._side, dtype=torch.bool)
        hidden = self.vision(pixel_values=pixel_values, patch_attention_mask=mask).last_hidden_state
        rows: torch.Tensor = self.connector(hidden)
        return rows.reshape(-1, rows.shape[-1])


class MergedEmbeddingsModule(torch.nn.Module):  # type: ignore[misc]
    """The embedding table, and rows of features in the place of placeholders, in their order."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.table, self.placeholder = model.get_input_embeddings(), model.config.image_token_id

    def forward(self, input_ids: torch.Tensor, image_features: torch.Tensor) -> torch.Tensor:
        """[1,S], [rows,E] → [1,S,E]"""
        embeds: torch.Tensor = self.table(input_ids)
        return embeds.masked_scatter((input_ids == self.placeholder)[..., None], image_features)


class EmbedsDecoderModule(DecoderModule):
    """A causal LM that takes embeddings in place of ids."""

    def run(self, adapter: BaseCacheAdapter, by_name: dict[str, torch.Tensor]) -> torch.Tensor:
        return run_causal(self.model, adapter, None, by_name["position_ids"], embeds=by_name["inputs_embeds"])


def example_tile(model: PreTrainedModel) -> torch.Tensor:
    """Noise in the shape of one tile, [1,3,H,W]."""
    size = model.config.vision_config.image_size
    return torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(0))


def check_pictures(
    model: PreTrainedModel, layers: Sequence[LayerFacts], vision: TilesModule, embeddings: MergedEmbeddingsModule
) -> None:
    """Raises RecipeError where the divided model's logits differ from its own, for a text with two tiles.

    The tokens go in steps that divide a picture, since a mistake in the example inputs shows in later steps alone.
    """
    tiles = torch.cat([example_tile(model), example_tile(model).flip(2)])
    try:
        with torch.no_grad():
            features = vision(tiles)
            ids = _ids_around(model, len(features))
            expected = _own_logits(model, ids, tiles)
            vision.vision.set_attn_implementation("eager")
            embeds, count = embeddings(ids, features), ids.shape[1]

            def run(adapter: HostCacheAdapter, start: int, end: int) -> torch.Tensor:
                return run_causal(model, adapter, None, torch.arange(start, end)[None], embeds=embeds[:, start:end])

            logits = logits_in_steps(layers, [count // 2, count - 2, count - 1, count], run)
    except MODEL_ERRORS as error:
        raise RecipeError(
            f"Divided into vision, embeddings and decoder, this model's own code fails ({type(error).__name__}: "
            f"{printable(error, 120)}), so it cannot be built."
        ) from error
    difference = float((logits - expected).abs().max())
    if not difference <= _TOLERANCE * max(1.0, float(expected.abs().max())):
        raise RecipeError(
            "Divided into vision, embeddings and decoder, this model's logits differ from its own by "
            f"{difference:.2g}: it connects them in a way that Joinery does not support, so it cannot be built."
        )


def _own_logits(model: PreTrainedModel, ids: torch.Tensor, tiles: torch.Tensor) -> torch.Tensor:
    """[S,V] of the unmodified model for one text with tiles."""
    model.set_attn_implementation("eager")
    try:
        logits: torch.Tensor = model(input_ids=ids, pixel_values=tiles[None], use_cache=False).logits[0]
    finally:
        model.set_attn_implementation(ATTENTION_NAME)
    return logits


def _ids_around(model: PreTrainedModel, rows: int) -> torch.Tensor:
    """[1,S]: text, placeholders for the rows of a picture, text."""
    table, placeholder = model.get_input_embeddings(), model.config.image_token_id
    ids = torch.arange(1, _BEFORE + rows + _AFTER + 1)[None] * 7919 % table.weight.shape[0]
    ids[ids == placeholder] = (placeholder + 1) % table.weight.shape[0]
    ids[0, _BEFORE : _BEFORE + rows] = placeholder
    return ids
