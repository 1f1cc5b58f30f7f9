"""Exports a graph as SVG or PNG: the whole graph, or its visible part.

Scene + part ──ScenePainter──▶ QSvgGenerator | QImage, in bands ──▶ a temporary file beside ──▶ the file
"""

from __future__ import annotations

import math
import os
from collections.abc import Generator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPointF, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QWidget

from app.graph_scene.scene import Scene
from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.scene_painter import ScenePainter, draw_in_bands
from app.jobs.background_tasks import BackgroundTasks
from app.jobs.time_slices import TimeSlicer
from app.text.formatting import format_number
from app.widgets import Banner
from app.widgets.file_suffix import with_file_suffix
from workflows.common.paths import make_folder

MARGIN = 24.0
MOST_PIXELS = 16_000
"""Upper limit of a PNG's longer side: 16,000 × 16,000 pixels take 1 GB."""
MOST_AREA = 100_000_000


def save_svg(path: Path, scene: Scene, part: QRectF, title: str) -> None:
    """Writes `part` of the scene. Raises OSError where the file cannot be written."""
    temporary = _temporary(path)
    _svg(temporary, scene, _around(part), title)
    os.replace(temporary, path)  # noqa: PTH105


def render_image(scene: Scene, part: QRectF) -> Generator[None, None, tuple[QImage, float]]:
    """Draws `part` of the scene in slices; returns the image and its scale, which is below 1 for a large part."""
    area = _around(part)
    width, height = area.width(), area.height()
    scale = min(1.0, MOST_PIXELS / max(width, height), math.sqrt(MOST_AREA / (width * height)))
    pixels = QSize(max(1, round(width * scale)), max(1, round(height * scale)))
    image, art = QImage(pixels, QImage.Format.Format_RGB32), ScenePainter()
    image.fill(art.paper)
    yield from draw_in_bands(image, art, scene, area, scale, QPointF())
    return image, scale


def write_png(path: Path, image: QImage) -> None:
    """Writes an image, in any thread. Raises OSError where the file cannot be written."""
    temporary = _temporary(path)
    if not image.save(str(temporary), "PNG"):  # type: ignore[call-overload]
        raise OSError(f"{path} cannot be written")
    os.replace(temporary, path)  # noqa: PTH105


def _around(part: QRectF) -> QRectF:
    return part.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)


def _temporary(path: Path) -> Path:
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


class PictureSaver(QObject):
    """Saves what `view` shows, and reports the result in `banner`. folder: the default folder of pictures."""

    def __init__(self, view: GraphView, banner: Banner, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._view, self._banner, self._folder, self._parent = view, banner, folder, parent
        self._slices, self._tasks = TimeSlicer(self), BackgroundTasks(self)

    def choose_file(self, ending: str, everything: bool) -> None:
        make_folder(self._folder)
        suggested = self._folder / f"{Path(self._view.model.title).stem or 'graph'}{ending}"
        kind = self.tr("Pictures (*{0})").format(ending)
        name, _kind = QFileDialog.getSaveFileName(self._parent, self.tr("Save the picture"), str(suggested), kind)
        if name:
            self.save(with_file_suffix(name, ending, ".svg", ".png"), everything)

    def save(self, path: Path, everything: bool) -> None:
        """Saves the graph. A PNG is drawn in slices and written in the background."""
        scene, canvas = self._view.model.scene, self._view.canvas
        if scene is None:
            return
        part, ending = canvas.bounds() if everything else canvas.visible(), path.suffix.lower()
        if ending == ".png":
            self._slices.run(render_image(scene, part), lambda drawn: self._write(path, *drawn), self._fail)
            return
        try:
            if ending != ".svg":
                raise ValueError(self.tr("{0} must end in .svg or .png").format(path.name))
            save_svg(path, scene, part, self._view.model.title)
        except (OSError, ValueError) as error:
            self._fail(error)
        else:
            self._report(path, 1.0)

    def _write(self, path: Path, image: QImage, scale: float) -> None:
        """Writes the PNG in the background, since compression takes seconds."""
        self._tasks.run(partial(write_png, path, image), lambda _none: self._report(path, scale), self._fail)

    def _fail(self, error: object) -> None:
        self._banner.error(self.tr("The picture could not be saved: {0}.").format(error))

    def _report(self, path: Path, scale: float) -> None:
        text = self.tr("Saved to {0}.").format(path)
        if scale < 1:
            text += " " + self.tr("The PNG is scaled to {0} %: SVG has no size limit.").format(
                format_number(scale * 100, 1)
            )
        self._banner.show_message("ok", text)
