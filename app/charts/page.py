"""The measure page: figures of the session, live plots, and their export.

pyqtgraph and numpy are imported shortly after the start, or when the page first has something to draw.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.accuracy.tab import AccuracyTab
from app.charts.text import describe_step, latency
from app.history.tab import HistoryTab
from app.state.measurements import Percentiles, Snapshot
from app.widgets import Banner, Card, EmptyState, Stat, button, label
from app.widgets.actions import action
from app.widgets.format import number
from app.widgets.theme import G, set_icon, theme

if TYPE_CHECKING:
    from app.charts.plots import Plots
    from app.state.context import AppContext

FRAME_MS = 50
"""Redraws at most 20 times a second."""
WARM_MS = 300
"""When the imports begin: after the window is there and before anyone has asked anything."""
STATS_EVERY = 5
"""Frames between two computations of the percentiles."""


class Mark(QWidget):
    """How a phase is drawn: a block for prefill, a point for decode."""

    def __init__(self, phase: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._phase = phase
        self.setFixedSize(12, 12)
        theme().changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt's name for drawing."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().color(self._phase))
        if self._phase == "prefill":
            painter.drawRect(2, 1, 8, 10)
        else:
            painter.drawEllipse(2, 2, 8, 8)
        painter.end()


class MeasurePage(QWidget):
    """Shows `context.measurements`."""

    title = "Measure"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.measurements = context.measurements
        self.plots: Plots | None = None
        self._drawn = -1
        self._frame = 0
        self._build()
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.tick)
        self._to_import = ["numpy", "pyqtgraph", "app.charts.plots"]
        self._add_actions()
        self._warm = QTimer(self)
        self._warm.setSingleShot(True)
        self._warm.timeout.connect(self._prepare)
        self._warm.start(WARM_MS)

    def show_accuracy(self, candidate: str = "", reference: str = "", consented: Sequence[str] = ()) -> None:
        """Brings the comparison of two bundles to the front, with these where they are named."""
        self.context.navigate.emit("measure")
        self.tabs.setCurrentWidget(self.accuracy)
        self.accuracy.form.name(candidate, reference, consented)

    # -- building --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.empty = EmptyState(
            self.tr("Nothing measured yet"),
            self.tr("Each step of a reply appears here while it runs: latency, cache and memory."),
            self.tr("Go to Chat"),
            "measure",
        )
        self.empty.triggered.connect(lambda: self.context.navigate.emit("chat"))
        self.banner = Banner()
        self.readout = label("", "muted")
        self.readout.setAccessibleName(self.tr("Step under the pointer"))
        self._full = QWidget()
        self._column = QVBoxLayout(self._full)
        self._column.setContentsMargins(2 * G, 2 * G, 2 * G, G)
        self._column.setSpacing(G)
        self._column.addWidget(self.banner)
        self._column.addLayout(self._figures())
        self._column.addLayout(self._toolbar())
        self._column.addWidget(self.readout)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._full)
        self.accuracy = AccuracyTab(self.context)
        self.history = HistoryTab(self.context)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.stack, self.tr("Speed"))
        self.tabs.addTab(self.accuracy, self.tr("Accuracy"))
        self.tabs.addTab(self.history, self.tr("History"))
        self.history.wanted.connect(lambda: self.tabs.setCurrentWidget(self.history))
        self.tabs.tabBar().setAccessibleName(self.tr("Speed, accuracy or history"))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.tabs)

    def _figures(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(2 * G)
        self.stats = {
            "ttft": Stat(self.tr("TTFT"), unit="ms"),
            "prefill": Stat(self.tr("prefill"), unit="tok/s"),
            "decode": Stat(self.tr("decode"), unit="tok/s"),
            "prompt": Stat(self.tr("prompt"), unit=self.tr("tokens")),
            "generated": Stat(self.tr("generated"), unit=self.tr("tokens")),
        }
        card = Card()
        card.body.setContentsMargins(2 * G, G, 2 * G, G)
        line = QHBoxLayout()
        line.setSpacing(G)
        for stat in self.stats.values():
            line.addWidget(stat)
        card.body.addStretch(1)
        card.body.addLayout(line)
        card.body.addStretch(1)
        row.addWidget(card, 1)
        row.addWidget(self._table())
        return row

    def _table(self) -> Card:
        card = Card()
        card.body.setContentsMargins(2 * G, G, 2 * G, G)
        grid = QGridLayout()
        grid.setHorizontalSpacing(G + 4)
        grid.setVerticalSpacing(2)
        self.cells: dict[tuple[str, str], QLabel] = {}
        grid.addWidget(label(self.tr("latency in ms"), "muted"), 0, 0)
        for column, name in enumerate(("p50", "p95", "p99", self.tr("steps"))):
            head = label(name, "muted")
            grid.addWidget(head, 0, column + 1, Qt.AlignmentFlag.AlignRight)
        for row, (phase, title) in enumerate(
            (("prefill", self.tr("prefill chunk")), ("decode", self.tr("decode token")))
        ):
            name_row = QHBoxLayout()
            name_row.setSpacing(G)
            name_row.addWidget(Mark(phase))
            name_row.addWidget(label(title, "small"), 1)
            grid.addLayout(name_row, row + 1, 0)
            for column, key in enumerate(("p50", "p95", "p99", "count")):
                cell = label("–", "small")
                cell.setMinimumWidth(5 * G)
                cell.setAlignment(Qt.AlignmentFlag.AlignRight)
                grid.addWidget(cell, row + 1, column + 1)
                self.cells[phase, key] = cell
        card.body.addLayout(grid)
        return card

    def _toolbar(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(G)
        self.span = QComboBox()
        self.span.setAccessibleName(self.tr("What is shown"))
        for text, value in (
            (self.tr("All replies"), "all"),
            (self.tr("Last reply"), "reply"),
            (self.tr("Last 10 s"), "recent"),
        ):
            self.span.addItem(text, value)
        self.lines = QComboBox()
        self.lines.setAccessibleName(self.tr("Percentile lines"))
        self.lines.addItem(self.tr("Lines: decode"), "decode")
        self.lines.addItem(self.tr("Lines: prefill"), "prefill")
        self.fit_decode = QCheckBox(self.tr("Scale to decode"))
        self.fit_decode.setToolTip(
            self.tr("Long prefill blocks run out of the picture, so that decode steps can be told apart.")
        )
        self.fit = button(self.tr("Fit"), "zoom", clicked=self._follow)
        self.fit.setToolTip(self.tr("Leaves the zoom (double click, or 0)"))
        self.fit.setEnabled(False)
        self.freeze = button(self.tr("Freeze"), "pause")
        self.freeze.setCheckable(True)
        self.freeze.setToolTip(self.tr("Lets the picture stand still; measuring goes on (Ctrl+Space)"))
        self.reset = button(self.tr("Reset"), "trash", clicked=self._reset)
        self.reset.setToolTip(self.tr("Forgets what was measured"))
        self.export_button = self._export_button()
        for choice in (self.span, self.lines, self.fit_decode):
            row.addWidget(choice)
        row.addStretch(1)
        for part in (self.fit, self.freeze, self.reset, self.export_button):
            row.addWidget(part)
        self.span.currentIndexChanged.connect(self._apply_view)
        self.lines.currentIndexChanged.connect(self._apply_view)
        self.fit_decode.toggled.connect(self._apply_view)
        self.freeze.toggled.connect(self._on_freeze)
        return row

    def _add_actions(self) -> None:
        """What the keyboard and the window's Ctrl+K find here."""
        for text, keys, act in (
            (self.tr("Compare the accuracy of two bundles"), "", self.show_accuracy),
            (self.tr("Freeze the measurements"), "Ctrl+Space", self.freeze.toggle),
            (self.tr("Leave the zoom"), "", self._follow),
            (self.tr("Reset the measurements"), "", self._reset),
            (self.tr("Export the measurements as PNG"), "", partial(self._ask_export, "png")),
            (self.tr("Export the measurements as SVG"), "", partial(self._ask_export, "svg")),
            (self.tr("Export the measurements as CSV"), "", partial(self._ask_export, "csv")),
        ):
            action(self, text, act, keys)
        self.addActions(self.history.palette_actions)

    def _export_button(self) -> QPushButton:
        result = button(self.tr("Export"), "save")
        menu = QMenu(result)
        for ending, text in (
            ("png", self.tr("Picture (PNG) …")),
            ("svg", self.tr("Picture (SVG) …")),
            ("csv", self.tr("Steps (CSV) …")),
        ):
            menu.addAction(text).triggered.connect(partial(self._ask_export, ending))
        result.setMenu(menu)
        return result

    def _make_plots(self) -> Plots:
        from app.charts.plots import Plots

        plots = Plots()
        plots.hovered.connect(self._on_hover)
        plots.zoomed.connect(self.fit.setEnabled)
        card = Card()
        card.body.setContentsMargins(G, G, G, G)
        card.body.addWidget(plots)
        self._column.insertWidget(self._column.count() - 1, card, 1)
        self._hint()
        return plots

    def _prepare(self) -> None:
        """One step a turn: the imports, the plots, their first drawing. None of it is to fall into a reply."""
        if self._to_import:
            importlib.import_module(self._to_import.pop(0))
            self._warm.start(0 if self.isVisible() else 20)
        elif self.plots is None:
            self.plots = self._make_plots()
            self._warm.start(20)
        elif not self.isVisible():
            self.plots.grab()  # the first drawing takes twice as long as any other

    # -- drawing ---------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: draws while it is seen, from the next frame on: laying out and drawing in one go would be felt."""
        super().showEvent(event)
        self._drawn = -1
        self._choose()
        self._timer.start()
        if self._to_import:
            self._warm.start(0)

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt's name: draws nothing while it is not seen."""
        self._timer.stop()
        super().hideEvent(event)

    def tick(self) -> None:
        """One frame: draws what changed. The page is there at once; its plots follow when they are imported."""
        m = self.measurements
        if m.revision == self._drawn:
            if self._frame:
                self._frame = 0
                self._show_stats(m.snapshot())
            return
        self._drawn = m.revision
        if not self._choose():
            return
        if self._to_import:
            self.readout.setText(self.tr("Loading the charts …"))
            self._drawn = -1
            return
        if self.plots is None:
            self.plots = self._make_plots()
        snapshot = m.snapshot()
        self.plots.show_snapshot(snapshot)
        if self._frame % STATS_EVERY == 0:
            self._show_stats(snapshot)
        self._frame += 1

    def _choose(self) -> bool:
        """Whether there is anything to draw; brings the plots to the front, or what to do first."""
        something = self.measurements.frozen or self.measurements.occupancy is not None
        self.stack.setCurrentIndex(1 if something else 0)
        return something

    def _show_stats(self, s: Snapshot) -> None:
        self.stats["ttft"].set(_figure(s.ttft_ms))
        self.stats["prefill"].set(_figure(s.prefill_rate))
        self.stats["decode"].set(_figure(s.decode_rate))
        self.stats["prompt"].set(number(s.prompt_tokens))
        self.stats["generated"].set(number(s.generated_tokens))
        for phase, percentiles in (("prefill", s.prefill), ("decode", s.decode)):
            self._show_row(phase, percentiles)
        if self.plots is not None:
            self.plots.show_percentiles(s)

    def _show_row(self, phase: str, p: Percentiles) -> None:
        for key, value in (("p50", p.p50), ("p95", p.p95), ("p99", p.p99)):
            self.cells[phase, key].setText("–" if value is None else latency(value).removesuffix(" ms"))
        self.cells[phase, "count"].setText(number(p.count))

    def _hint(self) -> None:
        self.readout.setText(
            self.tr("Move over a step to see its token. Drag to zoom, double click to leave; arrows go step by step.")
        )

    def _on_hover(self, index: int) -> None:
        if index < 0:
            self._hint()
            return
        self.readout.setText(describe_step(self.measurements.snapshot(), index))

    # -- actions ---------------------------------------------------------------------------------------------

    def _apply_view(self, *_: object) -> None:
        if self.plots is not None:
            self.plots.span = self.span.currentData()
            self.plots.fit_decode = self.fit_decode.isChecked()
            self.plots.show_lines_of(self.lines.currentData())
            self.plots.follow()

    def _follow(self) -> None:
        if self.plots is not None:
            self.plots.follow()

    def _on_freeze(self, on: bool) -> None:
        self.measurements.freeze(on)
        self.freeze.setText(self.tr("Go on") if on else self.tr("Freeze"))
        set_icon(self.freeze, "play" if on else "pause")

    def _reset(self) -> None:
        self.freeze.setChecked(False)
        self.measurements.reset()
        if self.plots is not None:
            self.plots.follow()
        self.tick()

    def _ask_export(self, ending: str, _checked: bool = False) -> None:
        name, _kind = QFileDialog.getSaveFileName(
            self, self.tr("Export measurements"), f"measurements.{ending}", f"*.{ending}"
        )
        if name:
            self.export(Path(name))

    def export(self, path: Path) -> None:
        """Writes the picture as .png or .svg, or the steps as .csv, by the ending."""
        try:
            if path.suffix.lower() == ".csv":
                path.write_text(self.measurements.to_csv(), "utf-8")
            elif self.plots is not None:
                self.plots.save(path)
        except OSError as error:
            self.banner.error(self.tr("The file could not be written."), str(error))
            return
        self.banner.show_message("ok", self.tr("Written: {0}").format(path.name))
        QTimer.singleShot(4000, self.banner, self.banner.clear)


def _figure(value: float | None) -> str:
    return "–" if value is None else number(value, 0 if value >= 100 else 1)
