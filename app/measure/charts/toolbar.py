"""The toolbar between the figures and the plots: span, percentile lines, scales, zoom, freeze, reset, export."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QMenu, QPushButton, QWidget

from app.measure.charts.latency_style import LatencyStyle
from app.widgets import button
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon


class SpeedToolbar(QWidget):
    """The choices are read from `span` and `latency_style`."""

    span_changed = Signal()
    style_changed = Signal()
    export_requested = Signal(str)  # the suffix of the file, without the dot

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.span = self._choice(
            self.tr("What is shown"),
            {
                "bundle": self.tr("This bundle"),
                "reply": self.tr("Last reply"),
                "all": self.tr("All runs"),
                "recent": self.tr("Last 10 s"),
            },
        )
        self.lines = self._choice(
            self.tr("Percentile lines"), {"decode": self.tr("Lines: decode"), "prefill": self.tr("Lines: prefill")}
        )
        self.fit_decode = QCheckBox(self.tr("Scale to decode"))
        set_tool_tip(
            self.fit_decode,
            self.tr("Long prefill blocks run out of the picture, so that decode steps can be told apart."),
        )
        self.log = QCheckBox(self.tr("Log scale"))
        set_tool_tip(self.log, self.tr("Latency on a logarithmic scale: prefill and decode in one picture."))
        self.fit = button(self.tr("Fit"), "zoom")
        set_tool_tip(self.fit, self.tr("Leaves the zoom (double click, Home, or 0)"))
        self.fit.setEnabled(False)
        self.freeze = button(self.tr("Freeze"), "pause")
        self.freeze.setCheckable(True)
        set_tool_tip(self.freeze, self.tr("Lets the picture stand still; measuring goes on (Ctrl+Space)"))
        self.reset = button(self.tr("Reset"), "trash")
        set_tool_tip(self.reset, self.tr("Forgets what was measured"))
        self._lay_out()
        self.span.currentIndexChanged.connect(lambda _index: self.span_changed.emit())
        self.lines.currentIndexChanged.connect(lambda _index: self.style_changed.emit())
        self.fit_decode.toggled.connect(lambda _on: self.style_changed.emit())
        self.log.toggled.connect(lambda _on: self.style_changed.emit())
        self.freeze.toggled.connect(self._name_freeze)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(G)
        for choice in (self.span, self.lines, self.fit_decode, self.log):
            row.addWidget(choice)
        row.addStretch(1)
        for part in (self.fit, self.freeze, self.reset, self._export_button()):
            row.addWidget(part)

    @property
    def latency_style(self) -> LatencyStyle:
        """The chosen style of the latency plot."""
        return LatencyStyle(self.lines.currentData(), self.fit_decode.isChecked(), self.log.isChecked())

    def choose(self, span: str) -> None:
        """Select a span by its key."""
        self.span.setCurrentIndex(self.span.findData(span))

    def _choice(self, name: str, options: dict[str, str]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        for value, text in options.items():
            box.addItem(text, value)
        return box

    def _export_button(self) -> QPushButton:
        result = button(self.tr("Export"), "save")
        menu = QMenu(result)
        for ending, text in (
            ("png", self.tr("Picture (PNG) …")),
            ("svg", self.tr("Picture (SVG) …")),
            ("csv", self.tr("Steps (CSV) …")),
        ):
            menu.addAction(text).triggered.connect(partial(self._export, ending))
        result.setMenu(menu)
        return result

    def _export(self, ending: str, _checked: bool = False) -> None:
        self.export_requested.emit(ending)

    def _name_freeze(self, on: bool) -> None:
        self.freeze.setText(self.tr("Go on") if on else self.tr("Freeze"))
        set_icon(self.freeze, "play" if on else "pause")
