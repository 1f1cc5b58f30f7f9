"""Reads a picture file to RGB, as `load_image` of transformers does: upright, without transparency, the first frame.

file ──header──▶ known kind, within the limit ──Pillow──▶ orientation of its EXIF data ──convert("RGB")──▶ Picture
"""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from workflows.common.errors import MediaError, printable
from workflows.common.files import special_file_kind

MOST_PIXELS = 80_000_000
"""The largest picture that is decoded: 240 MB as RGB, and its decoder needs up to four times that."""
KINDS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""Pillow's formats that are read; others, such as EPS, may start programs."""
_READABLE = "png, jpeg, webp, gif, bmp or tiff"
# what Pillow's decoders raise for damaged files
_DAMAGE = (OSError, SyntaxError, ValueError, TypeError, EOFError, IndexError, KeyError, struct.error, OverflowError)


@dataclass(frozen=True)
class Picture:
    """pixels: uint8 [height, width, 3], RGB. notes: sentences on what of the file was not used."""

    pixels: NDArray[np.uint8]
    notes: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])


def read_picture(source: Path | bytes, most_pixels: int = MOST_PIXELS) -> Picture:
    """The picture of a file, or of a file's bytes.

    Raises MediaError for a file that is no picture, that is empty, damaged or cut off, or that states more than
    `most_pixels`, which is checked before anything is decoded.
    """
    with warnings.catch_warnings(), _opened(source) as (file, name):
        warnings.simplefilter("ignore")  # of damaged tags, and of sizes above a limit that is higher than the one here
        with _header(file, name, most_pixels) as image:
            return _decode(image, name)


def _decode(image: Image.Image, name: str) -> Picture:
    try:
        notes = tuple(_notes(image, name))
        image.seek(0)
        image.load()
        return Picture(np.asarray(ImageOps.exif_transpose(image).convert("RGB")), notes)
    except _DAMAGE as error:
        raise _damaged(name, error) from None


def _notes(image: Image.Image, name: str) -> Iterator[str]:
    """What of the file is not used."""
    if getattr(image, "is_animated", False):
        yield f"{name} holds several pictures, such as the frames of an animation: the first one is used."
    if image.mode.startswith(("I", "F")):  # Pillow cuts larger numbers off, and so do the models' own preprocessors
        yield f"{name} has more than 8 bits per pixel, and what is brighter than 255 becomes white: convert it first."


@contextmanager
def _opened(source: Path | bytes) -> Iterator[tuple[BinaryIO, str]]:
    """The file and its name for messages."""
    if isinstance(source, bytes):
        yield io.BytesIO(source), "The picture"
        return
    name = f"The picture file {printable(source.name)}"
    if kind := special_file_kind(source):
        raise MediaError(f"{name} is {kind}: give a picture file ({_READABLE}).")
    try:
        file = source.open("rb")
    except OSError as error:
        raise MediaError(f"{name} cannot be read: {error.strerror}.") from None
    with file:
        yield file, name


@contextmanager
def _header(file: BinaryIO, name: str, most_pixels: int) -> Iterator[Image.Image]:
    """The picture with its size known and nothing decoded."""
    if not file.read(1):
        raise MediaError(f"{name} is empty: give a picture file ({_READABLE}).")
    file.seek(0)
    try:
        image = Image.open(file, formats=KINDS)
    except UnidentifiedImageError:
        raise MediaError(
            f"{name} is damaged, has no pixels, or is not a picture that can be read: "
            f"give a file of the kind {_READABLE}."
        ) from None
    except Image.DecompressionBombError:
        raise MediaError(f"{name} has far more than the {most_pixels:,} pixels that are read: scale it down.") from None
    except _DAMAGE as error:
        raise _damaged(name, error) from None
    with image:
        width, height = image.size
        if width * height > most_pixels:
            raise MediaError(
                f"{name} has {width:,} × {height:,} pixels, and at most {most_pixels:,} are read: scale it down."
            )
        yield image


def _damaged(name: str, error: Exception) -> MediaError:
    reason = printable(error, 100).rstrip(".").replace(". ", "; ") or type(error).__name__
    return MediaError(f"{name} is damaged or cut off ({reason}): copy or download it again.")
