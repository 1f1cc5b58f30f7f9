"""Files of what is measured: pictures as PNG and SVG, and steps as CSV. Each says whose it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from app.charts.text import title_of
from app.jobs.aside import Aside
from app.jobs.slices import Slices
from app.state.steps_csv import csv_in_steps
from app.widgets import Banner
from app.widgets.endings import ended

if TYPE_CHECKING:
    from app.charts.plots import Plots

TOLD_MS = 4000
ENDINGS = (".png", ".svg", ".csv")


class Files(QObject):
    """Writes what the plots show. shown: the plots, where they show something; banner: says how it went."""

    def __init__(self, banner: Banner, shown: Callable[[], Plots | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._banner, self._shown, self._window = banner, shown, parent
        self._slices, self._aside = Slices(self), Aside(self)

    def ask(self, ending: str) -> None:
        """Where to write a file of that kind, and writes it."""
        name, _kind = QFileDialog.getSaveFileName(
            self._window, self.tr("Export measurements"), f"measurements.{ending}", f"*.{ending}"
        )
        if name:
            self.export(ended(name, f".{ending}", *ENDINGS))

    def export(self, path: Path) -> None:
        """By the ending: a picture as .png or .svg, or the steps that are seen as .csv."""
        plots = self._shown()
        if plots is None or plots.snapshot is None:
            return
        if path.suffix.lower() == ".csv":
            work = csv_in_steps(plots.snapshot.kept(), *plots.zoom.window)
            self._slices.run(work, lambda text: self._write(path, partial(path.write_text, text, "utf-8")), self._fail)
            return
        from app.charts.export import as_svg, picture, write_picture

        title = title_of(plots.figures().runs)
        if path.suffix.lower() == ".svg":
            self._write(path, partial(path.write_text, as_svg(plots, title), "utf-8"))
        else:
            self._write(path, partial(write_picture, picture(plots, title), path))

    def _write(self, path: Path, write: Callable[[], object]) -> None:
        """In a thread: packing a picture and waiting for a disk take a while."""
        self._aside.run(write, lambda _none: self._tell(path), self._fail)

    def _tell(self, path: Path) -> None:
        told = self.tr("Written: {0}").format(path.name)
        self._banner.show_message("ok", told)
        QTimer.singleShot(TOLD_MS, self._banner, lambda: self._forget(told))

    def _forget(self, told: str) -> None:
        """Takes the word back, unless something else was said since."""
        if self._banner.message == told:
            self._banner.clear()

    def _fail(self, error: object) -> None:
        self._banner.error(self.tr("The file could not be written."), str(error))
