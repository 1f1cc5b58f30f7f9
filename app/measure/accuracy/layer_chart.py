"""The loss per layer: 1 − cosine of hidden states, keys and values, one line each."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.measure.charts.chart_description import ChartDescription, range_text
from app.text.formatting import format_figures
from app.text.translatable import tr
from app.widgets.plot_style import NumberAxis, add_point_line, make_static, move_point_line, restyle_plot
from app.widgets.theme import theme
from workflows.wire.reports.accuracy import LayerCosines

SERIES = (("hidden", "decode", "o"), ("key", "prefill", "s"), ("value", "cache", "t"))
"""The attribute of a layer, colour and symbol; the symbols work without colour, too."""


class LayerChart(pg.PlotWidget):  # type: ignore[misc]
    """The layers from left to right, those of an encoder before those of the decoder."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems={"left": NumberAxis("left")})
        self.setAccessibleName(tr("Loss of each layer, as one minus the cosine"))
        make_static(self, upright=False)
        self.setMouseEnabled(x=False, y=False)
        self.setLabel("left", tr("1 − cosine"))
        self.setLabel("bottom", tr("layer"))
        self.legend = self.addLegend(offset=(8, 8), labelTextSize="12px")
        self.names = names = {"hidden": tr("hidden state"), "key": tr("keys"), "value": tr("values")}
        self.lines = {name: self.plot([], [], name=names[name], symbol=mark) for name, _, mark in SERIES}
        self.point_line = add_point_line(self)
        self._places: list[tuple[float, float]] = []
        self.description = ChartDescription(self, lambda index: move_point_line(self.point_line, self._places, index))
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
        self._describe(layers, [name for _, name in ticks])

    def _describe(self, layers: list[LayerCosines], layer_names: list[str]) -> None:
        losses = {
            title: [None if (cosine := getattr(layer, f"{name}_cosine")) is None else 1 - cosine for layer in layers]
            for name, title in self.names.items()
        }
        known = {title: [one for one in values if one is not None] for title, values in losses.items()}
        summary = " ".join(range_text(title, values, "{:.3g}".format) for title, values in known.items() if values)

        def layer_text(index: int) -> str:
            here = {title: values[index] for title, values in losses.items()}
            parts = (f"{title} {format_figures(loss, 3)}" for title, loss in here.items() if loss is not None)
            return tr("layer {0}: {1}").format(layer_names[index], ", ".join(parts))

        self._places = [(float(at), 0.0) for at in range(len(layers))]
        self.description.show(summary, len(layers), layer_text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move from layer to layer (Qt's name)."""
        if not self.description.handle_key(event):
            super().keyPressEvent(event)

    def restyle(self) -> None:
        color = theme().color
        restyle_plot(self)
        self.point_line.setPen(pg.mkPen(color("text")))
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
