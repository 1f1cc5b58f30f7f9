"""InternVL, Aya Vision: a picture is cut into tiles whose arrangement is nearest its shape; the whole follows as one.

picture ──rows × columns of the nearest ratio──▶ scaled to whole tiles ──▶ tiles, and the whole at a tile's size

Chen et al., How Far Are We to GPT-4V? (2024), 3.3; its image processor is the one of GOT-OCR 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from PIL import Image

from workflows.media.options import Options
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import CLIP_MEAN, CLIP_STD, PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

KIND = "GotOcr2ImageProcessor"
_DIVIDING = ("InternVLProcessor", "AyaVisionProcessor")  # ask for tiles, whatever their image processor's settings


class RatioTiles:
    """height, width: of a tile. tiles: the fewest and the most of a picture; None where it is not divided."""

    def __init__(self, pixels: PixelValues, height: int, width: int, tiles: tuple[int, int] | None) -> None:
        self._pixels, self._height, self._width, self._tiles = pixels, height, width, tiles

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> RatioTiles:
        """Raises MediaError for a value that cannot be, or a setting that is not known."""
        options = Options(settings, KIND)
        pixels = PixelValues.from_options(options, Image.Resampling.BICUBIC, CLIP_MEAN, CLIP_STD)
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.only("do_pad", False, "its pictures are not padded")
        options.ignore("crop_size", "default_to_square")
        size = options.sizes("size", {"height": 384, "width": 384}, [("height", "width")], number=("height", "width"))
        divide = options.flag("crop_to_patches", False) or options.get("processor_class", "") in _DIVIDING
        fewest = options.integer("min_patches", 1, highest=256)
        tiles = fewest, options.integer("max_patches", 12, lowest=fewest, highest=256)
        options.finish()
        return cls(pixels, size["height"], size["width"], tiles if divide and tiles[1] > 1 else None)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        made = {"image_processor_type": KIND, "crop_to_patches": self._tiles is not None, **self._pixels.settings}
        made["size"] = {"height": self._height, "width": self._width}
        return made | (dict(zip(("min_patches", "max_patches"), self._tiles, strict=True)) if self._tiles else {})

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [tiles, 3, height, width]."""
        tiles, layouts = [], []
        for picture in pictures:
            image = as_image(picture)
            layout = self._layout(image)
            tiles += [self._pixels.values(part) for part in self._parts(image, layout)]
            layouts.append(layout)
        return PictureInputs({"pixel_values": np.stack(tiles)}, tuple(layouts))

    def _parts(self, image: Image.Image, layout: PictureLayout) -> list[Image.Image]:
        """The tiles row by row, then the whole picture; the whole alone where it is not divided."""
        height, width = self._height, self._width
        whole = self._pixels.resized(image, height, width)
        if layout == PictureLayout(1, 1):
            return [whole]
        image = self._pixels.resized(image, layout.rows * height, layout.columns * width)
        corners = product(range(0, image.height, height), range(0, image.width, width))
        return [*(image.crop((left, top, left + width, top + height)) for top, left in corners), whole]

    def _layout(self, image: Image.Image) -> PictureLayout:
        """Of several arrangements that are equally near, a larger one where the picture fills more than half of it."""
        if self._tiles is None:
            return PictureLayout(1, 1)
        fewest, most = self._tiles
        possible = [one for one in product(range(1, most + 1), repeat=2) if fewest <= one[0] * one[1] <= most]
        nearest, best = float("inf"), (1, 1)
        for columns, rows in sorted(possible, key=lambda one: one[0] * one[1]):
            distance = abs(image.width / image.height - columns / rows)
            filled = image.width * image.height > 0.5 * self._height * self._width * columns * rows
            if distance < nearest or (distance == nearest and filled):
                nearest, best = distance, (columns, rows)
        return PictureLayout(best[1], best[0])
