"""Export of the plots: pictures as PNG and SVG, steps as CSV. Each file names its runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Generator
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from app.jobs.background_tasks import BackgroundTasks
from app.jobs.time_slices import TimeSlicer
from app.measure.charts.descriptions import runs_title
from app.state.measurement_snapshot import CHUNK, DECODE, MeasurementSnapshot
from app.widgets import Banner
from app.widgets.file_suffix import suggested_file, with_file_suffix

if TYPE_CHECKING:
    from app.measure.charts.speed_plots import SpeedPlots

RUN_COLUMNS = ("bundle", "path", "built_at", "provider", "precision", "layout", "capacity", "run", "began")
STEP_COLUMNS = ("kind", "phase", "time_s", "latency_ms", "tokens", "cache_used", "cache_capacity", "token_id", "text")
COLUMNS = RUN_COLUMNS + STEP_COLUMNS
ROWS_PER_SLICE = 200
"""Rows between two pauses: a few milliseconds."""


def csv_in_steps(s: MeasurementSnapshot, left: float = -inf, right: float = inf) -> Generator[None, None, str]:
    """The steps within two times as CSV with a header; pauses after every few rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    seen = s.seen(left, right).nonzero()[0]
    for first in range(0, len(seen), ROWS_PER_SLICE):
        writer.writerows(_row(s, int(index)) for index in seen[first : first + ROWS_PER_SLICE])
        yield
    return out.getvalue()


def _row(s: MeasurementSnapshot, index: int) -> tuple[object, ...]:
    run, kind = s.run_of(index), int(s.kind[index])
    owner = run.owner
    return (
        owner.name,
        owner.path,
        owner.built_at,
        owner.provider,
        owner.precision,
        owner.layout,
        owner.capacity,
        run.number,
        run.began,
        "chunk" if kind == CHUNK else "token",
        "decode" if kind == DECODE else "prefill",
        f"{s.time_s[index]:.6f}",
        f"{s.latency_ms[index]:.3f}",
        int(s.tokens[index]),
        int(s.used[index]),
        int(s.capacity[index]),
        "" if kind == CHUNK else s.token_id(index),
        s.text(index),
    )


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
