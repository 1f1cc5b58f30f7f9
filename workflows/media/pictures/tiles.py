"""Idefics3 and SmolVLM: a picture is cut into square tiles, and the whole picture follows as one more.

picture ──longest edge──▶ scaled ──multiples of a tile──▶ rows × columns of tiles, and the whole at a tile's size

Laurençon et al., Building and better understanding vision-language models (2024), 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
from PIL import Image

from workflows.media.options import Options
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import HALF, PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

LONGEST_EDGE = 4096  # of a scaled picture, whatever the settings
KINDS = ("Idefics3ImageProcessor", "SmolVLMImageProcessor")


class Tiles:
    """size: {longest_edge} or {height, width} of the scaled picture. edge: of a tile. divide: into tiles."""

    def __init__(self, kind: str, pixels: PixelValues, size: Mapping[str, int], edge: int, divide: bool) -> None:
        self._kind, self._pixels, self._size, self._edge, self._divide = kind, pixels, dict(size), edge, divide

    @classmethod
    def from_settings(cls, kind: str, settings: Mapping[str, object]) -> Tiles:
        """kind: one of KINDS. Raises MediaError for a value that cannot be, or a setting that is not known."""
        options = Options(settings, kind)
        pixels = PixelValues.from_options(options, Image.Resampling.LANCZOS, HALF, HALF)
        options.only("do_pad", True, "tiles are given with their mask")
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.ignore("crop_size", "default_to_square", "return_row_col_info", "image_seq_length")
        options.ignore("video_sampling")  # of films alone
        size = options.sizes("size", {"longest_edge": 4 * 364}, [("longest_edge",), ("height", "width")])
        tile = options.sizes("max_image_size", {"longest_edge": 364}, [("longest_edge",)])
        made = cls(kind, pixels, size, tile["longest_edge"], options.flag("do_image_splitting", True))
        options.finish()
        return made

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        return {
            "image_processor_type": self._kind,
            "size": dict(self._size),
            "max_image_size": {"longest_edge": self._edge},
            "do_image_splitting": self._divide,
        } | self._pixels.settings

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [tiles, 3, edge, edge] and pixel_attention_mask [tiles, edge, edge]: int64, 1 everywhere."""
        tiles, layouts = [], []
        for picture in pictures:
            parts, layout = self._tiles(as_image(picture))
            tiles += [self._pixels.values(part) for part in parts]
            layouts.append(layout)
        values = np.stack(tiles)
        mask = np.ones((len(values), self._edge, self._edge), np.int64)
        return PictureInputs({"pixel_values": values, "pixel_attention_mask": mask}, tuple(layouts))

    def _tiles(self, image: Image.Image) -> tuple[list[Image.Image], PictureLayout]:
        """The tiles row by row, then the whole picture; the whole alone where it is not divided."""
        edge = self._edge
        image = self._pixels.resized(image, *self._scaled_size(image.height, image.width))
        if not self._divide:
            return [self._pixels.resized(image, edge, edge)], PictureLayout(0, 0)
        rows, columns = self._grid(image.height, image.width)
        image = self._pixels.resized(image, rows * edge, columns * edge)
        if rows == columns == 1:
            return [image], PictureLayout(0, 0)
        corners = [(row * edge, column * edge) for row in range(rows) for column in range(columns)]
        parts = [image.crop((left, top, left + edge, top + edge)) for top, left in corners]
        return [*parts, self._pixels.resized(image, edge, edge)], PictureLayout(rows, columns)

    def _scaled_size(self, height: int, width: int) -> tuple[int, int]:
        """The longer edge becomes `longest_edge`, the other one even; then both within LONGEST_EDGE."""
        if "longest_edge" not in self._size:
            return self._size["height"], self._size["width"]
        ratio, longest = width / height, self._size["longest_edge"]
        if width >= height:
            height, width = max(1, _even(int(longest / ratio))), longest
        else:
            height, width = longest, max(1, _even(int(longest * ratio)))
        ratio = width / height
        if width >= height and width > LONGEST_EDGE:
            height, width = int(LONGEST_EDGE / ratio), LONGEST_EDGE
        elif height > width and height > LONGEST_EDGE:
            height, width = LONGEST_EDGE, int(LONGEST_EDGE * ratio)
        return max(1, height), max(1, width)

    def _grid(self, height: int, width: int) -> tuple[int, int]:
        """Rows and columns: the longer edge rounded up to whole tiles, the other one in proportion and rounded up."""
        ratio = width / height
        if width >= height:
            columns = ceil(width / self._edge)
            return max(1, ceil(int(columns * self._edge / ratio) / self._edge)), columns
        rows = ceil(height / self._edge)
        return rows, max(1, ceil(int(rows * self._edge * ratio) / self._edge))


def _even(length: int) -> int:
    return length + length % 2
