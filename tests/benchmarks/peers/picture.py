"""A picture of the table: bars of each engine's figure over Joinery's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyqtgraph as pg
from pyqtgraph.exporters import ImageExporter

from tests.benchmarks.peers.environments import PEERS
from tests.benchmarks.peers.rounds import Log
from tests.benchmarks.peers.rows import ROWS, Row
from tests.benchmarks.peers.table import ratios

COLOURS = dict(zip(PEERS, ("#30577f", "#c8793a", "#7a9a5b", "#8b6f9e", "#9a9a9a"), strict=True))
MOST = 3.0  # a bar that is longer is cut
TITLE = f"each engine's figure over Joinery's: above 1 it is slower or larger; cut at {MOST:g}"


def draw(log: Log, engines: Sequence[str], file: Path) -> None:
    """Writes a PNG with the rows that cost something: time, memory, disk. Needs a Qt platform, offscreen will do."""
    application = pg.mkQApp()
    pg.setConfigOptions(background="w", foreground="k", antialias=True)
    medians = log.medians()
    rows = [row for row in ROWS if row.unit in ("ms", "s", "GB", "MB") and len(medians.get(row.key, {})) > 1]
    plot = pg.PlotWidget(title=TITLE)
    plot.resize(1600, 700)
    plot.addLegend(offset=(-10, 10))
    for number, engine in enumerate(engines):
        plot.addItem(_bars(engine, number - len(engines) / 2, 0.8 / len(engines), rows, medians))
    plot.getAxis("bottom").setTicks([[(at, row.key.replace("_", " ")) for at, row in enumerate(rows)]])
    plot.setYRange(0, MOST, padding=0)
    plot.addLine(y=1, pen="k")
    plot.show()
    application.processEvents()
    ImageExporter(plot.plotItem).export(str(file))


def _bars(
    engine: str, offset: float, width: float, rows: Sequence[Row], medians: Mapping[str, Mapping[str, float]]
) -> pg.BarGraphItem:
    found = {at: ratios(medians[row.key]).get(engine) for at, row in enumerate(rows)}
    known = {at + (offset + 0.5) * width: min(ratio, MOST) for at, ratio in found.items() if ratio is not None}
    return pg.BarGraphItem(
        x=list(known), height=list(known.values()), width=width * 0.9, brush=COLOURS[engine], pen=None,
        name=PEERS[engine].title,
    )  # fmt: skip
