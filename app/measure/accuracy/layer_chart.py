"""The loss per layer: 1 − cosine of hidden states, keys and values, one line each."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from app.text.translatable import tr
from app.widgets.plot_style import make_static, restyle_plot
from app.widgets.theme import theme
from workflows.wire.reports.accuracy import LayerCosines

SERIES = (("hidden", "decode", "o"), ("key", "prefill", "s"), ("value", "cache", "t"))
"""The attribute of a layer, colour and symbol; the symbols work without colour, too."""


class LayerChart(pg.PlotWidget):  # type: ignore[misc]
    """The layers from left to right, those of an encoder before those of the decoder."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Loss of each layer, as one minus the cosine"))
        make_static(self, upright=False)
        self.setMouseEnabled(x=False, y=False)
        self.setLabel("left", tr("1 − cosine"))
        self.setLabel("bottom", tr("layer"))
        self.legend = self.addLegend(offset=(8, 8), labelTextSize="12px")
        names = {"hidden": tr("hidden state"), "key": tr("keys"), "value": tr("values")}
        self.lines = {name: self.plot([], [], name=names[name], symbol=mark) for name, _, mark in SERIES}
        theme().changed.connect(self.restyle)
        self.restyle()

    def show_layers(self, layers: list[LayerCosines]) -> None:
        top = 0.0
        for name, _, _ in SERIES:
            cosines = [getattr(layer, f"{name}_cosine") for layer in layers]
            points = [(at, 1 - cosine) for at, cosine in enumerate(cosines) if cosine is not None]
            self.lines[name].setData([x for x, _ in points], [y for _, y in points])
            top = max([top, *(y for _, y in points)])
        several = len({layer.part for layer in layers}) > 1
        ticks = [
            (at, f"{layer.part[0]}{layer.layer}" if several else str(layer.layer)) for at, layer in enumerate(layers)
        ]
        step = max(1, len(ticks) // 16)
        self.getAxis("bottom").setTicks([ticks[::step]])
        self.setXRange(-0.5, max(len(layers) - 0.5, 0.5), padding=0)
        self.setYRange(0, top * 1.15 or 1e-6, padding=0)

    def restyle(self) -> None:
        color = theme().color
        restyle_plot(self)
        self.legend.setLabelTextColor(color("text"))
        self.legend.setBrush(pg.mkBrush(color("surface")))
        for name, ink, _ in SERIES:
            line = self.lines[name]
            line.setPen(pg.mkPen(color(ink), width=1.5))
            line.setSymbolPen(None)
            line.setSymbolBrush(pg.mkBrush(color(ink)))
            line.setSymbolSize(8)
        for _, text in self.legend.items:
            text.setText(text.text)
