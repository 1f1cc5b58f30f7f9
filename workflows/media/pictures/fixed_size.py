"""CLIP, SigLIP, Gemma 3, ViT, ConvNeXt …: every picture is scaled to one size, and cropped where the settings want it.

picture ──{height, width}, or the shortest edge──▶ scaled ──crop at the centre──▶ float32 [3, height, width]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from PIL import Image

from workflows.common.errors import MediaError
from workflows.media.options import Options
from workflows.media.pictures.picture_file import Picture
from workflows.media.pictures.pixel_values import CLIP_MEAN, CLIP_STD, HALF, PixelValues, as_image
from workflows.media.pictures.processor import PictureInputs, PictureLayout

_SQUARE = {"height": 224, "width": 224}


@dataclass(frozen=True)
class FixedSizeDefaults:
    """What a class of transformers does where its settings are silent. square: what a single number means as size."""

    resample: Image.Resampling
    mean: tuple[float, ...]
    std: tuple[float, ...]
    size: Mapping[str, int]
    square: bool = False
    crop: bool = False
    crop_size: Mapping[str, int] = field(default_factory=lambda: _SQUARE)


KINDS = {
    "CLIPImageProcessor": FixedSizeDefaults(
        Image.Resampling.BICUBIC, CLIP_MEAN, CLIP_STD, {"shortest_edge": 224}, crop=True
    ),
    "SiglipImageProcessor": FixedSizeDefaults(Image.Resampling.BICUBIC, HALF, HALF, _SQUARE),
    "Gemma3ImageProcessor": FixedSizeDefaults(Image.Resampling.BILINEAR, HALF, HALF, _SQUARE, square=True),
}
"""Of models that read pictures beside texts."""
ALONE = {
    "ViTImageProcessor": FixedSizeDefaults(Image.Resampling.BILINEAR, HALF, HALF, _SQUARE, square=True),
    "BeitImageProcessor": FixedSizeDefaults(Image.Resampling.BICUBIC, HALF, HALF, _SQUARE, square=True),
    "DeiTImageProcessor": FixedSizeDefaults(
        Image.Resampling.BICUBIC, HALF, HALF, {"height": 256, "width": 256}, square=True, crop=True
    ),
    "BitImageProcessor": FixedSizeDefaults(
        Image.Resampling.BICUBIC, CLIP_MEAN, CLIP_STD, {"shortest_edge": 224}, crop=True
    ),
    "MobileNetV2ImageProcessor": FixedSizeDefaults(
        Image.Resampling.BILINEAR, HALF, HALF, {"shortest_edge": 256}, crop=True
    ),
    "EfficientNetImageProcessor": FixedSizeDefaults(
        Image.Resampling.BICUBIC, HALF, HALF, {"height": 346, "width": 346}, square=True,
        crop_size={"height": 289, "width": 289},
    ),
}  # fmt: skip
"""Of models that read a picture alone."""
CROPPED_PART = "ConvNextImageProcessor"
_WHOLE_FROM = 384  # the edge from which ConvNeXt crops nothing


class FixedSize:
    """size: {height, width} or {shortest_edge}. crop: {height, width}, or None for no crop."""

    def __init__(self, kind: str, pixels: PixelValues, size: Mapping[str, int], crop: Mapping[str, int] | None) -> None:
        self._kind, self._pixels, self._size, self._crop = kind, pixels, dict(size), crop

    @classmethod
    def from_settings(cls, kind: str, settings: Mapping[str, object]) -> FixedSize:
        """kind: one of KINDS or ALONE. Raises MediaError for a value that cannot be, or a setting that is not known."""
        default, options = {**KINDS, **ALONE}[kind], Options(settings, kind)
        pixels = PixelValues.from_options(options, default.resample, default.mean, default.std)
        square = options.flag("default_to_square", default.square)
        options.only("do_pad", False, "its pictures are not padded")
        options.only("use_square_size", False, "it is a setting of one old model")
        options.ignore("image_seq_length")  # of the text alone
        options.ignore("do_reduce_labels")  # of maps of segments
        if kind == "EfficientNetImageProcessor":
            pixels = _efficientnet(pixels, options)
        if kind == "Gemma3ImageProcessor":
            options.only("do_pan_and_scan", False, "crops of a picture are not made")
            options.only("do_center_crop", False, "its pictures are not cropped")
            options.ignore(
                *(f"pan_and_scan_{end}" for end in ("min_crop_size", "max_num_crops", "min_ratio_to_activate"))
            )
        size = options.sizes(
            "size", default.size, [("height", "width"), ("shortest_edge",)],
            number=("height", "width") if square else ("shortest_edge",),
        )  # fmt: skip
        crop = options.sizes("crop_size", default.crop_size, [("height", "width")], number=("height", "width"))
        made = cls(kind, pixels, size, crop if options.flag("do_center_crop", default.crop) else None)
        options.finish()
        return made

    @classmethod
    def of_cropped_part(cls, settings: Mapping[str, object]) -> FixedSize:
        """ConvNeXt's and ResNet's: the crop is `crop_pct` of the shortest edge; from 384 pixels on nothing is cropped.

        Raises MediaError as from_settings.
        """
        options = Options(settings, CROPPED_PART)
        pixels = PixelValues.from_options(options, Image.Resampling.BICUBIC, HALF, HALF)
        options.only("do_pad", False, "its pictures are not padded")
        options.only("do_center_crop", False, "its pictures are cropped by crop_pct")
        options.ignore("crop_size", "default_to_square")
        edge = options.sizes("size", {"shortest_edge": _WHOLE_FROM}, [("shortest_edge",)], number=("shortest_edge",))
        part, side = options.number("crop_pct", 224 / 256), edge["shortest_edge"]
        if not 0.01 <= part <= 1:
            raise options.fault("crop_pct", "a number from 0.01 to 1")
        options.finish()
        square = {"height": side, "width": side}
        if side >= _WHOLE_FROM:
            return cls("ViTImageProcessor", pixels, square, None)
        return cls("BitImageProcessor", pixels, {"shortest_edge": int(side / part)}, square)

    @property
    def picture_size(self) -> tuple[int, int] | None:
        """See SizedProcessor."""
        if (size := self._crop or self._size).keys() == {"shortest_edge"}:
            return None
        return size["height"], size["width"]

    @property
    def settings(self) -> dict[str, object]:
        """See PictureProcessor."""
        made: dict[str, object] = {"image_processor_type": self._kind, "size": dict(self._size)}
        made |= {"do_center_crop": self._crop is not None} | ({"crop_size": dict(self._crop)} if self._crop else {})
        if self._kind == "EfficientNetImageProcessor":
            made |= {"rescale_offset": self._pixels.lowered, "include_top": self._pixels.divided}
        return made | self._pixels.settings

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """pixel_values [pictures, 3, height, width]. Raises MediaError for pictures that come out in several sizes."""
        values = [self._pixels.values(self._sized(as_image(picture))) for picture in pictures]
        if len({one.shape for one in values}) > 1:
            sizes = ", ".join(f"{one.shape[2]} × {one.shape[1]}" for one in values)
            raise MediaError(
                f"The pictures are scaled to several sizes ({sizes}), and the model takes one: give them one at a time."
            )
        return PictureInputs({"pixel_values": np.stack(values)}, (PictureLayout(1, 1),) * len(values))

    def _sized(self, image: Image.Image) -> Image.Image:
        if (shortest := self._size.get("shortest_edge")) is None:
            image = self._pixels.resized(image, self._size["height"], self._size["width"])
        else:
            longest = int(shortest * max(image.size) / min(image.size))
            size = (longest, shortest) if image.width <= image.height else (shortest, longest)
            image = self._pixels.resized(image, *size)
        if not self._crop:
            return image
        height, width = self._crop["height"], self._crop["width"]
        top, left = (image.height - height) // 2, (image.width - width) // 2
        return image.crop((left, top, left + width, top + height))  # black where the image is smaller


def _efficientnet(pixels: PixelValues, options: Options) -> PixelValues:
    """rescale_offset lowers the scaled values by 1, and include_top divides them once more."""
    lowered, divided = options.flag("rescale_offset", False), options.flag("include_top", True)
    if divided and pixels.std is None:
        raise MediaError("EfficientNetImageProcessor has include_top without do_normalize: set do_normalize, too.")
    return replace(pixels, lowered=lowered, divided=divided)
