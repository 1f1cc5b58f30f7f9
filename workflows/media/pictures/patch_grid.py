"""Qwen2-VL, Qwen2.5-VL, Qwen3-VL and GLM-4.1V: a picture of any size becomes a grid of patches.

picture ──nearest multiple of a merged patch, within two bounds of area──▶ patches in blocks of merge × merge

Wang et al., Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution (2024), 2.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from workflows.common.errors import MediaError
from workflows.media.options import Options
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import CLIP_MEAN, CLIP_STD, PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

MOST_NARROW = 200  # the longer edge through the shorter one


@dataclass(frozen=True)
class PatchGridDefaults:
    """What a class of transformers does. least, most: pixels, where its settings are silent. volume: these are of all
    frames of a patch together, and a picture smaller than a merged patch is scaled to one first.
    """

    least: int
    most: int
    volume: bool = False


_GLM = PatchGridDefaults(112 * 112, 28 * 28 * 15_000, volume=True)
KINDS = {
    "Qwen2VLImageProcessor": PatchGridDefaults(56 * 56, 28 * 28 * 1280),
    "Glm4vImageProcessor": _GLM,
    "Glm46VImageProcessor": _GLM,
}


class PatchGrid:
    """patch, merge: edges in pixels and in patches. frames: how often a still picture is repeated in a patch."""

    def __init__(
        self, kind: str, pixels: PixelValues, patch: int, merge: int, frames: int, areas: tuple[int, int]
    ) -> None:
        self._kind, self._pixels, self._patch, self._merge, self._frames = kind, pixels, patch, merge, frames
        self._least, self._most = areas

    @classmethod
    def from_settings(cls, kind: str, settings: Mapping[str, object]) -> PatchGrid:
        """kind: one of KINDS. Raises MediaError for a value that cannot be, or a setting that is not known."""
        options = Options(settings, kind)
        pixels = PixelValues.from_options(options, Image.Resampling.BICUBIC, CLIP_MEAN, CLIP_STD)
        default = {"shortest_edge": KINDS[kind].least, "longest_edge": KINDS[kind].most}
        pair, older = ("shortest_edge", "longest_edge"), ("min_pixels", "max_pixels")
        size = options.sizes("size", default, [pair, older])
        least, most = (size.get(new) or size[old] for new, old in zip(pair, older, strict=True))
        most_possible = 1 << 40
        areas = (
            options.integer("min_pixels", least, highest=most_possible),
            options.integer("max_pixels", most, highest=most_possible),
        )
        options.only("do_pad", False, "its pictures are not padded")
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.ignore("crop_size", "default_to_square")
        made = cls(
            kind,
            pixels,
            options.integer("patch_size", 14, highest=1024),
            options.integer("merge_size", 2, highest=64),
            options.integer("temporal_patch_size", 2, highest=64),
            areas,
        )
        options.finish()
        return made

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        return {
            "image_processor_type": self._kind,
            "patch_size": self._patch,
            "merge_size": self._merge,
            "temporal_patch_size": self._frames,
            "size": {"shortest_edge": self._least, "longest_edge": self._most},
        } | self._pixels.settings

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [patches, 3 · frames · patch · patch] and image_grid_thw [pictures, 3]: int64, in patches."""
        patches, grids = [], []
        for picture in pictures:
            height, width = self.size(picture.height, picture.width)
            values = self._pixels.values(self._pixels.resized(as_image(picture), height, width))
            patches.append(patches_in_blocks(values, self._patch, self._merge, self._frames))
            grids.append([1, height // self._patch, width // self._patch])
        layouts = tuple(PictureLayout(rows // self._merge, columns // self._merge) for _, rows, columns in grids)
        return PictureInputs(
            {"pixel_values": np.concatenate(patches), "image_grid_thw": np.array(grids, np.int64)}, layouts
        )

    def size(self, height: int, width: int) -> tuple[int, int]:
        """Height and width to which a picture is scaled. Raises MediaError for one that is too narrow."""
        unit, volume = self._patch * self._merge, KINDS[self._kind].volume
        if volume and min(height, width) < unit:
            scale = max(unit / height, unit / width)
            height, width = int(height * scale), int(width * scale)
        if max(height, width) > MOST_NARROW * min(height, width):
            raise MediaError(
                f"A picture of {width:,} × {height:,} pixels is too narrow for this model: "
                f"its longer edge may be at most {MOST_NARROW} times the shorter one."
            )
        rows, columns, frames = round(height / unit), round(width / unit), self._frames if volume else 1
        area = frames * rows * unit * columns * unit
        if area > self._most:
            shrink = sqrt(frames * height * width / self._most)
            rows, columns = (max(1, floor(edge / shrink / unit)) for edge in (height, width))
        elif area < self._least:
            grow = sqrt(self._least / (frames * height * width))
            rows, columns = (ceil(edge * grow / unit) for edge in (height, width))
        return rows * unit, columns * unit


def patches_in_blocks(values: NDArray[np.float32], patch: int, merge: int, frames: int = 1) -> NDArray[np.float32]:
    """[3, height, width] → [patches, 3 · frames · patch · patch], block by block of merge × merge patches."""
    rows, columns = values.shape[1] // patch, values.shape[2] // patch
    blocks = values.reshape(3, rows // merge, merge, patch, columns // merge, merge, patch)
    ordered = blocks.transpose(1, 4, 2, 5, 0, 3, 6)[:, :, :, :, :, None]  # [R, C, merge, merge, 3, 1, patch, patch]
    return ordered.repeat(frames, 5).reshape(rows * columns, -1)
