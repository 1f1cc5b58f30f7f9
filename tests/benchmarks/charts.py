"""The measure page with very many steps: what a frame costs the GUI thread, and what a person's zoom does.

    python -m tests.benchmarks.charts [--steps 100000] [--run 500] [--frames 100]

    Measurements ◀── steps of two bundles in turn;  each frame: ten tokens more, one tick, one painting of the plots

Prints figures and asserts no clock. On a busy machine the clock is another's too; the thread's own time is ours.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from app.main import application
from app.measure.charts.speed_tab import SpeedTab
from app.state.context import AppContext
from app.state.measured_runs import RunConfiguration
from app.state.measurements import Measurements
from tests.benchmarks.window_scenes import live, until
from tests.fakes.worker import program
from workflows.wire.events import ChunkEvent, TokenEvent

FP32 = RunConfiguration("/bundles/demo", "demo", "fp32", "cpu", "static", 4096)
INT4 = replace(FP32, path="/bundles/demo-int4", name="demo-int4", precision="int4")
CHUNKS = 4


def token(step: int) -> TokenEvent:
    """A token of 4 to 6.5 ms."""
    return TokenEvent(
        id=step,
        text="ab",
        step=step,
        phase="decode" if step else "prefill",
        latency_ms=4 + step * 7 % 11 / 4,
        cache_used=64 * CHUNKS + step,
        cache_capacity=4096,
    )


def fill(m: Measurements, steps: int, run: int) -> None:
    """Whole runs of `run` steps, of the two bundles in turn."""
    for number in range(steps // run):
        m.owner = (FP32, INT4)[number % 2]
        m.begin()
        m.add_memory(500 << 20)
        for i in range(CHUNKS):
            m.add_chunk(
                ChunkEvent(start=64 * i, tokens=64, total=256, latency_ms=20.0, cache_used=64, cache_capacity=4096)
            )
        for step in range(run - CHUNKS):
            m.add_token(token(step))
        m.end()


Cost = tuple[float, float]
"""Milliseconds: on the clock, and of this thread's own work."""


def timed(act: Callable[[], object]) -> Cost:
    """What it took."""
    wall, own = time.perf_counter(), time.thread_time()
    act()
    return (time.perf_counter() - wall) * 1000, (time.thread_time() - own) * 1000


def say(name: str, costs: list[Cost]) -> None:
    """One line of figures."""
    walls, owns = ([cost[i] for cost in costs] for i in (0, 1))
    over = sum(wall > 50 for wall in walls)
    sys.stdout.write(
        f"{name:28} own median {statistics.median(owns):5.1f} ms, worst {max(owns):5.1f}; "
        f"clock median {statistics.median(walls):5.1f}, over 50 ms: {over} of {len(walls)}; "
        f"load {os.getloadavg()[0]:.1f}\n"
    )


def frames(page: SpeedTab, count: int) -> None:
    """While a reply runs: a frame is a tick and a painting."""
    m, plots = page.measurements, page.plots
    assert plots is not None
    ticks, paints = [], []
    m.begin()
    for frame in range(count):
        for step in range(10):
            m.add_token(token(frame * 10 + step))
        ticks.append(timed(page.tick))
        paints.append(timed(plots.viewport().repaint))
    m.end()
    say(f"{page.toolbar.span.currentText()}: tick", ticks)
    say(f"{page.toolbar.span.currentText()}: painting", paints)


def main() -> None:
    """All runs, one bundle's, and zooms."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("steps", 100_000), ("run", 500), ("frames", 100)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    application()
    with tempfile.TemporaryDirectory() as folder:
        context = AppContext(Path(folder), program())
        page = SpeedTab(context)
        page.resize(1280, 800)
        page.show()
        until(lambda: page.plots is not None or not page.loader.importing)
        page._timer.stop()
        fill(page.measurements, asked.steps, asked.run)
        page.toolbar.choose("all")
        page.tick()
        live(0.5)  # the plots get their places
        for span in ("all", "bundle", "reply", "recent"):
            page.toolbar.choose(span)
            frames(page, asked.frames)
        page.toolbar.choose("all")
        plots = page.plots
        assert plots is not None
        zooms = [partial(plots.zoom_to, left, left + 40.0) for left in range(asked.frames)]
        say("zoom and its figures", [timed(zoom) for zoom in zooms])
        page.close()
        context.close()


if __name__ == "__main__":
    main()
