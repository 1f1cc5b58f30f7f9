"""Pictures are read as `load_image` of transformers reads them; what cannot be read is refused in a sentence."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.workflows.media.pictures.making import picture
from workflows.common.errors import MediaError
from workflows.media import read_picture
from workflows.media.pictures import MOST_PIXELS

PIXELS = Image.fromarray(picture(37, 53).pixels)
ALPHA = PIXELS.copy()
ALPHA.putalpha(Image.fromarray(picture(37, 53, 1).pixels).convert("L"))
DEEP = Image.fromarray(np.linspace(0, 600, 37 * 53).astype(np.uint16).reshape(37, 53))
IMAGES = {
    "png": (PIXELS, "PNG", {}),
    "grey": (PIXELS.convert("L"), "PNG", {}),
    "one bit": (PIXELS.convert("1"), "PNG", {}),
    "16 bits": (DEEP, "PNG", {}),
    "alpha": (ALPHA, "PNG", {}),
    "grey and alpha": (ALPHA.convert("LA"), "PNG", {}),
    "palette": (PIXELS.quantize(16), "PNG", {}),
    "transparent palette": (PIXELS.quantize(16), "PNG", {"transparency": 3}),
    "jpeg": (PIXELS, "JPEG", {}),
    "cmyk": (PIXELS.convert("CMYK"), "JPEG", {}),
    "webp": (ALPHA, "WEBP", {"lossless": True}),
    "gif": (PIXELS, "GIF", {}),
    "bmp": (PIXELS, "BMP", {}),
    "tiff": (PIXELS.convert("CMYK"), "TIFF", {}),
}


def stored(image: Image.Image, kind: str = "PNG", **more: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **more)
    return buffer.getvalue()


def loaded(data: bytes) -> np.ndarray:
    from transformers.image_utils import load_image

    return np.asarray(load_image(Image.open(io.BytesIO(data))))


@pytest.mark.parametrize("name", IMAGES)
def test_each_kind_is_read_as_transformers_does(name: str, tmp_path: Path) -> None:
    image, kind, more = IMAGES[name]
    data = stored(image, kind, **more)
    (tmp_path / "a").write_bytes(data)
    result = read_picture(tmp_path / "a")
    assert (result.height, result.width, result.pixels.dtype) == (37, 53, np.uint8)
    assert ["more than 8 bits" in note for note in result.notes] == [True] * (name == "16 bits")
    assert (result.pixels == loaded(data)).all()
    assert result.pixels.std() > 20  # and there is something to see


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_orientation_of_a_camera_is_followed(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = stored(PIXELS, "JPEG", exif=exif)
    result = read_picture(data)
    assert (result.height, result.width) == ((37, 53) if orientation < 5 else (53, 37))
    assert (result.pixels == loaded(data)).all()


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "TIFF", "PNG"])
def test_the_first_frame_is_used_and_that_is_noted(kind: str) -> None:
    data = stored(PIXELS, kind, save_all=True, append_images=[PIXELS.rotate(180), PIXELS.rotate(90)])
    result = read_picture(data)
    assert result.notes == (
        "The picture holds several pictures, such as the frames of an animation: the first one is used.",
    )
    assert (result.pixels == loaded(data)).all()


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_a_file_that_is_cut_off_is_noticed(kind: str, part: float) -> None:
    data = stored(Image.fromarray(picture(150, 170).pixels), kind)
    with pytest.raises(MediaError, match="damaged") as caught:
        read_picture(data[: int(len(data) * part)])
    assert ". " not in str(caught.value)


def test_damage_gives_a_sentence_or_a_picture(recwarn: pytest.WarningsRecorder) -> None:
    """Changed bytes in headers: nothing else is raised or warned of."""
    random, refused = np.random.default_rng(1), 0
    files = [stored(image, kind, **more) for image, kind, more in IMAGES.values()]
    for _ in range(300):
        data = bytearray(files[random.integers(len(files))])
        for place in random.integers(0, min(len(data), 120), 3):
            data[place] = random.integers(256)
        try:
            read_picture(bytes(data), most_pixels=1 << 20)
        except MediaError as error:
            refused += 1
            assert ". " not in str(error)
    assert 50 < refused < 300 and not list(recwarn)


def header(width: int, height: int) -> bytes:
    """A png file of that size in which nothing follows."""
    part = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    numbers = struct.pack(">I", 13), struct.pack(">I", zlib.crc32(part)), struct.pack(">I", 1000)
    return b"\x89PNG\r\n\x1a\n" + numbers[0] + part + numbers[1] + numbers[2] + b"IDAT"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "The picture is empty"),
        (b"RIFF\0\0\0\0WAVE" + bytes(50), "is not a picture that can be read"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "is not a picture that can be read"),
        (b"\xff\xd8\xff" + bytes(50), "is damaged, has no pixels"),
        (header(10, 10), "is damaged or cut off"),
        (header(0, 10), "has no pixels, or is not a picture"),
        (header(8001, 10_000), r"8,001 × 10,000 pixels, and at most 80,000,000 are read: scale it down"),
        (header(10_000, 12_000), r"10,000 × 12,000 pixels, and at most"),
        (header(60_000, 60_000), "has far more than the 80,000,000 pixels"),
    ],
    ids=range(9),
)
def test_what_cannot_be_read_is_refused(data: bytes, words: str, recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(MediaError, match=words) as caught:
        read_picture(data)
    assert ". " not in str(caught.value) and not list(recwarn)


def test_the_limit_can_be_lower() -> None:
    with pytest.raises(MediaError, match=r"53 × 37 pixels, and at most 1,000 are read"):
        read_picture(stored(PIXELS), most_pixels=1000)
    assert read_picture(stored(PIXELS), most_pixels=37 * 53).width == 53
    assert MOST_PIXELS == 80_000_000


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match=r"The picture file a\.png cannot be read: No such file"):
        read_picture(tmp_path / "a.png")
    with pytest.raises(MediaError, match="is a folder"):
        read_picture(tmp_path)
