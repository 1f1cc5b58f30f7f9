"""Export of the plots: pictures as PNG and SVG, steps as CSV. Each file names its runs."""

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
from app.widgets.file_suffix import suggested_file, with_file_suffix

if TYPE_CHECKING:
    from app.measure.charts.speed_plots import SpeedPlots

NOTE_MS = 4000
SUFFIXES = (".png", ".svg", ".csv")


class PlotExporter(QObject):
    """Exports the visible plots. plots: returns them, or None if there is nothing to draw; banner: shows the result."""

    def __init__(self, banner: Banner, plots: Callable[[], SpeedPlots | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._banner, self._plots, self._window = banner, plots, parent
        self._slices, self._background = TimeSlicer(self), BackgroundTasks(self)

    def choose_file(self, suffix: str) -> None:
        """Ask for a file name and export to it. suffix: png, svg or csv."""
        name, _kind = QFileDialog.getSaveFileName(
            self._window, self.tr("Export measurements"), suggested_file(f"measurements.{suffix}"), f"*.{suffix}"
        )
        if name:
            self.export(with_file_suffix(name, f".{suffix}", *SUFFIXES))

    def export(self, path: Path) -> None:
        """Write a picture (.png, .svg) or the visible steps (.csv)."""
        plots = self._plots()
        if plots is None or plots.snapshot is None:
            return
        if path.suffix.lower() == ".csv":
            work = csv_in_steps(plots.snapshot.copy(), *plots.zoom.window)
            self._slices.run(work, lambda text: self._write(path, partial(path.write_text, text, "utf-8")), self._fail)
            return
        from app.measure.charts.plot_image import plots_as_svg, render_plots, write_image

        title = runs_title(plots.figures().runs)
        if path.suffix.lower() == ".svg":
            self._write(path, partial(path.write_text, plots_as_svg(plots, title), "utf-8"))
        else:
            self._write(path, partial(write_image, render_plots(plots, title), path))

    def _write(self, path: Path, write: Callable[[], object]) -> None:
        """Write in a thread: compressing a picture and waiting for the disk take a while."""
        self._background.run(write, lambda _none: self._report(path), self._fail)

    def _report(self, path: Path) -> None:
        message = self.tr("Written: {0}").format(path.name)
        self._banner.show_message("ok", message)
        QTimer.singleShot(NOTE_MS, self._banner, lambda: self._forget(message))

    def _forget(self, message: str) -> None:
        """Clear the banner unless it shows another message by now."""
        if self._banner.message == message:
            self._banner.clear()

    def _fail(self, error: object) -> None:
        self._banner.error(self.tr("The file could not be written."), str(error))
