"""Pictures at run time, without torch and transformers: from a file to the tensors of a model's vision encoder.

file ──picture_file──▶ RGB ──processor──▶ tensors and layouts ──tokens──▶ prompt

Processors: patch_grid, tiles, ratio_tiles, resolution_tiles, sized_patches, pooled_patches, fixed_size, depth_pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from workflows.common.errors import MediaError, printable
from workflows.media.pictures import (
    fixed_size,
    patch_grid,
    pooled_patches,
    ratio_tiles,
    resolution_tiles,
    sized_patches,
    tiles,
)
from workflows.media.pictures.depth_pictures import DepthProcessor, FieldOfView, MirroredBorder, MultipleSize
from workflows.media.pictures.fixed_size import FixedSize
from workflows.media.pictures.patch_grid import PatchGrid
from workflows.media.pictures.picture_file import MOST_PIXELS, Picture, read_picture
from workflows.media.pictures.pooled_patches import PooledPatches
from workflows.media.pictures.processor import PictureInputs, PictureLayout, PictureProcessor, SizedProcessor
from workflows.media.pictures.ratio_tiles import RatioTiles
from workflows.media.pictures.resolution_tiles import ResolutionTiles
from workflows.media.pictures.sized_patches import SizedPatches
from workflows.media.pictures.tiles import Tiles
from workflows.media.pictures.tokens import (
    PictureTokens,
    PrefixTokens,
    expand_pictures,
    feature_places,
    picture_tokens,
)

__all__ = [
    "MOST_PIXELS",
    "PROCESSORS",
    "DepthProcessor",
    "Picture",
    "PictureInputs",
    "PictureLayout",
    "PictureProcessor",
    "PictureTokens",
    "PrefixTokens",
    "SizedProcessor",
    "depth_processor",
    "expand_pictures",
    "feature_places",
    "picture_processor",
    "picture_tokens",
    "read_picture",
    "sized_processor",
]

PROCESSORS: dict[str, Callable[[Mapping[str, object]], PictureProcessor]] = {
    **{kind: partial(PatchGrid.from_settings, kind) for kind in patch_grid.KINDS},
    ratio_tiles.KIND: RatioTiles.from_settings,
    sized_patches.KIND: SizedPatches.from_settings,
    pooled_patches.KIND: PooledPatches.from_settings,
    **{kind: partial(Tiles.from_settings, kind) for kind in tiles.KINDS},
    **{kind: partial(ResolutionTiles.from_settings, kind) for kind in resolution_tiles.KINDS},
    **{kind: partial(FixedSize.from_settings, kind) for kind in fixed_size.KINDS},
}
"""By `image_processor_type`, without the ending of its backend: of models that read pictures beside texts."""
DEPTH_PROCESSORS: dict[str, Callable[[Mapping[str, object]], DepthProcessor]] = {
    "DPTImageProcessor": MultipleSize.dpt,
    "GLPNImageProcessor": MultipleSize.glpn,
    "ZoeDepthImageProcessor": MirroredBorder.from_settings,
    "DepthProImageProcessor": FieldOfView.from_settings,
}
SIZED_PROCESSORS: dict[str, Callable[[Mapping[str, object]], SizedProcessor]] = {
    **{kind: partial(FixedSize.from_settings, kind) for kind in (*fixed_size.KINDS, *fixed_size.ALONE)},
    fixed_size.CROPPED_PART: FixedSize.of_cropped_part,
    **DEPTH_PROCESSORS,
}
Made = TypeVar("Made")


def picture_processor(settings: Mapping[str, object]) -> PictureProcessor:
    """The processor that the settings describe: a preprocessor_config.json, or a processor_config.json that has one.

    Raises MediaError for a processor of another kind and for settings that are not known or not honoured.
    """
    return _made(settings, PROCESSORS)


def sized_processor(settings: Mapping[str, object]) -> SizedProcessor:
    """That of a model that classifies pictures, or estimates depths. Raises MediaError as picture_processor."""
    return _made(settings, SIZED_PROCESSORS)


def depth_processor(settings: Mapping[str, object]) -> DepthProcessor:
    """That of a model that estimates depths. Raises MediaError as picture_processor."""
    return _made(settings, DEPTH_PROCESSORS)


def _made(settings: Mapping[str, object], known: Mapping[str, Callable[[Mapping[str, object]], Made]]) -> Made:
    part = settings.get("image_processor")
    values = part if isinstance(part, Mapping) else settings
    kind = str(values.get("image_processor_type") or values.get("feature_extractor_type"))
    name = kind.removesuffix("Fast").removesuffix("Pil").replace("FeatureExtractor", "ImageProcessor")
    if name not in known:
        what = "that name no image_processor_type" if kind == "None" else f"of the kind {printable(kind, 60)}"
        raise MediaError(f"Pictures cannot be prepared by settings {what}: there are {', '.join(sorted(known))}.")
    return known[name](values)
