"""The history of runs as a person feels it: 1,000 runs of 500 steps, offscreen.

    python -m tests.benchmarks.history [--runs 1000] [--steps 500] [--rounds 5]

Prints milliseconds from the tab's coming to the front to the filled table, of a reading from the file to the table, of
a filter, a sort, a selection's curves and the live appearance of a run; and the longest time that the event loop was
away. Asserts no clock.
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
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.main import PAGES, application
from app.measure.history.tab import HistoryTab
from app.state.context import AppContext
from app.window import MainWindow
from tests.app.conftest import fake_summary
from tests.benchmarks.heartbeat import Heartbeat
from tests.fakes.runs import history
from tests.fakes.worker import program
from workflows.measure.history import DATABASE_FILE, RunHistory


def rest(seconds: float) -> None:
    """Lets the window live."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def until(done: Callable[[], object]) -> None:
    """Lets the window live until `done`."""
    while not done():
        rest(0.001)


def painted(widget: QWidget) -> None:
    """What was asked for is on the screen."""
    QApplication.processEvents()
    widget.repaint()


def once(home: Path, pulse: Heartbeat) -> dict[str, float]:
    """Milliseconds of each thing, in a window of its own."""
    context = AppContext(home, program(), fake_summary)
    window = MainWindow(context, PAGES)
    window.show()
    window.show_page("measure")
    page = window.stack.page("measure")
    tab: HistoryTab = page.history  # type: ignore[attr-defined]
    until(lambda: page.speed.plots is not None)  # type: ignore[attr-defined]
    rest(0.5)
    found = dict[str, float]()

    def timed(name: str, act: Callable[[], object], done: Callable[[], object]) -> None:
        pulse.doing = name
        began = time.perf_counter()
        act()
        until(done)
        painted(tab)
        found[name] = (time.perf_counter() - began) * 1000
        rest(0.2)

    rows, lines = tab.table.lines, context.history.lines
    pulse.start()
    timed("open", lambda: page.tabs.setCurrentWidget(tab), lambda: rows.rowCount())  # type: ignore[attr-defined]
    lines = context.history.lines
    timed("read", context.history.read, lambda: context.history.lines is not lines)
    lines = context.history.lines
    timed("filter", lambda: tab.filters.field.setText("int4 cpu"), lambda: 0 < len(rows.matches) < len(lines))
    timed("clear", lambda: tab.filters.field.setText(""), lambda: len(rows.matches) == len(lines))
    timed("sort", lambda: tab.table.sortByColumn(6, tab.table.horizontalHeader().sortIndicatorOrder()), lambda: True)
    timed("select all", tab.table.selectAll, lambda: not tab._settle.isActive())
    drawn = [one.run.id for one in lines if one.run.kind == "generate"][:8]
    tab.views.setCurrentIndex(1)
    timed("curves", lambda: tab.table.select(set(drawn)), lambda: tab.views.curves is not None)
    timed("scatter", lambda: tab.views.setCurrentIndex(2), lambda: tab.views.scatter.dots is not None)
    fresh = replace(lines[0].run, id=f"new{time.monotonic_ns()}")
    count = len(lines)
    timed("live", lambda: RunHistory(home / DATABASE_FILE).add(fresh), lambda: len(rows.matches) > count)
    pulse.stop()
    window.close()
    rest(0.05)
    return found


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("runs", 1000), ("steps", 500), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    application()
    pulse, rounds, worst = Heartbeat(), list[dict[str, float]](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        began = time.perf_counter()
        history(home, options.runs, options.steps)
        sys.stdout.write(
            f"written in {time.perf_counter() - began:.1f} s, {(home / DATABASE_FILE).stat().st_size >> 20} MiB\n"
        )
        for _ in range(options.rounds):
            rounds.append(once(home, pulse))
            gap, own = pulse.worst(1)[0], max(pulse.gaps, key=lambda one: one.own)
            worst.append(f"{gap.wall:.0f} ms ({gap.own:.0f} ms its own, at {gap.doing!r})")
            worst.append(f"{own.own:.0f} ms its own, at {own.doing!r}")
    for name in rounds[0]:
        values = [one[name] for one in rounds]
        sys.stdout.write(f"{name:>10}: median {statistics.median(values):.0f} ms, worst {max(values):.0f} ms\n")
    sys.stdout.write(f"event loop away at most: {'; '.join(worst)}; load {os.getloadavg()[0]:.1f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
