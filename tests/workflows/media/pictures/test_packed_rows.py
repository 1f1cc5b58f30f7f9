"""The rows of LLaVA-NeXT and OneVision are those that transformers' own function packs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from workflows.media import PictureLayout
from workflows.media.pictures.packed_rows import packed_rows
from workflows.media.pictures.resolution_tiles import best_resolution

RESOLUTIONS = [(32, 64), (64, 32), (64, 64), (32, 96), (96, 96)]
SIDE, SIZES = 4, [(40, 40), (3, 200), (200, 3), (97, 64), (301, 211), (130, 129), (5, 7), (63, 20)]


@pytest.mark.parametrize("most", [None, 1, 2, 9])
def test_rows_are_those_of_transformers(most: int | None) -> None:
    """Of several pictures at once, and of one that is not cut into tiles."""
    import torch
    from transformers import LlavaNextModel, LlavaOnevisionModel

    layouts = [PictureLayout(0, 0, 9, 9)] if most else []
    for size in SIZES:
        rows, columns = best_resolution(*size, RESOLUTIONS)
        layouts.append(PictureLayout(rows // 32, columns // 32, *size))
    random = torch.Generator().manual_seed(0)
    tiles = [torch.randn(1 + one.rows * one.columns, SIDE * SIDE, 6, generator=random) for one in layouts]
    end, sizes = torch.randn(6, generator=random), [(one.height, one.width) for one in layouts]
    vision = SimpleNamespace(image_size=32, patch_size=8)
    model: Any = SimpleNamespace(config=SimpleNamespace(vision_config=vision, image_grid_pinpoints=[*RESOLUTIONS]))
    if most is None:
        expected, _ = LlavaNextModel.pack_image_features(model, tiles, sizes, "default", image_newline=end)
    else:
        ratio = f"anyres_max_{most}"
        expected, _ = LlavaOnevisionModel.pack_image_features(model, tiles, sizes, end, vision_aspect_ratio=ratio)
    places, weights = packed_rows(layouts, SIDE, most)
    rows_of_tiles = torch.cat([end[None], *[one.flatten(0, 1) for one in tiles]])
    ours = (rows_of_tiles[torch.from_numpy(places)] * torch.from_numpy(weights)[..., None]).sum(dim=1)
    wanted = torch.cat(expected)
    assert ours.shape == wanted.shape and float((ours - wanted).abs().max()) < 1e-5
    assert (places.shape[1] == 1) == (most in (None, 9))


def test_no_picture_has_no_rows() -> None:
    assert packed_rows([], SIDE, None)[0].shape == (0, 1)
