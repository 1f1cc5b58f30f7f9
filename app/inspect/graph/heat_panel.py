"""The panel that colors a graph by time, bytes or rounding error: a legend, and the nodes, most expensive first.

NodeCosts ──HeatColoring──▶ GraphCanvas;   NodeCosts ──▶ legend, table ─a row─▶ revealRequested(node)
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QLinearGradient, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.graph_scene.boxes import BoxKey
from app.jobs.worker_client import WorkerClient
from app.state.graph_model import GraphModel
from app.state.node_costs import NodeCosts
from app.state.provider_overlay import BoxMark
from app.text.formatting import format_bytes, format_microseconds, format_number, pluralize
from app.widgets import button, label
from app.widgets.fields import combo_box, progress_bar
from app.widgets.layouts import Stretch, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import SMALL, G, sans_font, theme
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.requests import ListDevices

MIN_STRENGTH, MAX_STRENGTH = 0.04, 0.44
"""Color strength of a node without cost, and of the most expensive one."""
MIN_BADGE_SHARE = 0.001
"""Nodes with a smaller share have no badge."""
CALLS_COLUMN = 3
"""The table column that only some measures have."""


class HeatColoring:
    """Colors nodes by their cost relative to the most expensive one, and scopes by their share of the total."""

    def __init__(self, heat: NodeCosts) -> None:
        self._heat = heat

    @property
    def color(self) -> str:
        """The theme color of the measure."""
        return {"bytes": "prefill", "error": "warning"}.get(self._heat.measure, "error")

    def text(self, value: float) -> str:
        """A value with its unit."""
        if self._heat.measure == "error":
            return f"{format_number(100 * value, 2)} %"
        return format_bytes(value) if self._heat.measure == "bytes" else format_microseconds(value)

    def mark(self, key: BoxKey) -> BoxMark | None:
        """The mark of a box; None without a cost."""
        heat = self._heat
        value = heat.value(key) if heat.shown else None
        if value is None:
            return None
        of = heat.most if heat.measure == "error" else heat.total  # errors do not add up
        share = value / of if of else 0.0
        bar = share if isinstance(key, str) else value / heat.most if heat.most else 0.0
        return BoxMark(
            self.color, MIN_STRENGTH + (MAX_STRENGTH - MIN_STRENGTH) * bar, self._badge(key, value, share), bar
        )

    def _badge(self, key: BoxKey, value: float, share: float) -> str:
        if share < MIN_BADGE_SHARE:
            return ""
        text = self.text(value)
        if self._heat.measure != "error":
            text += f" · {format_number(100 * share, 1)} %"
        spread = self._heat.spread(key)
        if spread is None:
            return text
        low, high = (self.text(one) for one in spread)
        return f"{text} ({low})" if low == high else f"{text} ({low} – {high})"


class HeatLegend(QWidget):
    """The color scale from 0 to the cost of the most expensive node."""

    def __init__(self, coloring: HeatColoring, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._coloring, self.most = coloring, ""
        self.setFixedHeight(4 * G)
        theme().changed.connect(self.update)

    def show_most(self, text: str) -> None:
        """Sets the cost at the strong end of the scale."""
        self.most = text
        self.setAccessibleName(self.tr("Color scale from 0 to {0} per node").format(text))
        set_tool_tip(self, self.accessibleName())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        strong, band = theme().color(self._coloring.color), self.rect().adjusted(0, 0, 0, -2 * G)
        blend = QLinearGradient(band.topLeft(), band.topRight())
        for place, alpha in ((0.0, MIN_STRENGTH), (1.0, MAX_STRENGTH)):
            color = theme().color(self._coloring.color)
            color.setAlphaF(alpha)
            blend.setColorAt(place, color)
        painter.fillRect(band, blend)
        painter.setPen(strong)
        painter.drawRect(band.adjusted(0, 0, -1, -1))
        painter.setPen(theme().color("muted"))
        painter.setFont(sans_font(SMALL - 1))
        below = self.rect().adjusted(0, band.height(), 0, 0)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "0")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self.most)
        painter.end()


class NodeTable(ReadOnlyTable):
    """A table of nodes; `picked` carries the row of a click, or the current row on Enter."""

    picked = Signal(int)

    def __init__(self, rows: TextTableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(rows, name, parent=parent)
        self.setSelectionMode(ReadOnlyTable.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names of nodes are paths
        self.clicked.connect(lambda index: self.picked.emit(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.picked.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class HeatPanel(QWidget):
    """Colors the graph by `heat`; `revealRequested` carries the node of a chosen row."""

    revealRequested = Signal(object)  # noqa: N815

    def __init__(self, model: GraphModel, heat: NodeCosts, worker: WorkerClient, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self.heat, self._worker = model, heat, worker
        self.coloring = HeatColoring(heat)
        self._places: list[int] = []
        self._devices_requested = False
        measures = (self.tr("Time"), "time"), (self.tr("Bytes"), "bytes"), (self.tr("Rounding"), "error")
        self.measure = combo_box(self.tr("Measure that colors the graph"), measures)
        self.phase = combo_box(self.tr("Phase that was measured"))
        self.provider = combo_box(self.tr("Provider to measure on"), [(self.tr("CPU"), "cpu")])
        self.run = button(self.tr("Measure"), "play", clicked=heat.run)
        self.cancel = button(self.tr("Cancel"), "stop", clicked=heat.measurements.cancel)
        self.progress = progress_bar(self.tr("Progress of the measurement"), height=6)
        self.description = label("", "small", wrap=True)
        self.legend = HeatLegend(self.coloring)
        self._times = (self.tr("Node"), self.tr("Share"), self.tr("Median"), self.tr("Calls"))
        self._bytes = (self.tr("Node"), self.tr("Share"), self.tr("Bytes"), "")
        self._errors = (self.tr("Node"), self.tr("Error"), self.tr("Bits"), "")
        self._rows = TextTableModel(self._times, numbers=(1, 2, 3))
        self.table = NodeTable(self._rows, self.tr("Nodes, most expensive first"))
        self.table.horizontalHeader().setMinimumSectionSize(5 * G)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        choices = hbox(self.measure, self.phase, self.provider, spacing=G // 2)
        parts = (choices, self.description, self.progress, self.run, self.cancel, self.legend, (self.table, 1))
        filler = Stretch(0)  # where there is no table
        vbox(*parts, filler, parent=self, spacing=G // 2)

    def _connect(self) -> None:
        self.measure.activated.connect(lambda _index: self.heat.choose(self.measure.currentData()))
        self.phase.activated.connect(lambda _index: self.heat.choose_phase(self.phase.currentData()))
        self.provider.activated.connect(lambda _index: self.heat.choose_provider(self.provider.currentData()))
        self.table.picked.connect(self._on_picked)
        self.heat.changed.connect(self.refresh)
        self._model.selectionChanged.connect(self._on_selection)

    def switch(self, on: bool) -> None:
        """Switches the coloring of the graph on or off."""
        self.heat.choose(self.measure.currentData() if on else "")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._devices_requested:
            self._devices_requested = True
            self._worker.request(ListDevices()).on_answer(self._on_devices)

    def _on_devices(self, report: DevicesReport) -> None:
        for one in report.devices:
            if one.usable and self.provider.findData(one.name) < 0:
                self.provider.addItem(one.title, one.name)

    def _on_picked(self, row: int) -> None:
        if row < len(self._places) and self._places[row] >= 0:
            self.revealRequested.emit(self._places[row])

    def _on_selection(self, key: BoxKey | None) -> None:
        row = self._places.index(key) if isinstance(key, int) and key in self._places else -1
        if row < 0:
            self.table.clearSelection()
        elif self.table.currentIndex().row() != row or not self.table.selectionModel().hasSelection():
            self.table.selectRow(row)
            self.table.scrollTo(self._rows.index(row, 0))

    # -- texts and rows ----------------------------------------------------------------------------------------

    def refresh(self) -> None:
        heat = self.heat
        busy, progress = heat.measurements.running, heat.measurements.progress
        self.progress.setVisible(busy)
        self.progress.setRange(0, int(progress.total or 0) if progress else 0)
        self.progress.setValue(int(progress.done) if progress else 0)
        self.cancel.setVisible(busy)
        self.run.setVisible(not busy)
        self.run.setEnabled(self._model.where is not None)
        self.run.setText(self._button_text())
        self._fill_phases()
        self.description.setText(progress.message if progress is not None else heat.failed or self._description())
        self.legend.setVisible(bool(heat.values))
        self.legend.show_most(self.coloring.text(heat.most))
        {"bytes": self._fill_bytes, "error": self._fill_errors}.get(heat.measure, self._fill_times)()
        self.table.setColumnHidden(CALLS_COLUMN, not self._shows_calls())
        self.table.setVisible(bool(self._places))
        self._on_selection(self._model.selected)

    def _fill_phases(self) -> None:
        profiles, shown = self.heat.profiles, self.heat.profile
        names = {
            "prefill": self.tr("Prefill"),
            "decode": self.tr("Decode"),
            "source": self.tr("Source"),
            "run": self.tr("Run"),
        }
        self.phase.clear()
        for one in profiles:
            self.phase.addItem(names.get(one.phase, one.phase), one.phase)
        self.phase.setCurrentIndex(profiles.index(shown) if shown is not None else -1)
        timed = self.heat.measure != "error"
        self.phase.setVisible(len(profiles) > 1 and timed)
        self.provider.setVisible(timed)

    def _button_text(self) -> str:
        if self.heat.measure == "error":
            return self.tr("Read the weights again") if self.heat.rounded is not None else self.tr("Read the weights")
        return self.tr("Measure again") if self.heat.profiles else self.tr("Measure the nodes")

    def _description(self) -> str:
        profile = self.heat.profile
        if self.heat.measure == "error":
            if self.heat.rounded == []:
                return self.tr("No weight of this graph is quantized.")
            return self.tr("Expected rounding error of a weight: the step of its grid / √12.")
        if profile is None and self.heat.measure == "bytes":
            return self.tr("Weights, and activations with a known shape; after a measurement, all activations.")
        if profile is None:
            return self.tr("Not measured yet: a measurement runs three chunks and eight steps in a separate process.")
        runs = pluralize(profile.runs, self.tr("1 run"), self.tr("{0} runs"))
        nodes_us = sum(row.time.median_us * row.time.calls for row in self.heat.rows) / profile.runs
        text = self.tr("Shares of {0}, the time of all nodes in a run. With profiling, a run takes {1} ({2}).")
        text = text.format(format_microseconds(nodes_us), format_microseconds(profile.run_us), runs)
        made = sum(row.place < 0 for row in self.heat.rows)
        if made:
            one = self.tr("1 node was created by onnxruntime and is not in this graph.")
            text += " " + pluralize(
                made, one, self.tr("{0} nodes were created by onnxruntime and are not in this graph.")
            )
        return text + (" " + self.tr("A comparison has its own colors.") if self._model.diff is not None else "")

    def _shows_calls(self) -> bool:
        """Whether some node runs more or less than once per run; otherwise the column is hidden."""
        profile = self.heat.profile
        if profile is None or not self._rows.headings[CALLS_COLUMN]:
            return False
        return any(row.time.calls != profile.runs for row in self.heat.rows)

    def _fill_times(self) -> None:
        rows, tints = [], []
        for row in self.heat.rows:
            one = row.time
            share, median = f"{format_number(100 * one.share, 1)} %", format_microseconds(one.median_us)
            rows.append((self._node_text(row.place, one.name), share, median, format_number(one.calls)))
            tints.append("muted" if row.place < 0 else "")
        self._rows.headings = list(self._times)
        self._places = [row.place for row in self.heat.rows]
        self._rows.fill(rows, tints)

    def _fill_bytes(self) -> None:
        heat = self.heat
        ordered = sorted((place for place, value in heat.values.items() if value), key=lambda p: -heat.values[p])
        self._places = ordered
        self._rows.headings = list(self._bytes)
        self._rows.fill(
            [
                (
                    self._node_text(p, ""),
                    f"{format_number(100 * heat.values[p] / heat.total, 1)} %",
                    format_bytes(heat.values[p]),
                    "",
                )
                for p in ordered
            ]
        )

    def _fill_errors(self) -> None:
        graph, rounded = self._model.graph, self.heat.rounded or []
        places = {node.name: node.index for node in graph.nodes} if graph is not None else {}
        self._places = [places.get(one.node, -1) for one in rounded]
        self._rows.headings = list(self._errors)
        rows = [
            (self._node_text(place, one.node), self.coloring.text(one.error), str(one.bits), "")
            for place, one in zip(self._places, rounded, strict=True)
        ]
        self._rows.fill(rows)

    def _node_text(self, place: int, name: str) -> str:
        """The operator and scope of a node, which say more than its name; the name of a node outside the graph."""
        graph = self._model.graph
        if graph is None or place < 0:
            return name
        node = graph.nodes[place]
        return f"{node.op}  {node.scope or node.name}"
