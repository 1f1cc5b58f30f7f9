"""LLaVA-NeXT and OneVision: a picture is scaled into the best of several resolutions, padded, and cut into tiles.

picture ──best of the resolutions──▶ scaled, black around it ──▶ the whole at a tile's size, then the tiles row by row

OneVision does so with one picture of a prompt alone; each of several is padded to a square instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil

import numpy as np
from PIL import Image

from workflows.common.errors import MediaError
from workflows.media.options import Options
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import CLIP_MEAN, CLIP_STD, PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

Resolutions = Sequence[tuple[int, int]]  # heights and widths


@dataclass(frozen=True)
class ResolutionDefaults:
    """What a class of transformers does where its settings are silent. crop: tiles have a size of
    their own. squares: of several pictures in a prompt."""

    size: Mapping[str, int]
    crop: bool
    resolutions: Resolutions
    squares: bool


_CROP, _SIZES = {"height": 224, "width": 224}, range(384, 2305, 384)
KINDS = {
    "LlavaNextImageProcessor": ResolutionDefaults(
        {"shortest_edge": 224}, True, [(336, 672), (672, 336), (672, 672), (1008, 336), (336, 1008)], squares=False
    ),
    "LlavaOnevisionImageProcessor": ResolutionDefaults(
        {"height": 384, "width": 384}, False, [*product(_SIZES, _SIZES)], squares=True
    ),
}


class ResolutionTiles:
    """edge: of a tile. resolutions: that a picture may be scaled into."""

    def __init__(self, kind: str, pixels: PixelValues, edge: int, resolutions: Resolutions) -> None:
        self._kind, self._pixels, self._edge, self._resolutions = kind, pixels, edge, list(resolutions)

    @classmethod
    def from_settings(cls, kind: str, settings: Mapping[str, object]) -> ResolutionTiles:
        """kind: one of KINDS. Raises MediaError for a value that cannot be, or a setting that is not known."""
        default, options = KINDS[kind], Options(settings, kind)
        pixels = PixelValues.from_options(options, Image.Resampling.BICUBIC, CLIP_MEAN, CLIP_STD)
        options.ignore("do_pad", "do_center_crop", "default_to_square", "aspect_ratio_setting")  # of whole tiles
        size = options.sizes("size", default.size, [("height", "width"), ("shortest_edge",)], number=("shortest_edge",))
        edges = {*size.values()}
        if default.crop or options.get("crop_size", None):  # the size of a tile, whether or not it is cropped
            edges |= {*options.sizes("crop_size", _CROP, [("height", "width")], ("height", "width")).values()}
        if len(edges) > 1:
            raise options.fault("size", "one length for the height, the width and the crop")
        resolutions = _read_resolutions(options, default.resolutions, edge := edges.pop())
        options.finish()
        return cls(kind, pixels, edge, resolutions)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        return {
            "image_processor_type": self._kind,
            "size": {"height": self._edge, "width": self._edge},
            "crop_size": {"height": self._edge, "width": self._edge},
            "image_grid_pinpoints": [list(one) for one in self._resolutions],
        } | self._pixels.settings

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [tiles, 3, edge, edge]."""
        tiles, layouts, squares = [], [], KINDS[self._kind].squares and len(pictures) > 1
        for picture in pictures:
            parts, rows, columns = self._square(picture) if squares else self._parts(picture)
            tiles += [self._pixels.values(part) for part in parts]
            layouts.append(PictureLayout(rows, columns, picture.height, picture.width))
        return PictureInputs({"pixel_values": np.stack(tiles)}, tuple(layouts))

    def _square(self, picture: Picture) -> tuple[list[Image.Image], int, int]:
        """The whole picture in the middle of a square of the mean colour."""
        side = max(picture.height, picture.width)
        colour = [int(mean * 255) for mean in self._pixels.mean or CLIP_MEAN]
        square = Image.new("RGB", (side, side), tuple(colour))
        square.paste(as_image(picture), ((side - picture.width) // 2, (side - picture.height) // 2))
        return [self._pixels.resized(square, self._edge, self._edge)], 0, 0

    def _parts(self, picture: Picture) -> tuple[list[Image.Image], int, int]:
        """The whole picture, then the tiles; and the tiles' rows and columns."""
        image, edge = as_image(picture), self._edge
        height, width = best_resolution(picture.height, picture.width, self._resolutions)
        by_height, by_width = height / picture.height, width / picture.width
        if by_width < by_height:
            scaled = self._pixels.resized(image, min(ceil(picture.height * by_width), height), width)
        else:
            scaled = self._pixels.resized(image, height, min(ceil(picture.width * by_height), width))
        padded = Image.new("RGB", (width, height))
        padded.paste(scaled, ((width - scaled.width) // 2, (height - scaled.height) // 2))
        corners = product(range(0, height, edge), range(0, width, edge))
        tiles = [padded.crop((left, top, left + edge, top + edge)) for top, left in corners]
        return [self._pixels.resized(image, edge, edge), *tiles], height // edge, width // edge


def best_resolution(height: int, width: int, resolutions: Resolutions) -> tuple[int, int]:
    """The one in which the picture has most pixels, up to its own; of equal ones the smallest.

    Raises MediaError for a picture so narrow that it has none in any.
    """

    def rank(one: tuple[int, int]) -> tuple[int, int]:
        scale = min(one[1] / width, one[0] / height)
        seen = min(int(width * scale) * int(height * scale), width * height)
        return seen, seen - one[0] * one[1]

    best = max(resolutions, key=rank)
    if not rank(best)[0]:
        raise MediaError(f"A picture of {width:,} × {height:,} pixels is too narrow for this model: cut it.")
    return best


def _read_resolutions(options: Options, default: Resolutions, edge: int) -> list[tuple[int, int]]:
    """Heights and widths, which are whole tiles."""
    given = options.get("image_grid_pinpoints", list(default))
    resolutions: list[tuple[int, int]] = []
    for pair in given if isinstance(given, list) else []:
        sizes = pair if isinstance(pair, list | tuple) and len(pair) == 2 else ()
        if not sizes or not all(type(one) is int and 0 < one <= 1 << 20 and one % edge == 0 for one in sizes):
            raise options.fault("image_grid_pinpoints", f"heights and widths that are multiples of {edge}")
        resolutions.append((sizes[0], sizes[1]))
    if not resolutions:
        raise options.fault("image_grid_pinpoints", f"heights and widths that are multiples of {edge}")
    return resolutions
