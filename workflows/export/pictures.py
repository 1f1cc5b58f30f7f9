"""The components of a model that reads pictures: vision encoder, embeddings with its rows, decoder over embeddings.

vision      pixel_values [tiles,3,H,W] ──▶ image_features [rows,E]
            or pixel_values [patches,C] · image_grid_thw [pictures,3], pictures of any size one after another
embeddings  input_ids [1,S] · image_features [rows of the placeholders among them,E] ──▶ inputs_embeds [1,S,E]
decoder     inputs_embeds · position_ids [1,S] or [3,1,S] · attention_mask · past ──▶ logits · present
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import torch
from transformers import AttentionInterface, PreTrainedModel

from workflows.common.errors import RecipeError, printable
from workflows.common.tensor_names import FEATURES, GRIDS, PIXELS
from workflows.export.attention import (
    ATTENTION_NAME,
    MODEL_ERRORS,
    BaseCacheAdapter,
    HostCacheAdapter,
    LayerFacts,
)
from workflows.export.decoder import DecoderModule, logits_in_steps, run_causal
from workflows.export.signature import ExportSignature

ATTENTION = {"text_config": ATTENTION_NAME, "vision_config": "eager"}
"""transformers' attention by part: ours holds the decoder's cache, and the vision encoder has none."""
MASKED_ATTENTION = "flash_attention_by_joinery_mask"
"""Attention of a vision encoder with a mask where transformers gives the ends of its sequences.

Only for an implementation whose name has `flash` are these ends handed through; all others are called once for each
sequence, as many times as the pictures of the example have, which no graph can follow.
"""
_TOLERANCE = 1e-3  # of the largest logit
_BEFORE, _AFTER = 5, 9  # tokens of the comparison around its pictures
_GRIDS = ((1, 6, 10), (1, 4, 4))  # in blocks of merged patches, of two example pictures


def _attend_masked(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    cu_seq_lens_q: torch.Tensor | None = None,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """[1,H,N,D] three times and a mask [1,1,N,N] → [1,N,H,D]"""
    attended = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=cu_seq_lens_q, scale=scaling
    )
    return attended.transpose(1, 2).contiguous(), None


AttentionInterface.register(MASKED_ATTENTION, _attend_masked)


class VisionModule(torch.nn.Module, ABC):  # type: ignore[misc]  # torch is not type-checked here
    """A vision encoder that gives one row [E] for each placeholder of its pictures, in their order."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self._config = model.config

    @abstractmethod
    def attend(self) -> None:
        """Sets the attention of the graph; the model's own comparison sets another."""

    @abstractmethod
    def example(self) -> dict[str, torch.Tensor]:
        """Its inputs for two pictures."""

    @abstractmethod
    def example_rows(self) -> tuple[int, int]:
        """The rows of each of these two pictures."""

    @abstractmethod
    def signature(self) -> ExportSignature:
        """The graph's inputs and outputs."""

    @abstractmethod
    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        """What the model itself takes beside `ids` [1,S], for the same pictures."""

    def positions(self, model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
        """The position ids of `ids` [1,S]: [1,S] where each is one number, else [3,1,S]."""
        return torch.arange(ids.shape[1])[None]


class TilesModule(VisionModule):
    """The vision encoder and the connector of Idefics3 and SmolVLM, for tiles that are pictures in all their pixels."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        self.vision, self.connector = model.model.vision_model, model.model.connector
        self._side = model.config.vision_config.image_size // model.config.vision_config.patch_size
        self.attend()

    def attend(self) -> None:
        self.vision.set_attn_implementation("eager")

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        """[tiles,3,H,W] → [tiles · rows of one,E]"""
        mask = torch.ones(pixel_values.shape[0], self._side, self._side, dtype=torch.bool)
        hidden = self.vision(pixel_values=pixel_values, patch_attention_mask=mask).last_hidden_state
        rows: torch.Tensor = self.connector(hidden)
        return rows.reshape(-1, rows.shape[-1])

    def example(self) -> dict[str, torch.Tensor]:
        size = self._config.vision_config.image_size
        return {PIXELS: torch.randn(2, 3, size, size, generator=torch.Generator().manual_seed(0))}

    def example_rows(self) -> tuple[int, int]:
        each = (self._side // self._config.scale_factor) ** 2
        return each, each

    def signature(self) -> ExportSignature:
        signature = ExportSignature(outputs=[FEATURES])
        signature.add(PIXELS, self.example()[PIXELS], {0: "tiles"})
        return signature

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        return {PIXELS: self.example()[PIXELS][None]}


class GridsModule(VisionModule):
    """The vision encoder of Qwen2-VL and Qwen2.5-VL, for pictures of any sizes, which the graph derives all else from.

    The picture, row and column of each patch follow from its number and the grids. Pictures and windows are masks
    [1,1,N,N], so patches are in no other order than given; N² floats are 64 MB at 4,096 patches.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        self.vision = model.model.visual
        vision = model.config.vision_config
        self._merge, self._windowed = vision.spatial_merge_size, hasattr(self.vision, "fullatt_block_indexes")
        self._window = self.vision.window_size // self._merge // vision.patch_size if self._windowed else 0
        self.attend()

    def attend(self) -> None:
        for module in self.vision.modules():
            if hasattr(module, "config"):
                module.config._attn_implementation_internal = MASKED_ATTENTION

    def forward(self, pixel_values: torch.Tensor, image_grid_thw: torch.Tensor) -> torch.Tensor:
        """[patches,C], [pictures,3] → [patches / merged ones,E]"""
        side, number = self._merge, torch.arange(pixel_values.shape[0])
        counts = image_grid_thw.prod(dim=1)
        ends = counts.cumsum(0)
        picture = (number[:, None] >= ends[None]).long().sum(dim=1)
        height, width = image_grid_thw[:, 1][picture], image_grid_thw[:, 2][picture]
        inside = number - (ends - counts)[picture]
        frame, inside = inside // (height * width), inside % (height * width)
        blocks, block = width // side, inside // (side * side)  # patches are given block by block
        block_row, block_column = block // blocks, block % blocks
        row, column = block_row * side + inside // side % side, block_column * side + inside % side
        known = {
            "position_ids": torch.stack([row, column], dim=-1),
            "cu_seqlens": _same(picture, frame),
            "max_seqlen": 1,
        }
        if self._windowed:
            window = block_row // self._window, block_column // self._window
            known |= {
                "window_index": torch.arange(pixel_values.shape[0] // (side * side)),
                "cu_window_seqlens": _same(picture, frame, *window),
                "max_window_seqlen": 1,
            }
        rows: torch.Tensor = self.vision(pixel_values, grid_thw=image_grid_thw, **known).pooler_output
        return rows

    def example(self) -> dict[str, torch.Tensor]:
        vision = self._config.vision_config
        channels = getattr(vision, "in_channels", None) or vision.in_chans
        size = channels * vision.temporal_patch_size * vision.patch_size**2
        grids = torch.tensor(_GRIDS) * torch.tensor([1, self._merge, self._merge])
        patches = int(grids.prod(dim=1).sum())
        return {PIXELS: torch.randn(patches, size, generator=torch.Generator().manual_seed(0)), GRIDS: grids}

    def example_rows(self) -> tuple[int, int]:
        first, second = (math.prod(blocks) for blocks in _GRIDS)
        return first, second

    def signature(self) -> ExportSignature:
        signature, example = ExportSignature(outputs=[FEATURES]), self.example()
        signature.add(PIXELS, example[PIXELS], {0: "patches"})
        signature.add(GRIDS, example[GRIDS], {0: "pictures"})
        return signature

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        return {**self.example(), "mm_token_type_ids": (ids == self._config.image_token_id).int()}

    def positions(self, model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
        given = dict(self.own_inputs(ids))
        given.pop(PIXELS)
        positions: torch.Tensor = model.model.get_rope_index(ids, **given)[0]
        return positions


def _same(*keys: torch.Tensor) -> torch.Tensor:
    """[1,1,N,N]: 0 where all keys [N] of two patches are equal, else the lowest number."""
    equal = torch.stack([key[:, None] == key[None] for key in keys]).all(dim=0)
    return torch.where(equal, 0.0, torch.finfo(torch.float32).min)[None, None]


def vision_module(model: PreTrainedModel, kind: str) -> VisionModule:
    """The vision encoder of a loaded model. kind: see Family.sees."""
    return TilesModule(model) if kind == "tiles" else GridsModule(model)


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


def check_pictures(
    model: PreTrainedModel, layers: Sequence[LayerFacts], vision: VisionModule, embeddings: MergedEmbeddingsModule
) -> None:
    """Raises RecipeError where the divided model's logits differ from its own, for a text with two pictures.

    The tokens go in steps that divide a picture, since a mistake in the example inputs shows in later steps alone.
    """
    try:
        with torch.no_grad():
            vision.attend()
            features = vision(**vision.example())
            ids = _ids_around(model, *vision.example_rows())
            expected = _own_logits(model, ids, vision.own_inputs(ids))
            embeds, positions, count = embeddings(ids, features), vision.positions(model, ids), ids.shape[1]

            def run(adapter: HostCacheAdapter, start: int, end: int) -> torch.Tensor:
                return run_causal(model, adapter, None, positions[..., start:end], embeds=embeds[:, start:end])

            logits = logits_in_steps(layers, [count // 2, count - 2, count - 1, count], run)
    except MODEL_ERRORS as error:
        raise RecipeError(
            f"Divided into vision, embeddings and decoder, this model's own code fails ({type(error).__name__}: "
            f"{printable(error, 120)}), so it cannot be built."
        ) from error
    finally:
        vision.attend()
    difference = float((logits - expected).abs().max())
    if not difference <= _TOLERANCE * max(1.0, float(expected.abs().max())):
        raise RecipeError(
            "Divided into vision, embeddings and decoder, this model's logits differ from its own by "
            f"{difference:.2g}: it connects them in a way that Joinery does not support, so it cannot be built."
        )


def _own_logits(model: PreTrainedModel, ids: torch.Tensor, given: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """[S,V] of the unmodified model for one text with pictures."""
    model.set_attn_implementation("eager")
    try:
        logits: torch.Tensor = model(input_ids=ids, **given, use_cache=False).logits[0]
    finally:
        model.set_attn_implementation(ATTENTION_NAME)
    return logits


def _ids_around(model: PreTrainedModel, first: int, second: int) -> torch.Tensor:
    """[1,S]: text, `first` placeholders, text, `second` placeholders, text."""
    vocabulary, placeholder = model.get_input_embeddings().weight.shape[0], model.config.image_token_id
    ids = torch.arange(1, _BEFORE + first + second + 2 * _AFTER + 1)[None] * 7919 % vocabulary
    ids[ids == placeholder] = (placeholder + 1) % vocabulary
    ids[0, _BEFORE : _BEFORE + first] = placeholder
    start = _BEFORE + first + _AFTER
    ids[0, start : start + second] = placeholder
    return ids
