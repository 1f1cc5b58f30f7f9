"""Gemma 4: a picture keeps its shape, is scaled to as many patches as it may have, and is given patch by patch.

picture ──whole blocks within the most patches──▶ blocks of pool × pool patches ──▶ [patches, patch · patch · 3]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, sqrt

import numpy as np
from PIL import Image

from workflows.media.options import Options
from workflows.media.pictures.patch_grid import patches_in_blocks
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

KIND = "Gemma4ImageProcessor"
_TOKENS = (70, 140, 280, 560, 1120)  # that a picture may have at most


class PooledPatches:
    """patch: pixels. pool: patches along a block, which becomes one token. most: tokens of a picture."""

    def __init__(self, pixels: PixelValues, patch: int, pool: int, most: int) -> None:
        self._pixels, self._patch, self._pool, self._most = pixels, patch, pool, most

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> PooledPatches:
        """Raises MediaError for a value that cannot be, or a setting that is not known."""
        options = Options(settings, KIND)
        none, one = (0.0,) * 3, (1.0,) * 3
        pixels = PixelValues.from_options(options, Image.Resampling.BICUBIC, none, one, normalize=False)
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.ignore("size", "crop_size", "default_to_square", "do_pad", "image_seq_length")  # it reads none of them
        patch = options.integer("patch_size", 16, highest=1024)
        pool = options.integer("pooling_kernel_size", 3, highest=64)
        most = options.integer("max_soft_tokens", 280)
        if most not in _TOKENS:
            raise options.fault("max_soft_tokens", f"one of {', '.join(map(str, _TOKENS))}")
        options.finish()
        return cls(pixels, patch, pool, most)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        made: dict[str, object] = {"image_processor_type": KIND, "patch_size": self._patch}
        made |= {"pooling_kernel_size": self._pool, "max_soft_tokens": self._most}
        return made | self._pixels.settings

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [patches, patch · patch · 3] and image_sizes [pictures, 2]: int64, in pixels."""
        patches, layouts, unit = [], [], self._patch * self._pool
        for picture in pictures:
            rows, columns = self._blocks(picture.height, picture.width)
            values = self._pixels.values(self._pixels.resized(as_image(picture), rows * unit, columns * unit))
            channels_first = patches_in_blocks(values, self._patch, self._pool)
            split = channels_first.reshape(-1, 3, self._patch, self._patch).transpose(0, 2, 3, 1)
            patches.append(split.reshape(len(split), -1))
            layouts.append(PictureLayout(rows, columns))
        sizes = np.array([[one.rows * unit, one.columns * unit] for one in layouts], np.int64)
        return PictureInputs({"pixel_values": np.concatenate(patches), "image_sizes": sizes}, tuple(layouts))

    def _blocks(self, height: int, width: int) -> tuple[int, int]:
        """Rows and columns of blocks: the most that keep the shape; a narrow picture has one row or column of them."""
        unit = self._patch * self._pool
        scale = sqrt(self._most * self._pool**2 * self._patch**2 / (height * width))
        rows, columns = (floor(scale * edge / unit) for edge in (height, width))
        if not rows:
            return 1, min(width // height, self._most)
        if not columns:
            return min(height // width, self._most), 1
        return rows, columns
