"""What a switch of the theme costs the GUI thread, on a window whose pages are all built and filled.

    python -m tests.benchmarks.theme [--rounds 5] [--profile]

Prints milliseconds, and asserts no clock: of the switch itself, of the repaint that follows, and of the first look at
each page that was hidden while it happened.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.main import application
from app.window import MainWindow
from tests.app.pictures import chat, compared_bundles, inspected, on_card, until, wait, window_over
from tests.fakes.inspections import BUNDLE

SCENARIO = {"reply": "A cache keeps the keys and values of each token seen. " * 20, "tokens": 400, "inspection": BUNDLE}


def fill(window: MainWindow, home: Path) -> None:
    """Every page has been seen and has something to show; the chat has ten replies."""
    for prepare in (compared_bundles(), inspected, on_card("qnn", "check")):
        prepare(window, home)
    window.show_page("build")
    chat("What is a KV cache?")(window, home)
    for _ in range(9):
        window.stack.page("chat").send("And then?")  # type: ignore[attr-defined]
        until(lambda: not window.context.session.busy, "the reply")
    window.show_page("measure")
    wait(0.5)


def took(act: Callable[[], object]) -> float:
    """Milliseconds of this thread on a core: what other processes take is not in it."""
    begun = time.thread_time()
    act()
    return (time.thread_time() - begun) * 1000


def live() -> None:
    """Whatever was posted and is to be painted."""
    for _ in range(3):
        QApplication.sendPostedEvents()
        QApplication.processEvents()


def spread(name: str, values: list[float]) -> None:
    """One line."""
    sys.stdout.write(f"{name:<28} median {statistics.median(values):6.0f} ms, worst {max(values):6.0f} ms\n")


def run(window: MainWindow, rounds: int) -> None:
    """Switches on each page, then looks at the others."""
    for front in window.stack.names:
        switch, paint, others = list[float](), list[float](), list[float]()
        for turn in range(rounds):
            window.show_page(front)
            live()
            mode = "dark" if turn % 2 == 0 else "light"
            switch.append(took(lambda mode=mode: window.set_theme(mode)))
            paint.append(took(live))
            for name in window.stack.names:
                if name != front:
                    others.append(took(lambda name=name: (window.show_page(name), live())))
        spread(f"{front}: switch", switch)
        spread(f"{front}: then painting", paint)
        spread("   another page, first seen", others)


def main(argv: list[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="where the time of one switch goes, in Python")
    options = parser.parse_args(argv)
    application()
    with window_over(SCENARIO) as (window, home):
        fill(window, home)
        sys.stdout.write(f"{len(QApplication.allWidgets())} widgets, load {os.getloadavg()[0]:.1f}\n")
        run(window, options.rounds)
        if options.profile:
            profile = cProfile.Profile()
            profile.runcall(lambda: (window.set_theme("dark"), live()))
            pstats.Stats(profile).sort_stats("tottime").print_stats(12)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
