"""What all picture processors share: scaling with Pillow, and 8-bit pixels to normalized float32.

PIL image ──resized──▶ PIL image ──values──▶ float32 [3, height, width]

The results equal those of transformers' PIL backend. Its torchvision backend scales slightly differently.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from workflows.common.errors import MediaError
from workflows.media.options import Options
from workflows.media.pictures.picture_file import MOST_PIXELS, Picture

CLIP_MEAN, CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
HALF = (0.5, 0.5, 0.5)


@dataclass(frozen=True)
class PixelValues:
    """resample: Pillow's number of the filter. scale: None where pixels stay 0…255. mean, std: None likewise.

    lowered: 1 is subtracted after scaling. divided: by std once more at the end. Both are EfficientNet's.
    """

    resample: int
    scale: float | None
    mean: tuple[float, ...] | None
    std: tuple[float, ...] | None
    lowered: bool = False
    divided: bool = False
    _table: NDArray[np.float32] = field(init=False, repr=False, compare=False)  # [3, 256]

    def __post_init__(self) -> None:
        table = np.arange(256, dtype=np.float32)[None].repeat(3, 0)
        if self.scale is not None:
            table = (table.astype(np.float64) * self.scale).astype(np.float32)
            if self.lowered:
                table -= 1
        if self.mean is not None and self.std is not None:
            mean, std = (np.array(row, np.float32)[:, None] for row in (self.mean, self.std))
            table = (table - mean) / std
            if self.divided:
                table = table / std
        object.__setattr__(self, "_table", table)

    @classmethod
    def from_options(
        cls,
        options: Options,
        resample: Image.Resampling,
        mean: tuple[float, ...],
        std: tuple[float, ...],
        normalize: bool = True,
    ) -> PixelValues:
        """Reads the keys that all processors have. resample, mean, std, normalize: the processor's defaults."""
        options.ignore("image_processor_type", "feature_extractor_type")
        options.ignore("do_convert_rgb", "input_data_format")  # pictures are read as RGB, [height, width, 3]
        options.only("data_format", "channels_first", "models take the channels first")
        options.only("do_resize", True, "models take pictures of certain sizes")
        options.only("pad_size", None, "pictures are not padded to a size")
        rescale, scale = options.flag("do_rescale", True), options.number("rescale_factor", 1 / 255)
        normalized = options.flag("do_normalize", normalize)
        made_mean, made_std = options.numbers("image_mean", mean, 3), options.numbers("image_std", std, 3)
        if not all(made_std):
            raise options.fault("image_std", "numbers other than 0")
        filter_number = options.integer("resample", int(resample), lowest=0, highest=5)
        mean_and_std = (made_mean, made_std) if normalized else (None, None)
        return cls(filter_number, scale if rescale else None, *mean_and_std)

    @property
    def settings(self) -> dict[str, object]:
        """By the names of preprocessor_config.json."""
        made: dict[str, object] = {"resample": self.resample, "do_rescale": self.scale is not None}
        if self.scale is not None:
            made["rescale_factor"] = self.scale
        made["do_normalize"] = self.mean is not None
        if self.mean is not None and self.std is not None:
            made |= {"image_mean": list(self.mean), "image_std": list(self.std)}
        return made

    def resized(self, image: Image.Image, height: int, width: int) -> Image.Image:
        """The image at another size. Raises MediaError for one that would have more than MOST_PIXELS."""
        if height * width > MOST_PIXELS:
            raise MediaError(
                f"A picture of {image.width:,} × {image.height:,} pixels would be scaled to {width:,} × {height:,}, "
                f"which is more than {MOST_PIXELS:,} pixels: cut it to a less narrow one."
            )
        return image.resize((width, height), Image.Resampling(self.resample))

    def values(self, image: Image.Image) -> NDArray[np.float32]:
        """float32 [3, height, width]."""
        pixels = np.asarray(image)
        return np.stack([self._table[channel][pixels[..., channel]] for channel in range(3)])


def as_image(picture: Picture) -> Image.Image:
    """The picture for Pillow."""
    return Image.fromarray(picture.pixels)
