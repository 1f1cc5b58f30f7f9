"""The tab "Speed" of the measure page: live plots of a bundle's runs, and the figures of exactly the visible steps.

    Measurements ──snapshot(span)──▶ SpeedPlots ──figures()──▶ FiguresRow;  SpeedToolbar: span, style, export

`PlotsLoader` imports pyqtgraph and numpy shortly after the start, or when the page first has something to draw.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.measure.charts.descriptions import step_text
from app.measure.charts.figures_row import FiguresRow
from app.measure.charts.plot_exporter import PlotExporter
from app.measure.charts.toolbar import SpeedToolbar
from app.state.bundle_use import use_of
from app.state.measured_runs import bundle_key
from app.state.measurement_snapshot import MeasurementSnapshot
from app.widgets import Banner, CardFrame, EmptyState, label
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.layouts import stack, vbox
from app.widgets.theme import G

if TYPE_CHECKING:
    from app.measure.charts.speed_plots import SpeedPlots
    from app.state.context import AppContext

FRAME_MS = 50
"""The interval between two frames: at most 20 per second."""
LOAD_DELAY_MS = 300
"""The delay before the first import: the window is visible by then, and nobody has asked anything yet."""
LOAD_PAUSE_MS = 20
"""The pause between two loading steps while the tab is hidden."""
FIGURES_EVERY = 5
"""Frames between two computations of the figures."""
LOG_SETTING = "measure.log"


class PlotsLoader(QObject):
    """Prepares the plots in small steps, so that none delays a reply: imports, each plot, all plots, a drawing.

    create: creates `SpeedPlots` from `blanks`; stack: shows the plots, except for its first page.
    """

    def __init__(self, create: Callable[[], SpeedPlots], stack: QStackedWidget, tab: QWidget) -> None:
        super().__init__(tab)
        self._create, self._stack, self._tab = create, stack, tab
        self.blanks: list[Any] = []
        self.plots: SpeedPlots | None = None
        # numpy imports numpy.ma lazily, for its set routines
        self._modules = ["numpy", "numpy.ma", "pyqtgraph", "app.measure.charts.speed_plots"]
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._run_step)
        self._timer.start(LOAD_DELAY_MS)

    @property
    def importing(self) -> bool:
        """Whether modules remain to be imported."""
        return bool(self._modules)

    def hurry(self) -> None:
        """Import the remaining modules without pauses."""
        if self._modules:
            self._timer.start(0)

    def _run_step(self) -> None:
        if self._modules:
            importlib.import_module(self._modules.pop(0))
            self._timer.start(0 if self._tab.isVisible() else LOAD_PAUSE_MS)
        elif self.plots is None:
            from app.measure.charts.plot_rows import ROWS, blank_plot

            if len(self.blanks) < ROWS:
                self.blanks.append(blank_plot())
            else:
                self._create()
            self._timer.start(LOAD_PAUSE_MS)
        elif self._stack.currentIndex() == 0:
            self.plots.grab()  # the first drawing takes twice as long as any other


class SpeedTab(QWidget):
    """Draws `context.measurements` while the tab is visible."""

    benchmark_requested = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.measurements = context.measurements
        self.plots: SpeedPlots | None = None
        self._drawn = -1
        self._frame = 0
        self._build()
        self._timer = QTimer(self, interval=FRAME_MS)
        self._timer.timeout.connect(self.tick)
        self.loader = PlotsLoader(self._create_plots, self.stack, self)
        self._connect()
        self._add_actions()

    # -- building --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.empty = EmptyState("", "", self.tr("Go to Chat"), "measure")
        self.banner = Banner()
        self.exporter = PlotExporter(self.banner, lambda: self.plots if self.stack.currentIndex() else None, self)
        self.figures = FiguresRow()
        self.toolbar = SpeedToolbar()
        self.toolbar.log.setChecked(self.context.settings.text(LOG_SETTING) == "on")
        self.readout = label("", "muted", wrap=True)
        self.readout.setAccessibleName(self.tr("Step under the pointer"))
        self._full = QWidget()
        self._column = vbox(
            self.figures, self.toolbar, self.readout, parent=self._full, margins=(2 * G, 2 * G, 2 * G, G)
        )
        self.stack = stack(self.empty, self._full)
        vbox(self.stack, parent=self)

    def _connect(self) -> None:
        bar = self.toolbar
        self.empty.triggered.connect(self._first_step)
        bar.span_changed.connect(self._on_span)
        bar.style_changed.connect(self._on_style)
        bar.fit.clicked.connect(self._reset_zoom)
        bar.freeze.toggled.connect(self.measurements.freeze)
        bar.reset.clicked.connect(self._reset)
        bar.export_requested.connect(self.exporter.choose_file)
        self.context.bundleChanged.connect(self._on_span)

    def _add_actions(self) -> None:
        """Add the actions of the keyboard and of Ctrl+K."""
        for text, keys, act in (
            (self.tr("Measure: show this bundle's runs"), "", partial(self.toolbar.choose, "bundle")),
            (self.tr("Measure: show the last reply"), "", partial(self.toolbar.choose, "reply")),
            (self.tr("Measure: show all runs"), "", partial(self.toolbar.choose, "all")),
            (self.tr("Switch the log scale of latency"), "", self.toolbar.log.toggle),
            (self.tr("Freeze the measurements"), "Ctrl+Space", self.toolbar.freeze.toggle),
            (self.tr("Reset the zoom"), "", self._reset_zoom),
            (self.tr("Reset the measurements"), "", self._reset),
            (self.tr("Export the measurements as PNG"), "", partial(self.exporter.choose_file, "png")),
            (self.tr("Export the measurements as SVG"), "", partial(self.exporter.choose_file, "svg")),
            (self.tr("Export the measurements as CSV"), "", partial(self.exporter.choose_file, "csv")),
        ):
            add_action(self, text, act, keys)

    def _create_plots(self) -> SpeedPlots:
        from app.measure.charts.speed_plots import SpeedPlots

        plots = SpeedPlots(blanks=self.loader.blanks)
        self.plots = self.loader.plots = plots
        self.loader.blanks.clear()
        plots.hovered.connect(self._on_hover)
        plots.zoomed.connect(self.toolbar.fit.setEnabled)
        plots.viewed.connect(self._show_figures)
        plots.set_style(self.toolbar.latency_style)
        card = CardFrame()
        card.body.setContentsMargins(G, G, G, G)
        card.body.addWidget(plots)
        self._column.insertWidget(self._column.count() - 1, card, 1)
        self.overlay = BannerOverlay(self._full, self.banner, area=card)
        self._show_hint()
        return plots

    # -- drawing ---------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Start drawing with the next frame: layout and drawing in one turn would cause a visible delay (Qt's name)."""
        super().showEvent(event)
        self._drawn = -1
        if self.measurements.empty:
            self._show_empty()
        self._timer.start()
        self.loader.hurry()
        self.context.history.read_if_changed()  # for the roofline

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)

    def tick(self) -> None:
        """Draw one frame if the measurements changed. A text replaces the plots until pyqtgraph is imported."""
        if self.measurements.revision == self._drawn:
            if self._frame and self.plots is not None:
                self._frame = 0
                self._show_figures()
            return
        self._drawn = self.measurements.revision
        if self.measurements.empty:
            self._show_empty()
        elif self.loader.importing:
            self.stack.setCurrentWidget(self.empty)
            self.empty.set(self.tr("Loading the charts …"), "")
            self._drawn = -1
        else:
            self._draw()

    def _draw(self) -> None:
        snapshot = self._snapshot()
        if not len(snapshot):
            self._show_empty()
            return
        plots = self.plots or self._create_plots()
        if self.stack.currentWidget() is not self._full:  # layout in this frame, drawing in the next
            plots.setUpdatesEnabled(False)
            self.stack.setCurrentWidget(self._full)
            self._drawn = -1
            return
        plots.show_snapshot(snapshot)
        plots.setUpdatesEnabled(True)
        if self._frame % FIGURES_EVERY == 0:
            self._show_figures()
        self._frame += 1

    def _snapshot(self) -> MeasurementSnapshot:
        span = self.toolbar.span.currentData()
        bundle = self.context.bundle
        key = bundle_key(bundle) if bundle else self.measurements.owner.bundle
        return self.measurements.snapshot("all" if span == "recent" else span, key)

    def _show_empty(self) -> None:
        """Explain why there is nothing to draw, and offer the first step."""
        self.stack.setCurrentIndex(0)
        bundle = self.context.bundle
        text = self.tr("Each step of a reply appears here while it runs: latency, cache and memory.")
        if bundle is not None and not self._replies:
            title, first = self.tr("No steps of {0}").format(bundle["name"]), self.tr("Run benchmark …")
            text = self.tr(
                "This bundle writes no replies: a benchmark measures its runs, and History lists the results."
            )
        elif self.measurements.empty or bundle is None:
            title, first = self.tr("No measurements yet"), self.tr("Go to Chat")
        else:
            title = self.tr("No measurements of {0} yet").format(bundle["name"])
            first = self.tr("Show all runs")
        self.empty.set(title, text, first)

    @property
    def _replies(self) -> bool:
        """Whether the current bundle writes replies, whose steps are drawn here."""
        return use_of(self.context.bundle) == "chat"

    def _first_step(self) -> None:
        if self.context.bundle is not None and not self._replies:
            self.benchmark_requested.emit()
        elif self.measurements.empty:
            self.context.navigate.emit("chat")
        else:
            self.toolbar.choose("all")

    def _show_figures(self) -> None:
        if self.plots is None or self.plots.data is None:
            return
        figures = self.plots.figures()
        owner = figures.runs.common_owner
        limit = self.context.history.decode_limit(owner) if owner else None
        self.figures.show_figures(figures, self.plots.zoom.is_zoomed or self.plots.zoom.recent, limit)
        self.plots.show_percentiles(figures)

    def _show_hint(self) -> None:
        self.readout.setText(
            self.tr(
                "Point at a step to see its token. Drag or turn the wheel to zoom, double-click to reset the "
                "zoom; arrow keys move from step to step."
            )
        )

    def _on_hover(self, index: int) -> None:
        if index < 0 or self.plots is None or self.plots.snapshot is None:
            self._show_hint()
        else:
            self.readout.setText(step_text(self.plots.snapshot, index))

    # -- actions ---------------------------------------------------------------------------------------------

    def _on_span(self, _bundle: object = None) -> None:
        """Show other runs: now, or when the tab becomes visible."""
        if self.plots is not None:
            self.plots.restart(recent=self.toolbar.span.currentData() == "recent")
        self._drawn, self._frame = -1, 0
        if self.isVisible():
            self.tick()

    def _on_style(self) -> None:
        self.context.settings.set(LOG_SETTING, "on" if self.toolbar.log.isChecked() else "off")
        if self.plots is not None:
            self.plots.set_style(self.toolbar.latency_style)
            self._show_figures()

    def _reset_zoom(self) -> None:
        if self.plots is not None:
            self.plots.reset_zoom()

    def _reset(self) -> None:
        self.toolbar.freeze.setChecked(False)
        self.measurements.reset()
        self._on_span()
