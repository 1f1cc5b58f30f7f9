"""The toolbar between the figures and the plots: span, zoom, freeze, reset, how latency is drawn, export."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.measure.charts.latency_style import LatencyStyle
from app.widgets import button
from app.widgets.actions import menu_button
from app.widgets.fields import combo_box
from app.widgets.layouts import FlowLayout
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import set_icon


class SpeedToolbar(QWidget):
    """The choices are read from `span` and `latency_style`."""

    span_changed = Signal()
    style_changed = Signal()
    export_requested = Signal(str)  # the suffix of the file, without the dot

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        spans = (
            (self.tr("This bundle"), "bundle"),
            (self.tr("Last reply"), "reply"),
            (self.tr("All runs"), "all"),
            (self.tr("Last 10 s"), "recent"),
        )
        self.span = combo_box(self.tr("What is shown"), spans)
        self.view = button(self.tr("View"), "settings", tool_tip=self.tr("How latency is drawn"))
        menu = QMenu(self.view)
        self.view.setMenu(menu)
        self.fit_decode = menu.addAction(self.tr("Scale to decode: cut off longer prefill blocks"))
        self.log = menu.addAction(self.tr("Logarithmic scale"))
        self.prefill_lines = menu.addAction(self.tr("Percentile lines of prefill instead of decode"))
        for choice in (self.fit_decode, self.log, self.prefill_lines):
            choice.setCheckable(True)
            choice.toggled.connect(self._on_style)
        self.fit = button(
            self.tr("Fit"), "zoom", tool_tip=self.tr("Show the whole time axis (double click, Home or 0)")
        )
        self.fit.setEnabled(False)
        tip = self.tr("Stop updating the plots; the measurement continues (Ctrl+Space)")
        self.freeze = button(self.tr("Freeze"), "pause", tool_tip=tip)
        self.freeze.setCheckable(True)
        self.reset = button(self.tr("Reset"), "trash", tool_tip=self.tr("Delete the measurements"))
        self._lay_out()
        self.span.currentIndexChanged.connect(lambda _index: self.span_changed.emit())
        self.freeze.toggled.connect(self._name_freeze)

    def _lay_out(self) -> None:
        kinds = (
            (self.tr("Picture (PNG) …"), "png"),
            (self.tr("Picture (SVG) …"), "svg"),
            (self.tr("Steps (CSV) …"), "csv"),
        )
        export = menu_button(self.tr("Export"), "save", kinds, self.export_requested.emit)
        flow = FlowLayout(self)  # a second line where a language or a font needs it
        for part in (self.span, self.fit, self.freeze, self.reset, self.view, export):
            flow.addWidget(part)

    @property
    def latency_style(self) -> LatencyStyle:
        phase: Literal["prefill", "decode"] = "prefill" if self.prefill_lines.isChecked() else "decode"
        return LatencyStyle(phase, self.fit_decode.isChecked(), self.log.isChecked())

    def choose(self, span: str) -> None:
        """Select a span by its key."""
        self.span.setCurrentIndex(self.span.findData(span))

    def _on_style(self) -> None:
        chosen = [one.text() for one in self.view.menu().actions() if one.isChecked()]
        set_tool_tip(self.view, "\n".join(chosen) or self.tr("How latency is drawn"))
        self.style_changed.emit()

    def _name_freeze(self, on: bool) -> None:
        self.freeze.setText(self.tr("Continue") if on else self.tr("Freeze"))
        set_icon(self.freeze, "play" if on else "pause")
