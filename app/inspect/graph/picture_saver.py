"""Saving the picture of the graph: where to is asked, how it went is said."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.picture_export import render_image, save_svg, write_png
from app.jobs.background_tasks import BackgroundTasks
from app.jobs.time_slices import TimeSlicer
from app.text.formatting import format_number
from app.widgets import Banner
from app.widgets.file_suffix import with_file_suffix
from workflows.common.paths import make_folder


class PictureSaver(QObject):
    """Saves what `view` shows; folder: where pictures go unless a person says otherwise."""

    def __init__(self, view: GraphView, banner: Banner, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._view, self._banner, self._folder, self._page = view, banner, folder, parent
        self._slices, self._aside = TimeSlicer(self), BackgroundTasks(self)

    def ask(self, ending: str, everything: bool) -> None:
        """Asks where to."""
        make_folder(self._folder)
        draft = self._folder / f"{Path(self._view.model.title).stem or 'graph'}{ending}"
        kind = self.tr("Pictures (*{0})").format(ending)
        name, _kind = QFileDialog.getSaveFileName(self._page, self.tr("Save the picture"), str(draft), kind)
        if name:
            self.save(with_file_suffix(name, ending, ".svg", ".png"), everything)

    def save(self, path: Path, everything: bool) -> None:
        """Saves the picture, and says how it went: a PNG when it is written, which the window does not wait for."""
        scene, canvas = self._view.model.scene, self._view.canvas
        if scene is None:
            return
        part, ending = canvas.bounds() if everything else canvas.visible(), path.suffix.lower()
        if ending == ".png":
            self._slices.run(render_image(scene, part), lambda drawn: self._write(path, *drawn), self._fail)
            return
        try:
            if ending != ".svg":
                raise ValueError(self.tr("{0} ends neither in .svg nor in .png").format(path.name))
            save_svg(path, scene, part, self._view.model.title)
        except (OSError, ValueError) as error:
            self._fail(error)
        else:
            self._tell(path, 1.0)

    def _write(self, path: Path, image: QImage, scale: float) -> None:
        """A large picture takes seconds to be packed."""
        self._aside.run(partial(write_png, path, image), lambda _none: self._tell(path, scale), self._fail)

    def _fail(self, error: object) -> None:
        self._banner.error(self.tr("The picture could not be saved: {0}.").format(error))

    def _tell(self, path: Path, scale: float) -> None:
        text = self.tr("Saved to {0}.").format(path)
        if scale < 1:
            text += " " + self.tr("It is at {0} % of its size: SVG has no such limit.").format(
                format_number(scale * 100, 1)
            )
        self._banner.show_message("ok", text)
