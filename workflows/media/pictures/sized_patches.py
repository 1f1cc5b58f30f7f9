"""Pixtral and Mistral 3: a picture keeps its shape, becomes whole blocks of patches, and is given patch by patch.

picture ──within the longest edge──▶ whole blocks of merge × merge patches ──▶ [patches, 3 · patch · patch]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor

import numpy as np
from PIL import Image

from workflows.media.options import Options
from workflows.media.pictures.patch_grid import patches_in_blocks
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import CLIP_MEAN, CLIP_STD, PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

KIND = "PixtralImageProcessor"


class SizedPatches:
    """height, width: the most of a picture. patch: pixels. merge: patches along a block, which becomes one token."""

    def __init__(self, pixels: PixelValues, height: int, width: int, patch: int, merge: int) -> None:
        self._pixels, self._height, self._width, self._patch, self._merge = pixels, height, width, patch, merge

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> SizedPatches:
        """Raises MediaError for a value that cannot be, or a setting that is not known."""
        options = Options(settings, KIND)
        pixels = PixelValues.from_options(options, Image.Resampling.BICUBIC, CLIP_MEAN, CLIP_STD)
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.ignore("crop_size", "default_to_square", "do_pad")  # do_pad: to the size of other pictures
        size = options.sizes("size", {"longest_edge": 1024}, [("longest_edge",), ("height", "width")])
        sides = ("height", "width")
        patch = options.sizes("patch_size", dict.fromkeys(sides, 16), [sides], number=sides)
        if patch["height"] != patch["width"]:
            raise options.fault("patch_size", "the same height and width")
        merge = options.integer("spatial_merge_size", 1, highest=64)
        options.finish()
        height, width = (size.get(side, size.get("longest_edge", 0)) for side in sides)
        return cls(pixels, height, width, patch["height"], merge)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        made: dict[str, object] = {"image_processor_type": KIND, "patch_size": self._patch}
        made |= {"size": {"height": self._height, "width": self._width}, "spatial_merge_size": self._merge}
        return made | self._pixels.settings

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [patches, 3 · patch · patch] and image_sizes [pictures, 2]: int64, in pixels."""
        patches, layouts, unit = [], [], self._patch * self._merge
        for picture in pictures:
            ratio = max(picture.height / self._height, picture.width / self._width, 1)
            edges = (picture.height, picture.width)
            rows, columns = (max(1, ceil(floor(edge / ratio) / unit)) for edge in edges)
            values = self._pixels.values(self._pixels.resized(as_image(picture), rows * unit, columns * unit))
            patches.append(patches_in_blocks(values, self._patch, self._merge))
            layouts.append(PictureLayout(rows, columns))
        sizes = np.array([[one.rows * unit, one.columns * unit] for one in layouts], np.int64)
        return PictureInputs({"pixel_values": np.concatenate(patches), "image_sizes": sizes}, tuple(layouts))
