"""Vision encoders: the rows that take the places of a prompt's pictures, from tiles or from pictures of any size.

tiles   pixel_values [tiles,3,H,W] ──▶ image_features [rows,E]
packed  pixel_values [tiles,3,H,W] · feature_places, feature_weights [rows,taps] ──▶ image_features [rows,E]
patches pixel_values [patches,C] · image_sizes [pictures,2] ──▶ image_features [rows,E]
grids   pixel_values [patches,C] · image_grid_thw [pictures,3] ──▶ image_features [rows,E], or [rows,(1+L)·E]: deepstack
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from transformers import AttentionInterface, PreTrainedModel

from workflows.common.tensor_names import FEATURES, GRIDS, PIXELS, PLACES, SIZES, WEIGHTS
from workflows.export.attention import ATTENTION_NAME
from workflows.export.feature_encoder import FeatureEncoderModule
from workflows.export.signature import TILES, ExportSignature
from workflows.media import PictureLayout
from workflows.media.pictures.packed_rows import packed_rows
from workflows.media.pictures.patch_grid import patches_in_blocks
from workflows.media.pictures.resolution_tiles import best_resolution

ATTENTION = {"text_config": ATTENTION_NAME, "vision_config": "eager"}
"""transformers' attention by part: ours holds the decoder's cache, and the vision encoder has none."""
MASKED_ATTENTION = "flash_attention_by_joinery_mask"
"""Attention of a vision encoder with a mask where transformers gives the ends of its sequences.

Only for an implementation whose name has `flash` are these ends handed through; all others are called once for each
sequence, as many times as the pictures of the example have, which no graph can follow.
"""
_BLOCKS = ((3, 5), (2, 2))  # rows and columns of merged patches, of two example pictures
_Pair = tuple[torch.Tensor, torch.Tensor]
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


class TilesModule(FeatureEncoderModule):
    """A vision encoder of tiles, or of whole pictures of one size, that needs no other input."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        self.inner = model.model
        self.attend()

    def attend(self) -> None:
        for name in ("vision_tower", "vision_model"):
            if hasattr(self.inner, name):
                getattr(self.inner, name).set_attn_implementation("eager")

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        """[tiles,3,H,W] → [tiles · rows of one,E]"""
        rows: torch.Tensor = self.inner.get_image_features(pixel_values=pixel_values).pooler_output
        return rows.reshape(-1, rows.shape[-1])

    def example(self) -> dict[str, torch.Tensor]:
        size = self._config.vision_config.image_size
        height, width = size if isinstance(size, list | tuple) else (size, size)
        return {PIXELS: torch.randn(2, 3, height, width, generator=torch.Generator().manual_seed(0))}

    def example_rows(self) -> tuple[int, int]:
        with torch.no_grad():
            each = len(self(**self.example())) // 2
        return each, each

    def signature(self) -> ExportSignature:
        signature = ExportSignature(outputs=[FEATURES])
        signature.add(PIXELS, self.example()[PIXELS], {0: TILES})
        return signature

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        return self.example()


class Idefics3Module(TilesModule):
    """That of Idefics3 and SmolVLM, for tiles that are pictures in all their pixels.

    Their own functions leave out empty tiles, and derive the places of patches from fractions, which the Range of
    onnxruntime counts otherwise than torch: for whole tiles the places are constants.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        self.register_buffer("places", self._places(), persistent=False)

    def _places(self) -> torch.Tensor:
        """[1,N] the rows of the table of positions that the model takes for a tile's patches."""
        taken: list[torch.Tensor] = []
        embeddings, pixels = self.inner.vision_model.embeddings, self.example()[PIXELS][:1]
        handle = embeddings.position_embedding.register_forward_pre_hook(lambda _, inputs: taken.append(inputs[0]))
        side = self._config.vision_config.image_size // self._config.vision_config.patch_size
        try:
            with torch.no_grad():
                embeddings(pixel_values=pixels, patch_attention_mask=torch.ones(1, side, side, dtype=torch.bool))
        finally:
            handle.remove()
        return taken[0].long()

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        """[tiles,3,H,W] → [tiles · rows of one,E]"""
        vision = self.inner.vision_model
        patches = vision.embeddings.patch_embedding(pixel_values).flatten(2).transpose(1, 2)
        hidden = patches + vision.embeddings.position_embedding(self.places)
        hidden = vision.post_layernorm(vision.encoder(inputs_embeds=hidden).last_hidden_state)
        rows: torch.Tensor = self.inner.connector(hidden)
        return rows.reshape(-1, rows.shape[-1])

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        return {PIXELS: self.example()[PIXELS][None]}


class LlavaModule(TilesModule):
    """That of LLaVA, whose own function gives a list of one item a picture, and a graph's list has a fixed length."""

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        """[pictures,3,H,W] → [pictures · rows of one,E]"""
        layers, strategy = self._config.vision_feature_layer, self._config.vision_feature_select_strategy
        states = self.inner.vision_tower(pixel_values, output_hidden_states=True).hidden_states
        chosen = [states[layer] for layer in (layers if isinstance(layers, list | tuple) else [layers])]
        first = int(strategy == "default")  # without the row of the class
        rows: torch.Tensor = self.inner.multi_modal_projector(torch.cat(chosen, dim=-1)[:, first:])
        return rows.reshape(-1, rows.shape[-1])


class PackedModule(FeatureEncoderModule):
    """That of LLaVA-NeXT and OneVision, given which rows of the tiles stand for a picture: see packed_rows.py.

    Their own functions find these by the size of each picture, so that a graph would hold those of its example.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        self.tiles, self.line_end = LlavaModule(model), model.model.image_newline

    def attend(self) -> None:
        self.tiles.attend()

    def forward(
        self, pixel_values: torch.Tensor, feature_places: torch.Tensor, feature_weights: torch.Tensor
    ) -> torch.Tensor:
        """[tiles,3,H,W], [rows,taps], [rows,taps] → [rows,E]"""
        rows = torch.cat([self.line_end[None], self.tiles(pixel_values)])
        joined: torch.Tensor = (rows[feature_places] * feature_weights[..., None]).sum(dim=1)
        return joined

    def _layouts(self) -> list[PictureLayout]:
        """Of two pictures that leave a part of their tiles empty."""
        resolutions, edge = self._config.image_grid_pinpoints, self._config.vision_config.image_size
        height, width = min(resolutions, key=math.prod)
        sizes = [(height, width * 2 // 3), (height * 2 // 3, width)]
        best = [best_resolution(*size, resolutions) for size in sizes]
        return [
            PictureLayout(rows // edge, columns // edge, *size)
            for (rows, columns), size in zip(best, sizes, strict=True)
        ]

    def _packed(self, layouts: Sequence[PictureLayout]) -> tuple[torch.Tensor, torch.Tensor]:
        """[rows,taps] places and weights, with one more tap of no weight: an axis of 1 would be taken for fixed."""
        vision, limit = self._config.vision_config, getattr(self._config, "vision_aspect_ratio", "")
        most = int(limit.removeprefix("anyres_max_")) if limit else None
        places, weights = packed_rows(layouts, vision.image_size // vision.patch_size, most)
        pad = torch.nn.functional.pad
        return pad(torch.from_numpy(places), (0, 1)), pad(torch.from_numpy(weights).float(), (0, 1))

    def example(self) -> dict[str, torch.Tensor]:
        layouts = self._layouts()
        edge, count = self._config.vision_config.image_size, sum(1 + one.rows * one.columns for one in layouts)
        tiles = torch.randn(count, 3, edge, edge, generator=torch.Generator().manual_seed(0))
        places, weights = self._packed(layouts)
        return {PIXELS: tiles, PLACES: places, WEIGHTS: weights}

    def example_rows(self) -> tuple[int, int]:
        first, second = (len(self._packed([layout])[0]) for layout in self._layouts())
        return first, second

    def signature(self) -> ExportSignature:
        signature, example = ExportSignature(outputs=[FEATURES]), self.example()
        signature.add(PIXELS, example[PIXELS], {0: TILES})
        for name in (PLACES, WEIGHTS):
            signature.add(name, example[name], {0: "rows", 1: "taps"})
        return signature

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        layouts = self._layouts()
        counts = [1 + one.rows * one.columns for one in layouts]
        pictures = torch.nn.utils.rnn.pad_sequence(self.example()[PIXELS].split(counts), batch_first=True)
        return {PIXELS: pictures, "image_sizes": torch.tensor([[one.height, one.width] for one in layouts])}


class SizedModule(FeatureEncoderModule):
    """That of Mistral 3 (Pixtral's), for pictures of any sizes, whose patches are given block by block.

    Their own function cuts a batch of padded pictures by each one's size, so that a graph would hold those of its
    example. As in GridsModule, places and masks follow from the number of a patch.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        self.inner, self._merge = model.model, self.merged(model)
        self._patch = model.config.vision_config.patch_size
        self.attend()

    @staticmethod
    def merged(model: PreTrainedModel) -> int:
        """Patches along a block."""
        return int(model.config.spatial_merge_size)

    def attend(self) -> None:
        self.inner.vision_tower.set_attn_implementation("eager")

    def forward(self, pixel_values: torch.Tensor, image_sizes: torch.Tensor) -> torch.Tensor:
        """[patches,3·patch·patch], [pictures,2] → [blocks,E]"""
        tower = self.inner.vision_tower
        picture, row, column = self._places(pixel_values.shape[0], image_sizes)
        hidden = tower.ln_pre(pixel_values @ tower.patch_conv.weight.flatten(1).T)[None]
        angles = tower.patch_positional_embedding(hidden, torch.stack([row, column], dim=-1))
        mask, states = _same(picture), [hidden]
        for layer in tower.transformer.layers:
            states.append(layer(states[-1], mask, position_embeddings=angles))
        return self._projected(states)

    def _places(self, count: int, image_sizes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """[N] the picture, row and column of each of `count` patches."""
        number, sizes = torch.arange(count), image_sizes // self._patch
        counts = sizes.prod(dim=1)
        ends = counts.cumsum(0)
        picture = (number[:, None] >= ends[None]).long().sum(dim=1)
        row, column = _in_blocks(number - (ends - counts)[picture], sizes[:, 1][picture], self._merge)
        return picture, row, column

    def _chosen(self, states: Sequence[torch.Tensor]) -> torch.Tensor:
        """The chosen layers' states [1,N,D], joined: [N,layers · D]"""
        layers = self._config.vision_feature_layer
        chosen = [states[layer][0] for layer in (layers if isinstance(layers, list | tuple) else [layers])]
        return torch.cat(chosen, dim=-1)

    def _projected(self, states: Sequence[torch.Tensor]) -> torch.Tensor:
        """The layers' states [1,N,D] → [N / merged ones,E]; the merger reads a block number by number."""
        projector = self.inner.multi_modal_projector
        normed = projector.norm(self._chosen(states))
        blocks = normed.reshape(-1, self._merge**2, normed.shape[-1]).transpose(1, 2).flatten(1)
        rows: torch.Tensor = projector.linear_1(projector.patch_merger.merging_layer(blocks))
        return projector.linear_2(projector.act(rows))

    def _pictures(self) -> list[torch.Tensor]:
        """[3,H,W] of two."""
        random, unit = torch.Generator().manual_seed(0), self._patch * self._merge
        return [torch.randn(3, rows * unit, columns * unit, generator=random) for rows, columns in _BLOCKS]

    def example(self) -> dict[str, torch.Tensor]:
        pictures = self._pictures()
        patches = [patches_in_blocks(one.numpy(), self._patch, self._merge) for one in pictures]
        sizes = torch.tensor([one.shape[1:] for one in pictures])
        return {PIXELS: torch.from_numpy(np.concatenate(patches)), SIZES: sizes}

    def example_rows(self) -> tuple[int, int]:
        first, second = (math.prod(blocks) for blocks in _BLOCKS)
        return first, second

    def signature(self) -> ExportSignature:
        signature, example = ExportSignature(outputs=[FEATURES]), self.example()
        signature.add(PIXELS, example[PIXELS], {0: "patches"})
        signature.add(SIZES, example[SIZES], {0: "pictures"})
        return signature

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        pictures = self._pictures()
        height, width = (max(one.shape[side] for one in pictures) for side in (1, 2))
        padded = [torch.nn.functional.pad(one, (0, width - one.shape[2], 0, height - one.shape[1])) for one in pictures]
        return {PIXELS: torch.stack(padded), SIZES: self.example()[SIZES]}


class PixtralModule(SizedModule):
    """That of Pixtral 12B: LLaVA with this encoder, which merges no patches."""

    @staticmethod
    def merged(model: PreTrainedModel) -> int:
        return 1

    def _projected(self, states: Sequence[torch.Tensor]) -> torch.Tensor:
        rows: torch.Tensor = self.inner.multi_modal_projector(self._chosen(states))
        return rows


class PooledModule(SizedModule):
    """That of Gemma 4, which gives the mean of each block of patches. A patch has its channels last."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__(model)
        _fix_bounds(self.inner.vision_tower)

    @staticmethod
    def merged(model: PreTrainedModel) -> int:
        return int(model.config.vision_config.pooling_kernel_size)

    def forward(self, pixel_values: torch.Tensor, image_sizes: torch.Tensor) -> torch.Tensor:
        """[patches,patch·patch·3], [pictures,2] → [blocks,E]"""
        tower = self.inner.vision_tower
        picture, row, column = self._places(pixel_values.shape[0], image_sizes)
        places = torch.stack([column, row], dim=-1)[None]
        hidden = tower.patch_embedder(pixel_values[None], places, torch.zeros_like(places[..., 0], dtype=torch.bool))
        angles, mask = tower.encoder.rotary_emb(hidden, places), _same(picture)
        for layer in tower.encoder.layers:
            hidden = layer(hidden, position_embeddings=angles, attention_mask=mask, position_ids=places)
        means = hidden[0].unflatten(0, (-1, self._merge**2)).mean(dim=1) * tower.pooler.root_hidden_size
        if tower.config.standardize:
            means = (means - tower.std_bias) * tower.std_scale
        rows: torch.Tensor = self.inner.embed_vision(means)
        return rows

    def example(self) -> dict[str, torch.Tensor]:
        example = super().example()
        patches = example[PIXELS].unflatten(1, (3, self._patch, self._patch))
        return {**example, PIXELS: patches.permute(0, 2, 3, 1).flatten(1).contiguous()}

    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        """The patches with the places of each, padded to as many in both pictures."""
        example = self.example()
        picture, row, column = self._places(len(example[PIXELS]), example[SIZES])
        counts, pad = picture.bincount().tolist(), torch.nn.utils.rnn.pad_sequence
        places = torch.stack([column, row], dim=-1).split(counts)
        return {
            PIXELS: pad(example[PIXELS].split(counts), batch_first=True),
            "image_position_ids": pad(places, batch_first=True, padding_value=-1),
            "mm_token_type_ids": (ids == self.placeholder).int(),
        }


class GridsModule(FeatureEncoderModule):
    """The vision encoder of Qwen2-VL and its successors, for pictures of any sizes, which the graph derives all from.

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
        side = self._merge
        (picture, frame), (row, column), (height, width) = self._places(pixel_values.shape[0], image_grid_thw)
        known = {
            "position_ids": torch.stack([row, column], dim=-1),
            "cu_seqlens": _same(picture, frame),
            "max_seqlen": 1,
        }
        if self._windowed:
            window = row // side // self._window, column // side // self._window
            known |= {
                "window_index": torch.arange(pixel_values.shape[0] // (side * side)),
                "cu_window_seqlens": _same(picture, frame, *window),
                "max_window_seqlen": 1,
            }
        if hasattr(self.vision, "pos_embed"):
            taps = self._taps(row, height), self._taps(column, width)
            known |= dict(zip(("interp_indices", "interp_weights"), _outer(*taps, self._table_side), strict=True))
        seen = self.vision(pixel_values, grid_thw=image_grid_thw, **known)
        return torch.cat([seen.pooler_output, *getattr(seen, "deepstack_features", ())], dim=-1)

    def _places(self, count: int, grids: torch.Tensor) -> tuple[_Pair, _Pair, _Pair]:
        """[N] of each of `count` patches: picture and frame, row and column, height and width of its picture."""
        number, counts = torch.arange(count), grids.prod(dim=1)
        ends = counts.cumsum(0)
        picture = (number[:, None] >= ends[None]).long().sum(dim=1)
        height, width = grids[:, 1][picture], grids[:, 2][picture]
        inside = number - (ends - counts)[picture]
        frame, inside = inside // (height * width), inside % (height * width)
        return (picture, frame), _in_blocks(inside, width, self._merge), (height, width)

    @property
    def _table_side(self) -> int:
        """Rows of the square table of positions."""
        return int(self.vision.pos_embed.num_embeddings**0.5)

    def _taps(self, index: torch.Tensor, size: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The two nearest rows of the table [N,2] and their weights, whose first and last are those of a picture's."""
        last = self._table_side - 1
        place = index.float() * last / (size - 1).clamp(min=1)
        below = place.floor()
        above = place - below
        rows = torch.stack([below, below + 1], dim=1).long().clamp(max=last)
        return rows, torch.stack([1 - above, above], dim=1)

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


class GlmModule(GridsModule):
    """That of GLM-4.1V and GLM-OCR: its table of positions is scaled to each picture by cubic interpolation.

    Its own function samples the table as an image, and finds a patch's picture by the ends of their sequences.
    """

    def forward(self, pixel_values: torch.Tensor, image_grid_thw: torch.Tensor) -> torch.Tensor:
        """[patches,C], [pictures,3] → [patches / merged ones,E]"""
        sequence, (row, column), (height, width) = self._places(pixel_values.shape[0], image_grid_thw)
        hidden = self.vision.patch_embed(pixel_values)
        if hasattr(self.vision, "post_conv_layernorm"):
            hidden = self.vision.post_conv_layernorm(hidden)
        angles, mask = self.vision.rotary_pos_emb(hidden, torch.stack([row, column], dim=-1)), _same(*sequence)
        if hasattr(self.vision, "embeddings"):
            hidden = hidden + self._scaled_table(self._cubic_taps(row, height), self._cubic_taps(column, width))
        for block in self.vision.blocks:
            hidden = block(hidden, cu_seqlens=mask, max_seqlen=1, position_embeddings=angles)
        blocks = self.vision.post_layernorm(hidden).unflatten(0, (-1, self._merge, self._merge)).permute(0, 3, 1, 2)
        rows: torch.Tensor = self.vision.merger(self.vision.downsample(blocks).flatten(1))
        return rows

    @property
    def _table_side(self) -> int:
        return int(self.vision.embeddings.position_embedding.num_embeddings**0.5)

    def _cubic_taps(self, index: torch.Tensor, size: torch.Tensor) -> _Pair:
        """The four nearest rows of the table [N,4] and their weights (Keys 1981, with a = -0.75)."""
        place = (index.float() + 0.5) / size * self._table_side - 0.5
        below = place.floor()
        taps = below[:, None] + torch.arange(-1, 3)
        far = (place[:, None] - taps).abs()
        near = (1.25 * far - 2.25) * far * far + 1
        beyond = ((-0.75 * far + 3.75) * far - 6) * far + 3
        return taps.long().clamp(0, self._table_side - 1), torch.where(far <= 1, near, beyond)

    def _scaled_table(self, rows: _Pair, columns: _Pair) -> torch.Tensor:
        """[N,D], one of the sixteen places at a time: all of them would take sixteen times the memory."""
        places, weights = _outer(rows, columns, self._table_side)
        table = self.vision.embeddings.position_embedding.weight
        scaled = torch.zeros(places.shape[0], table.shape[1])
        for tap in range(places.shape[1]):
            scaled = scaled + table[places[:, tap]] * weights[:, tap, None]
        return scaled


def _fix_bounds(module: torch.nn.Module) -> None:
    """Makes numbers of the tensors between which layers keep their inputs and outputs.

    onnxscript 0.7 gives the bounds of several clips of one value names that the graph does not have.
    """
    for part in module.modules():
        if getattr(part, "use_clipped_linears", False):
            for name in ("input_min", "input_max", "output_min", "output_max"):
                if name in part._buffers:
                    bound = float(part._buffers.pop(name))
                    setattr(part, name, bound)


def _in_blocks(number: torch.Tensor, width: torch.Tensor, side: int) -> tuple[torch.Tensor, torch.Tensor]:
    """[N] row and column of the patches of pictures of `width` patches, given block by block of side × side."""
    blocks, block = width // side, number // (side * side)
    return block // blocks * side + number // side % side, block % blocks * side + number % side


def _same(*keys: torch.Tensor) -> torch.Tensor:
    """[1,1,N,N]: 0 where all keys [N] of two patches are equal, else the lowest number."""
    equal = torch.stack([key[:, None] == key[None] for key in keys]).all(dim=0)
    return torch.where(equal, 0.0, torch.finfo(torch.float32).min)[None, None]


def _outer(rows: _Pair, columns: _Pair, side: int) -> _Pair:
    """[N,taps] rows and columns with their weights → places in a table of `side` rows [N,taps²], and their weights"""
    places = rows[0][:, :, None] * side + columns[0][:, None]
    weights = rows[1][:, :, None] * columns[1][:, None]
    return places.flatten(1), weights.flatten(1)


def vision_module(model: PreTrainedModel, kind: str) -> FeatureEncoderModule:
    """The vision encoder of a loaded model. kind: see Family.sees."""
    if kind == "grids":
        return GlmModule(model) if model.config.model_type.startswith("glm") else GridsModule(model)
    if kind == "patches":
        return PooledModule(model) if model.config.model_type == "gemma4" else SizedModule(model)
    if kind == "packed":
        return PackedModule(model)
    if model.config.vision_config.model_type == "pixtral":
        return PixtralModule(model)
    own = {"idefics3": Idefics3Module, "smolvlm": Idefics3Module, "llava": LlavaModule}
    return own.get(model.config.model_type, TilesModule)(model)
