"""Charts in words: their range and median, and the point that the arrow keys selected."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from app.measure.accuracy.layer_chart import LayerChart
from app.measure.charts.chart_description import ChartDescription, range_text
from app.measure.divergence.growth_chart import MAX_LABELS, GrowthChart, power_ticks
from app.measure.history.latency_curves import LatencyCurves
from app.text.formatting import format_latency
from tests.fakes.accuracy import report as accuracy_report
from tests.fakes.divergence import FIRST
from tests.fakes.divergence import report as divergence_report
from tests.workflows.measure.run_reports import generation


def described(widget: QWidget) -> str:
    """What a screen reader gets."""
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    return interface.text(QAccessible.Text.Description)


def test_a_range_has_its_median_and_nothing_has_none() -> None:
    assert range_text("latency", [4.0, 9.0, 5.0], format_latency) == "latency: from 4.00 ms to 9.00 ms, median 5.00 ms."
    assert range_text("latency", [], format_latency) == "latency: no values."


def test_arrow_keys_select_a_point_until_others_come(qtbot: Any) -> None:
    marked = list[int]()

    class Chart(QWidget):
        def keyPressEvent(self, event: Any) -> None:
            assert description.handle_key(event) == (event.key() != Qt.Key.Key_Up)

    chart = Chart()
    qtbot.addWidget(chart)
    description = ChartDescription(chart, marked.append)
    description.show("Three.", 3, lambda index: f"point {index}")
    keys = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left)
    for key in keys:
        qtbot.keyClick(chart, key)
    assert marked == [-1, 2, 2, 1, 0, 0] and described(chart) == "Three. Selected: point 0"
    description.show("Two.", 2, str)
    assert described(chart) == "Two." and marked[-1] == -1


def test_curves_say_the_latency_of_each_token(qtbot: Any) -> None:
    curves = LatencyCurves()
    qtbot.addWidget(curves)
    curves.show_reports([generation("slow", [90, 10, 20, 40]), generation("fast", [9, 4, 5])])
    slow, fast = curves.legend.names
    assert described(curves.plot).startswith(f"{slow}: from 10.0 ms to 40.0 ms, median 20.0 ms. {fast}: from 4.00 ms")
    for _ in range(3):
        qtbot.keyClick(curves.plot, Qt.Key.Key_Right)
    assert described(curves.plot).endswith(f"Selected: token 2: {slow} 40.0 ms")  # the fast one has but two
    assert curves.point_line.isVisible() and curves.point_line.value() == 2


def test_the_growth_says_where_the_two_differ(qtbot: Any) -> None:
    chart = GrowthChart()
    qtbot.addWidget(chart)
    report = divergence_report()
    chart.show_report(report)
    assert f"B first differs at depth {FIRST}." in described(chart) and described(chart).startswith(
        "largest difference"
    )
    for _ in range(FIRST):
        qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert described(chart).endswith(f"Selected: depth {FIRST}, node_matmul_9_1: 0.012")
    assert chart.point_line.value() == FIRST


def test_labels_of_powers_do_not_lie_over_each_other(qtbot: Any) -> None:
    assert power_ticks(2e-7, 0.1) == [(-7, "10⁻⁷"), (-5, "10⁻⁵"), (-3, "10⁻³"), (-1, "10⁻¹")]
    assert power_ticks(1.0, 1.0) == [(0, "10⁰"), (1, "10¹")]
    assert len(power_ticks(1e-9, 1e30)) <= MAX_LABELS
    chart = GrowthChart()
    qtbot.addWidget(chart)
    chart.resize(600, 160)
    chart.show()
    report = divergence_report()
    report.curve = [(1, 1e-9), (2, 1e4)]
    chart.show_report(report)
    ticks = [at for at, _ in power_ticks(1e-9, 1e4)]
    pixels = [chart.getViewBox().mapViewToDevice(QPointF(0, at)).y() for at in ticks]
    assert min(high - low for high, low in pairwise(pixels)) > chart.fontMetrics().height()


def test_layers_say_their_losses(qtbot: Any) -> None:
    chart = LayerChart()
    qtbot.addWidget(chart)
    layers = accuracy_report().layers
    chart.show_layers(layers)
    assert described(chart).startswith("hidden state: from ")
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    loss = 1 - (layers[0].hidden_cosine or 0)
    assert f"Selected: layer {layers[0].layer}: hidden state {loss:.3g}, keys" in described(chart)
