"""The picture as a file: SVG or PNG, of the whole graph or of what is seen.

Scene + part ──Art──▶ QSvgGenerator | QImage, band by band ──▶ a temporary file beside ──▶ the file
"""

from __future__ import annotations

import math
import os
from collections.abc import Generator
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from app.graph_scene.scene import Scene
from app.inspect.graph.banded_drawing import draw_in_bands
from app.inspect.graph.scene_painter import ScenePainter

MARGIN = 24.0
MOST_PIXELS = 16_000
"""The longest side of a PNG: 16,000 × 16,000 take 1 GB."""
MOST_AREA = 100_000_000


def save_svg(path: Path, scene: Scene, part: QRectF, title: str) -> None:
    """Writes `part` of the scene. Raises OSError where the file cannot be written."""
    draft = _draft(path)
    _svg(draft, scene, _around(part), title)
    os.replace(draft, path)  # noqa: PTH105


def render_image(scene: Scene, part: QRectF) -> Generator[None, None, tuple[QImage, float]]:
    """`part` of the scene, drawn in steps, and its scale: less than 1 where it would be too large at its own."""
    area = _around(part)
    width, height = area.width(), area.height()
    scale = min(1.0, MOST_PIXELS / max(width, height), math.sqrt(MOST_AREA / (width * height)))
    pixels = QSize(max(1, round(width * scale)), max(1, round(height * scale)))
    image, art = QImage(pixels, QImage.Format.Format_RGB32), ScenePainter()
    image.fill(art.paper)
    yield from draw_in_bands(image, art, scene, area, scale, QPointF())
    return image, scale


def write_png(path: Path, image: QImage) -> None:
    """Writes a picture; in any thread. Raises OSError where the file cannot be written."""
    draft = _draft(path)
    if not image.save(str(draft), "PNG"):  # type: ignore[call-overload]
        raise OSError(f"{path} cannot be written")
    os.replace(draft, path)  # noqa: PTH105


def _around(part: QRectF) -> QRectF:
    return part.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def _svg(path: Path, scene: Scene, area: QRectF, title: str) -> None:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(QSize(round(area.width()), round(area.height())))
    generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
    generator.setTitle(title)
    painter = QPainter()
    if not painter.begin(generator):
        raise OSError(f"{path} cannot be written")
    _draw(painter, scene, area)
    painter.end()


def _draw(painter: QPainter, scene: Scene, area: QRectF) -> None:
    art = ScenePainter()
    painter.fillRect(QRectF(0, 0, area.width(), area.height()), art.paper)
    painter.translate(-area.left(), -area.top())
    art.draw(painter, scene, area, 1.0)
