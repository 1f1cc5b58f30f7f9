"""Files of what is measured: pictures as PNG and SVG, and steps as CSV. Each says whose it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from app.jobs.background_tasks import BackgroundTasks
from app.jobs.time_slices import TimeSlicer
from app.measure.charts.descriptions import runs_title
from app.state.steps_csv import csv_in_steps
from app.widgets import Banner
from app.widgets.file_suffix import with_file_suffix

if TYPE_CHECKING:
    from app.measure.charts.speed_plots import SpeedPlots

NOTE_MS = 4000
ENDINGS = (".png", ".svg", ".csv")


class PlotExporter(QObject):
    """Writes what the plots show. shown: the plots, where they show something; banner: says how it went."""

    def __init__(self, banner: Banner, shown: Callable[[], SpeedPlots | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._banner, self._shown, self._window = banner, shown, parent
        self._slices, self._tasks = TimeSlicer(self), BackgroundTasks(self)

    def ask(self, ending: str) -> None:
        """Where to write a file of that kind, and writes it."""
        name, _kind = QFileDialog.getSaveFileName(
            self._window, self.tr("Export measurements"), f"measurements.{ending}", f"*.{ending}"
        )
        if name:
            self.export(with_file_suffix(name, f".{ending}", *ENDINGS))

    def export(self, path: Path) -> None:
        """By the ending: a picture as .png or .svg, or the steps that are seen as .csv."""
        plots = self._shown()
        if plots is None or plots.snapshot is None:
            return
        if path.suffix.lower() == ".csv":
            work = csv_in_steps(plots.snapshot.kept(), *plots.zoom.window)
            self._slices.run(work, lambda text: self._write(path, partial(path.write_text, text, "utf-8")), self._fail)
            return
        from app.measure.charts.plot_image import plots_as_svg, render_plots, write_image

        title = runs_title(plots.figures().runs)
        if path.suffix.lower() == ".svg":
            self._write(path, partial(path.write_text, plots_as_svg(plots, title), "utf-8"))
        else:
            self._write(path, partial(write_image, render_plots(plots, title), path))

    def _write(self, path: Path, write: Callable[[], object]) -> None:
        """In a thread: packing a picture and waiting for a disk take a while."""
        self._tasks.run(write, lambda _none: self._tell(path), self._fail)

    def _tell(self, path: Path) -> None:
        told = self.tr("Written: {0}").format(path.name)
        self._banner.show_message("ok", told)
        QTimer.singleShot(NOTE_MS, self._banner, lambda: self._forget(told))

    def _forget(self, told: str) -> None:
        """Takes the word back, unless something else was said since."""
        if self._banner.message == told:
            self._banner.clear()

    def _fail(self, error: object) -> None:
        self._banner.error(self.tr("The file could not be written."), str(error))
