"""The graph view as a person feels it, offscreen: opening, panning, zooming, opening scopes, the difference, stalls.

    python -m tests.benchmarks.graph [--nodes 4000 20000]

The worker is the fake one: it sends a graph of that size that it has read before. Prints figures and asserts no clock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from app.inspect.graph.graph_tab import GraphTab
from app.jobs.worker_client import WorkerClient
from app.main import application
from app.startup.preload import freeze_garbage
from tests.benchmarks.heartbeat import Heartbeat
from tests.fakes.graphs import decoder_graph, diff_of, flat_graph
from tests.fakes.worker import program
from workflows.wire.codec import dumps
from workflows.wire.reports.graphs import GraphReport
from workflows.wire.requests import GraphReference, ShowGraph

FRAMES, WORST = 40, 8


def until(done: Callable[[], object], seconds: float = 60) -> None:
    """Lets the window live until `done`."""
    end = time.monotonic() + seconds
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if done() or time.monotonic() > end else None)
    timer.start(1)
    if not done():
        loop.exec()


def rest(seconds: float = 0.1) -> None:
    """Lets the window live, so that what follows an act counts as its own."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def frames(act: Callable[[], object]) -> str:
    """Milliseconds of a step and its picture: median and worst."""
    times = []
    for _ in range(FRAMES):
        began = time.perf_counter()
        act()
        QApplication.processEvents()
        times.append((time.perf_counter() - began) * 1000)
    return f"median {statistics.median(times):.1f} ms, worst {max(times):.1f} ms"


class Scene:
    """One size and shape of graph in a tab of its own."""

    def __init__(self, name: str, answer: GraphReport, folder: Path) -> None:
        self.name, self.beat = name, Heartbeat()
        graph, diff = folder / f"{name}.json", folder / f"{name}-diff.json"
        graph.write_text(dumps(answer))
        diff.write_text(dumps(diff_of(answer)))
        self.bytes = graph.stat().st_size
        self.worker = WorkerClient(program(graph=str(graph), diff=str(diff)))
        warm: list[object] = []
        self.worker.request(ShowGraph(GraphReference("/warm"))).finished.connect(warm.append)
        until(lambda: warm)
        warm.clear()
        self.tab = GraphTab(self.worker, folder)
        self.tab.resize(1280, 800)
        self.tab.show()
        freeze_garbage()

    def timed(self, doing: str, act: Callable[[], object], done: Callable[[], object]) -> float:
        """Seconds from an act to the picture of what came of it."""
        self.beat.doing = doing
        began = time.perf_counter()
        act()
        until(done)
        QApplication.processEvents()
        return time.perf_counter() - began

    def run(self) -> None:
        """All figures of it."""
        tab, model, canvas = self.tab, self.tab.model, self.tab.view.canvas
        self.beat.start()
        opened = self.timed("opening", lambda: tab.show_graph("/b", "decode"), lambda: model.scene is not None)
        nodes = len(model.graph.nodes) if model.graph else 0
        say(f"{self.name}: {nodes:,} nodes, {self.bytes / 1e6:.1f} MB of JSON")
        say(f"  open, with the fake worker's own time      {opened:.2f} s")
        every = self.timed("all scopes", tab.navigation.open_all, lambda: not model.busy)
        say(f"  every scope open                           {every:.2f} s")
        for scale in (0.1, 0.3, 0.6, 1.0):
            canvas.zoom_to(1.0)
            canvas.center_on(nodes // 2)
            canvas.zoom_to(scale)
            self.beat.doing = f"panning at {scale}"
            say(f"  pan at {scale:<4}                                {frames(lambda: canvas.pan(9, -23))}")
        canvas.fit()
        self.beat.doing = "panning at fit"
        say(f"  pan, the whole graph fitted                {frames(lambda: canvas.pan(1, -3))}")
        self.beat.doing = "zooming"
        say(f"  zoom                                       {frames(lambda: canvas.zoom(1.03))}")
        self.timed("closing", tab.navigation.close_all, lambda: not model.busy)
        again = self.timed("all scopes again", tab.navigation.open_all, lambda: not model.busy)
        say(f"  every scope again                          {again:.2f} s")
        for key in ("model", "", nodes // 2):
            self.timed(f"selecting {key!r}", partial(model.select, key), lambda: True)
            rest()
        for words in ("mul", "layers.1", "nothing at all"):
            self.timed(f"looking for {words!r}", partial(self._look, words), lambda: not model.busy)
            rest()
        for on in (not model.folds, model.folds):
            self.timed(f"folds {on}", partial(tab.model.set_folds, on), lambda: not model.busy)
            rest()
        self.timed("closing again", tab.navigation.close_all, lambda: not model.busy)
        first = GraphReference("/b", "decode", "export")
        diff = self.timed("diff", lambda: model.compare(first), lambda: model.diff is not None)
        say(f"  difference, with the fake worker's time    {diff:.2f} s")
        back = self.timed("back", lambda: model.compare(None), lambda: model.diff is None)
        again = self.timed("diff again", lambda: model.compare(first), lambda: model.diff is not None)
        say(f"  back {back:.2f} s, and the difference again       {again:.2f} s")
        self.beat.stop()
        figures = self.beat.figures()
        say(f"  longest stalls (limit 50 ms: {figures['over_limit']:.0f} over it):")
        for gap in self.beat.worst(WORST):
            say(f"    {gap.wall:.0f} ms ({gap.own:.0f} ms our own) while {gap.doing}")

    def _look(self, words: str) -> None:
        self.tab.node_search.field.setText(words)
        self.tab.node_search.search()

    def close(self) -> None:
        """Ends the worker."""
        self.worker.close()
        self.tab.deleteLater()


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(argv: list[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="*", default=[4000, 20_000])
    options = parser.parse_args(argv)
    application()
    say(f"load average {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for nodes in options.nodes:
            for name, make in (("decoder", decoder_graph), ("flat", flat_graph)):
                scene = Scene(f"{name}-{nodes}", make(nodes), Path(folder))
                scene.run()
                scene.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
