"""The picture as a file: SVG or PNG, of the whole graph or of what is seen.

Scene + part ──Art──▶ QSvgGenerator | QImage ──▶ a temporary file beside ──▶ the file
"""

from __future__ import annotations

import math
import os
from pathlib import Path

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from app.inspect.graph.art import Art
from app.scene.levels import Scene

MARGIN = 24.0
MOST_PIXELS = 16_000
"""The longest side of a PNG: 16,000 × 16,000 take 1 GB."""
MOST_AREA = 100_000_000


def save(path: Path, scene: Scene, part: QRectF, title: str) -> float:
    """Writes `part` of the scene; the scale that it came to: less than 1 where a PNG would be too large.

    Raises OSError where the file cannot be written, ValueError for another ending than .svg and .png.
    """
    area = part.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
    draft = path.with_name(f".{path.name}.part")
    if path.suffix.lower() == ".svg":
        scale = 1.0
        _svg(draft, scene, area, title)
    elif path.suffix.lower() == ".png":
        scale = _png(draft, scene, area)
    else:
        raise ValueError(f"{path.name} ends neither in .svg nor in .png")
    os.replace(draft, path)  # noqa: PTH105
    return scale


def _svg(path: Path, scene: Scene, area: QRectF, title: str) -> None:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(QSize(round(area.width()), round(area.height())))
    generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
    generator.setTitle(title)
    painter = QPainter()
    if not painter.begin(generator):
        raise OSError(f"{path} cannot be written")
    _draw(painter, scene, area, 1.0)
    painter.end()


def _png(path: Path, scene: Scene, area: QRectF) -> float:
    width, height = area.width(), area.height()
    scale = min(1.0, MOST_PIXELS / max(width, height), math.sqrt(MOST_AREA / (width * height)))
    pixels = QSize(max(1, round(width * scale)), max(1, round(height * scale)))
    image = QImage(pixels, QImage.Format.Format_RGB32)
    image.fill(Art().paper)
    painter = QPainter(image)
    painter.scale(scale, scale)
    _draw(painter, scene, area, scale)
    painter.end()
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]
        raise OSError(f"{path} cannot be written")
    return scale


def _draw(painter: QPainter, scene: Scene, area: QRectF, scale: float) -> None:
    art = Art()
    painter.fillRect(QRectF(0, 0, area.width(), area.height()), art.paper)
    painter.translate(-area.left(), -area.top())
    art.draw(painter, scene, area, scale)
