"""Depths as files: numbers as they are, a grey picture of 16 bits, or one in colours.

DepthMap ──▶ .npy float32 [height, width]      .png 16-bit grey, from the lowest to the highest      .png in colours
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from workflows.common.errors import RequestError, describe_os_error, printable
from workflows.common.files import write_atomically
from workflows.predict.depth_estimator import DepthMap

SUFFIXES = (".png", ".npy")
# Colours of equal steps of lightness, from dark to light: nine of matplotlib's viridis (CC0).
_COLORS = np.array([(68, 1, 84), (71, 45, 123), (59, 82, 139), (44, 114, 142), (33, 145, 140), (40, 174, 128),
                    (94, 201, 98), (173, 220, 48), (253, 231, 37)])  # fmt: skip


def check_suffix(path: Path) -> None:
    """Raises RequestError for a file of another kind."""
    if path.suffix.lower() not in SUFFIXES:
        raise RequestError(f"Depths are written as .png or .npy, and not as {printable(path.name)}: name such a file.")


def write_depths(depths: DepthMap, path: Path, *, colored: bool = False) -> None:
    """Writes a file by its suffix. colored: a .png in colours, light where the numbers are large.

    Raises RequestError for another suffix, and where the file cannot be written.
    """
    check_suffix(path)
    out = io.BytesIO()
    if path.suffix.lower() == ".npy":
        np.save(out, depths.values)
    else:
        image = colors_of(depths) if colored else (share_of(depths) * 65535).round().astype(np.uint16)
        Image.fromarray(image).save(out, "PNG")
    try:
        write_atomically(path, out.getvalue())
    except OSError as error:
        raise RequestError(describe_os_error(error)) from None


def share_of(depths: DepthMap) -> NDArray[np.float64]:
    """[height, width] from 0 at the lowest to 1 at the highest number; 0 where all are equal."""
    span = depths.highest - depths.lowest
    return (depths.values.astype(np.float64) - depths.lowest) / (span or 1.0)


def colors_of(depths: DepthMap) -> NDArray[np.uint8]:
    """uint8 [height, width, 3]."""
    steps, share = np.linspace(0, 1, len(_COLORS)), share_of(depths)
    return np.stack([np.interp(share, steps, row) for row in _COLORS.T], axis=-1).round().astype(np.uint8)
