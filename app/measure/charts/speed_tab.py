"""The tab "Speed" of the measure page: a bundle's runs, live, with the figures of exactly what is shown.

    Measurements ──snapshot(what)──▶ Plots ──figures()──▶ FiguresRow;  Toolbar: what is shown, how, and its export

pyqtgraph and numpy are imported shortly after the start, or when the page first has something to draw.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.measure.charts.descriptions import step_text
from app.measure.charts.figures_row import FiguresRow
from app.measure.charts.plot_exporter import PlotExporter
from app.measure.charts.toolbar import SpeedToolbar
from app.state.measurement_snapshot import MeasurementSnapshot
from app.state.run_configuration import bundle_key
from app.widgets import Banner, CardFrame, EmptyState, label
from app.widgets.actions import add_action
from app.widgets.theme import G

if TYPE_CHECKING:
    from app.measure.charts.speed_plots import SpeedPlots
    from app.state.context import AppContext

FRAME_MS = 50
"""Redraws at most 20 times a second."""
WARM_MS = 300
"""When the imports begin: after the window is there and before anyone has asked anything."""
FIGURES_EVERY = 5
"""Frames between two computations of the figures."""
LOG_SETTING = "measure.log"


class SpeedTab(QWidget):
    """Shows `context.measurements`."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.measurements = context.measurements
        self.plots: SpeedPlots | None = None
        self._blanks: list[Any] = []
        self._drawn = -1
        self._frame = 0
        self._build()
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.tick)
        self._to_import = [
            "numpy",
            "numpy.ma",
            "pyqtgraph",
            "app.measure.charts.speed_plots",
        ]  # numpy's own sets bring its masks in
        self._connect()
        self._add_actions()
        self._warm = QTimer(self)
        self._warm.setSingleShot(True)
        self._warm.timeout.connect(self._prepare)
        self._warm.start(WARM_MS)

    # -- building --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.empty = EmptyState("", "", self.tr("Go to Chat"), "measure")
        self.banner = Banner()
        self.files = PlotExporter(self.banner, self._shown, self)
        self.figures = FiguresRow()
        self.toolbar = SpeedToolbar()
        self.toolbar.log.setChecked(self.context.settings.text(LOG_SETTING) == "on")
        self.readout = label("", "muted", wrap=True)
        self.readout.setAccessibleName(self.tr("Step under the pointer"))
        self._full = QWidget()
        self._column = QVBoxLayout(self._full)
        self._column.setContentsMargins(2 * G, 2 * G, 2 * G, G)
        self._column.setSpacing(G)
        for part in (self.banner, self.figures, self.toolbar, self.readout):
            self._column.addWidget(part)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._full)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)

    def _connect(self) -> None:
        bar = self.toolbar
        self.empty.triggered.connect(self._first_step)
        bar.chosen.connect(self._on_chosen)
        bar.style_changed.connect(self._on_look)
        bar.fit.clicked.connect(self._follow)
        bar.freeze.toggled.connect(self.measurements.freeze)
        bar.reset.clicked.connect(self._reset)
        bar.exported.connect(self.files.ask)
        self.context.bundleChanged.connect(self._on_chosen)

    def _add_actions(self) -> None:
        """What the keyboard and the window's Ctrl+K find here."""
        for text, keys, act in (
            (self.tr("Measure: show this bundle's runs"), "", partial(self.toolbar.choose, "bundle")),
            (self.tr("Measure: show the last reply"), "", partial(self.toolbar.choose, "reply")),
            (self.tr("Measure: show all runs"), "", partial(self.toolbar.choose, "all")),
            (self.tr("Latency on a log scale, or not"), "", self.toolbar.log.toggle),
            (self.tr("Freeze the measurements"), "Ctrl+Space", self.toolbar.freeze.toggle),
            (self.tr("Leave the zoom"), "", self._follow),
            (self.tr("Reset the measurements"), "", self._reset),
            (self.tr("Export the measurements as PNG"), "", partial(self.files.ask, "png")),
            (self.tr("Export the measurements as SVG"), "", partial(self.files.ask, "svg")),
            (self.tr("Export the measurements as CSV"), "", partial(self.files.ask, "csv")),
        ):
            add_action(self, text, act, keys)

    def _make_plots(self) -> SpeedPlots:
        from app.measure.charts.speed_plots import SpeedPlots

        plots = SpeedPlots(blanks=self._blanks)
        self._blanks.clear()
        plots.hovered.connect(self._on_hover)
        plots.zoomed.connect(self.toolbar.fit.setEnabled)
        plots.viewed.connect(self._show_figures)
        plots.set_style(self.toolbar.look)
        card = CardFrame()
        card.body.setContentsMargins(G, G, G, G)
        card.body.addWidget(plots)
        self._column.insertWidget(self._column.count() - 1, card, 1)
        self._hint()
        return plots

    def _prepare(self) -> None:
        """One step a turn: the imports, each plot, all of them, their first drawing. None is to fall into a reply."""
        if self._to_import:
            importlib.import_module(self._to_import.pop(0))
            self._warm.start(0 if self.isVisible() else 20)
        elif self.plots is None:
            from app.measure.charts.speed_plots import ROWS, blank_plot

            if len(self._blanks) < ROWS:
                self._blanks.append(blank_plot())
            else:
                self.plots = self._make_plots()
            self._warm.start(20)
        elif self._shown() is None:
            self.plots.grab()  # the first drawing takes twice as long as any other

    # -- drawing ---------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: draws while it is seen, from the next frame on: laying out and drawing in one go would be felt."""
        super().showEvent(event)
        self._drawn = -1
        if self.measurements.empty:
            self._say_empty()
        self._timer.start()
        if self._to_import:
            self._warm.start(0)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt's name: draws nothing while it is not seen."""
        self._timer.stop()
        super().hideEvent(event)

    def tick(self) -> None:
        """One frame: draws what changed. The page is there at once; its plots follow when they are imported."""
        if self.measurements.revision == self._drawn:
            if self._frame and self.plots is not None:
                self._frame = 0
                self._show_figures()
            return
        self._drawn = self.measurements.revision
        if self.measurements.empty:
            self._say_empty()
        elif self._to_import:
            self.stack.setCurrentIndex(1)
            self.readout.setText(self.tr("Loading the charts …"))
            self._drawn = -1
        else:
            self._draw()

    def _draw(self) -> None:
        snapshot = self._snapshot()
        if not len(snapshot):
            self._say_empty()
            return
        if self.plots is None:
            self.plots = self._make_plots()
        if self.stack.currentWidget() is not self._full:  # laid out in this frame, drawn in the next one
            self.plots.setUpdatesEnabled(False)
            self.stack.setCurrentWidget(self._full)
            self._drawn = -1
            return
        self.plots.show_snapshot(snapshot)
        self.plots.setUpdatesEnabled(True)
        if self._frame % FIGURES_EVERY == 0:
            self._show_figures()
        self._frame += 1

    def _shown(self) -> SpeedPlots | None:
        """The plots, where they show something."""
        return self.plots if self.stack.currentWidget() is self._full else None

    def _snapshot(self) -> MeasurementSnapshot:
        span = self.toolbar.span.currentData()
        bundle = self.context.bundle
        whose = bundle_key(bundle) if bundle else self.measurements.owner.bundle
        return self.measurements.snapshot("all" if span == "recent" else span, whose)

    def _say_empty(self) -> None:
        """That there is nothing to draw, and what to do first."""
        self.stack.setCurrentIndex(0)
        if self.measurements.empty or self.context.bundle is None:
            title, first = self.tr("Nothing measured yet"), self.tr("Go to Chat")
        else:
            title = self.tr("Nothing measured of {0} yet").format(self.context.bundle["name"])
            first = self.tr("Show all runs")
        text = self.tr("Each step of a reply appears here while it runs: latency, cache and memory.")
        self.empty.set(title, text, first)

    def _first_step(self) -> None:
        if self.measurements.empty:
            self.context.navigate.emit("chat")
        else:
            self.toolbar.choose("all")

    def _show_figures(self) -> None:
        if self.plots is None or self.plots.drawing is None:
            return
        figures = self.plots.figures()
        self.figures.show_figures(figures, self.plots.zoom.chosen or self.plots.zoom.recent)
        self.plots.show_percentiles(figures)

    def _hint(self) -> None:
        self.readout.setText(
            self.tr(
                "Move over a step to see its token. Drag or turn the wheel to zoom, double click to leave; "
                "arrows go step by step."
            )
        )

    def _on_hover(self, index: int) -> None:
        if index < 0 or self.plots is None or self.plots.snapshot is None:
            self._hint()
        else:
            self.readout.setText(step_text(self.plots.snapshot, index))

    # -- actions ---------------------------------------------------------------------------------------------

    def _on_chosen(self, _bundle: object = None) -> None:
        """Other runs, at once or when they are looked at."""
        if self.plots is not None:
            self.plots.restart(recent=self.toolbar.span.currentData() == "recent")
        self._drawn, self._frame = -1, 0
        if self.isVisible():
            self.tick()

    def _on_look(self) -> None:
        self.context.settings.set(LOG_SETTING, "on" if self.toolbar.log.isChecked() else "off")
        if self.plots is not None:
            self.plots.set_style(self.toolbar.look)
            self._show_figures()

    def _follow(self) -> None:
        if self.plots is not None:
            self.plots.follow()

    def _reset(self) -> None:
        self.toolbar.freeze.setChecked(False)
        self.measurements.reset()
        self._on_chosen()
