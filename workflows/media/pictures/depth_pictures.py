"""DPT and Depth Anything, GLPN, ZoeDepth and Depth Pro: pictures to values, and depths back to the pictures' sizes.

DPT       ──a size, or its ratio kept, in multiples──▶ Pillow ──▶ values     depths ──bicubic──▶ [height, width]
GLPN      ──down to multiples──▶ Pillow ──▶ values                           likewise
ZoeDepth  ──values ──mirrored border──▶ bilinear, corners kept               bicubic, the border cut off
Depth Pro ──values ──▶ bilinear                                              by the field of view, bilinear, inverted
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from workflows.common.errors import MediaError
from workflows.media.options import Options
from workflows.media.pictures.interpolation import interpolated
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import HALF, PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

Depths = NDArray[np.float32]
_SIDES = ("height", "width")
_ONE = (PictureLayout(1, 1),)
_EDGE = 3  # ZoeDepth's border: 3 · √(edge / 2) pixels on each side


class DepthProcessor(Protocol):
    """A PictureProcessor of one picture, whose depths it scales to the picture's size."""

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""

    @property
    def picture_size(self) -> tuple[int, int] | None:
        """See SizedProcessor."""

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [1, 3, height, width] of one picture."""

    def fitted(self, height: int, width: int) -> DepthProcessor:
        """One that gives every picture this size, whatever its ratio."""

    def depths(
        self, predicted: NDArray[np.float32], height: int, width: int, view: float | None
    ) -> NDArray[np.float32]:
        """predicted [H, W] → float32 [height, width]. view: the field of view in degrees, where the model gives it."""


@dataclass(frozen=True)
class MultipleSize:
    """DPT's and GLPN's. size: {height, width}; None for the picture's own, rounded down to multiples."""

    kind: str
    pixels: PixelValues
    size: tuple[int, int] | None
    keeps_ratio: bool
    multiple: int

    @classmethod
    def dpt(cls, settings: Mapping[str, object]) -> MultipleSize:
        """Raises MediaError for a value that cannot be, or a setting that is not known or not honoured."""
        options = Options(settings, "DPTImageProcessor")
        pixels = PixelValues.from_options(options, Image.Resampling.BICUBIC, HALF, HALF)
        options.only("do_pad", False, "its pictures are not padded")
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.ignore("size_divisor", "do_reduce_labels", "crop_size", "default_to_square")
        size = options.sizes("size", dict.fromkeys(_SIDES, 384), [_SIDES], number=_SIDES)
        keeps = options.flag("keep_aspect_ratio", False)
        multiple = options.integer("ensure_multiple_of", 1, highest=1024)
        options.finish()
        return cls("DPTImageProcessor", pixels, (size["height"], size["width"]), keeps, multiple)

    @classmethod
    def glpn(cls, settings: Mapping[str, object]) -> MultipleSize:
        """Raises MediaError as dpt."""
        options = Options(settings, "GLPNImageProcessor")
        pixels = PixelValues.from_options(options, Image.Resampling.BILINEAR, HALF, HALF, normalize=False)
        options.only("do_pad", False, "its pictures are not padded")
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.ignore("size", "crop_size", "default_to_square")
        multiple = options.integer("size_divisor", 32, highest=1024)
        options.finish()
        return cls("GLPNImageProcessor", pixels, None, True, multiple)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        made: dict[str, object] = {"image_processor_type": self.kind, **self.pixels.settings}
        if self.size is None:
            return made | {"size_divisor": self.multiple}
        size = dict(zip(_SIDES, self.size, strict=True))
        return made | {"size": size, "keep_aspect_ratio": self.keeps_ratio, "ensure_multiple_of": self.multiple}

    @property
    def picture_size(self) -> tuple[int, int] | None:
        """See SizedProcessor."""
        return None if self.size is None or self.keeps_ratio else self._scaled(*self.size)

    def fitted(self, height: int, width: int) -> MultipleSize:
        """See DepthProcessor."""
        return MultipleSize("DPTImageProcessor", self.pixels, (height, width), False, 1)

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """See DepthProcessor. Raises MediaError for a picture that is less than one multiple."""
        (picture,) = pictures
        height, width = self._scaled(picture.height, picture.width)
        if not (height and width):
            raise MediaError(
                f"A picture of {picture.width:,} × {picture.height:,} pixels is too small or too narrow for the model, "
                f"which takes multiples of {self.multiple}: give a larger one."
            )
        values = self.pixels.values(self.pixels.resized(as_image(picture), height, width))
        return PictureInputs({"pixel_values": values[None]}, _ONE)

    def depths(
        self, predicted: NDArray[np.float32], height: int, width: int, view: float | None
    ) -> NDArray[np.float32]:
        """See DepthProcessor."""
        return interpolated(predicted, height, width, "bicubic")

    def _scaled(self, height: int, width: int) -> tuple[int, int]:
        if self.size is None:
            return height // self.multiple * self.multiple, width // self.multiple * self.multiple
        return scaled_in_multiples(height, width, self.size, self.keeps_ratio, self.multiple)


def scaled_in_multiples(
    height: int, width: int, size: tuple[int, int], keeps_ratio: bool, multiple: float
) -> tuple[int, int]:
    """`size`, or with its ratio the size that is scaled least; each edge in multiples, half ones to the even one."""
    scales = [wanted / edge for wanted, edge in zip(size, (height, width), strict=True)]
    if keeps_ratio:
        scales = [scales[1] if abs(1 - scales[1]) < abs(1 - scales[0]) else scales[0]] * 2
    scaled = (round(scale * edge / multiple) * multiple for scale, edge in zip(scales, (height, width), strict=True))
    first, second = (int(edge) for edge in scaled)
    return first, second


@dataclass(frozen=True)
class MirroredBorder:
    """ZoeDepth's. size: {height, width}; border: whether a mirrored border is put around the picture."""

    pixels: PixelValues
    size: tuple[int, int]
    keeps_ratio: bool
    multiple: float
    border: bool

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> MirroredBorder:
        """Raises MediaError for a value that cannot be, or a setting that is not known or not honoured."""
        options = Options(settings, "ZoeDepthImageProcessor")
        pixels = PixelValues.from_options(options, Image.Resampling.BILINEAR, HALF, HALF)
        if pixels.resample not in (Image.Resampling.BILINEAR, Image.Resampling.BICUBIC):
            raise options.fault("resample", "2 (bilinear) or 3 (bicubic)")
        options.only("do_center_crop", False, "its pictures are not cropped")
        options.ignore("crop_size", "default_to_square")
        size = options.sizes("size", {"height": 384, "width": 512}, [_SIDES], number=_SIDES)
        keeps, border = options.flag("keep_aspect_ratio", True), options.flag("do_pad", True)
        multiple = options.number("ensure_multiple_of", 1 / 32)
        if multiple <= 0:
            raise options.fault("ensure_multiple_of", "a number above 0")
        options.finish()
        return cls(pixels, (size["height"], size["width"]), keeps, multiple, border)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        made: dict[str, object] = {"image_processor_type": "ZoeDepthImageProcessor", **self.pixels.settings}
        made |= {"size": dict(zip(_SIDES, self.size, strict=True)), "keep_aspect_ratio": self.keeps_ratio}
        return made | {"ensure_multiple_of": self.multiple, "do_pad": self.border}

    @property
    def picture_size(self) -> tuple[int, int] | None:
        """See SizedProcessor."""
        return None if self.keeps_ratio else scaled_in_multiples(*self.size, self.size, False, self.multiple)

    def fitted(self, height: int, width: int) -> MirroredBorder:
        """See DepthProcessor."""
        return MirroredBorder(self.pixels, (height, width), False, 1, self.border)

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """See DepthProcessor. Raises MediaError for a picture that its border would exceed, or without pixels."""
        (picture,) = pictures
        rows, columns = self._border(picture.height), self._border(picture.width)
        if rows >= picture.height or columns >= picture.width:
            raise MediaError(
                f"A picture of {picture.width:,} × {picture.height:,} pixels is smaller than its mirrored border: "
                "give a larger one."
            )
        values = np.pad(self.pixels.values(as_image(picture)), ((0, 0), (rows, rows), (columns, columns)), "reflect")
        _, high, wide = values.shape
        size = scaled_in_multiples(high, wide, self.size, self.keeps_ratio, self.multiple)
        if not all(size):
            raise MediaError(
                f"A picture of {picture.width:,} × {picture.height:,} pixels would be scaled to nothing: give one that "
                "is less narrow."
            )
        cubic = self.pixels.resample == Image.Resampling.BICUBIC
        scaled = interpolated(values, *size, "bicubic" if cubic else "bilinear", align_corners=True)
        return PictureInputs({"pixel_values": scaled[None]}, _ONE)

    def depths(
        self, predicted: NDArray[np.float32], height: int, width: int, view: float | None
    ) -> NDArray[np.float32]:
        """See DepthProcessor."""
        rows, columns = self._border(height), self._border(width)
        whole = interpolated(predicted, height + 2 * rows, width + 2 * columns, "bicubic")
        return whole[rows : rows + height, columns : columns + width]

    def _border(self, edge: int) -> int:
        return int(math.sqrt(edge / 2) * _EDGE) if self.border else 0


@dataclass(frozen=True)
class FieldOfView:
    """Depth Pro's. size: {height, width} of every picture."""

    pixels: PixelValues
    size: tuple[int, int]

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> FieldOfView:
        """Raises MediaError for a value that cannot be, or a setting that is not known or not honoured."""
        options = Options(settings, "DepthProImageProcessor")
        pixels = PixelValues.from_options(options, Image.Resampling.BILINEAR, HALF, HALF)
        if pixels.resample != Image.Resampling.BILINEAR:
            raise options.fault("resample", "2 (bilinear)")
        for name in ("do_pad", "do_center_crop"):
            options.only(name, False, "its pictures are scaled alone")
        options.only("antialias", False, "its pictures are scaled without antialiasing")
        options.ignore("crop_size", "default_to_square")
        size = options.sizes("size", dict.fromkeys(_SIDES, 1536), [_SIDES], number=_SIDES)
        options.finish()
        return cls(pixels, (size["height"], size["width"]))

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        made: dict[str, object] = {"image_processor_type": "DepthProImageProcessor", **self.pixels.settings}
        return made | {"size": dict(zip(_SIDES, self.size, strict=True))}

    @property
    def picture_size(self) -> tuple[int, int] | None:
        """See SizedProcessor."""
        return self.size

    def fitted(self, height: int, width: int) -> FieldOfView:
        """See DepthProcessor."""
        return FieldOfView(self.pixels, (height, width))

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """See DepthProcessor."""
        (picture,) = pictures
        values = interpolated(self.pixels.values(as_image(picture)), *self.size, "bilinear")
        return PictureInputs({"pixel_values": values[None]}, _ONE)

    def depths(
        self, predicted: NDArray[np.float32], height: int, width: int, view: float | None
    ) -> NDArray[np.float32]:
        """See DepthProcessor: metres. Bochkovskii et al., Depth Pro (2024), 3.1."""
        if view is not None:
            predicted = predicted * np.float32(2 * math.tan(math.radians(view) / 2))  # width / focal length
        whole = interpolated(predicted, height, width, "bilinear")
        return np.asarray(1 / np.clip(whole, 1e-4, 1e4), np.float32)
