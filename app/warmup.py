"""Done ahead, once the window is seen: what the first click on a page would otherwise wait for.

    first picture ──▶ import slow libraries ──▶ import a page ──▶ build it ──▶ … ──▶ settle

One slice a turn of the event loop with a breath between, so that a click never waits for more than one of them.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer

FIRST_MS = 150
"""From the first picture to the first slice."""
BREATH_MS = 20
"""Between two slices."""

SLOW_IMPORTS = (
    "workflows.bundle.read",
    "numpy",
    "pyqtgraph",
    "app.scene.reader",
    "app.inspect.graph.view",
    "app.inspect.graph.tab",
    "app.inspect.kv",
)
"""What opening the first bundle, drawing the first chart and looking into the first graph would wait for."""

Slice = Callable[[], object]


def settle() -> None:
    """Takes what is there now out of the garbage collector's sight: looking it all through takes 20 ms and more."""
    gc.collect()
    gc.freeze()


class WarmUp(QObject):
    """Runs slices one after another, and `settle` last; `stop` leaves out what is left."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._slices = deque[Slice]()
        self._timer = QTimer(self, singleShot=True, interval=BREATH_MS)
        self._timer.timeout.connect(self._next)

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return not self._slices

    def start(self, slices: Iterable[Slice]) -> None:
        """The first of them comes soon."""
        self._slices.extend([*slices, settle])
        self._timer.start(FIRST_MS)

    def next(self, slices: Iterable[Slice]) -> None:
        """These come before what is left."""
        self._slices.extendleft(reversed(list(slices)))

    def stop(self) -> None:
        """No further slice."""
        self._timer.stop()
        self._slices.clear()

    def _next(self) -> None:
        if self._slices:
            self._slices.popleft()()
            self._timer.start(BREATH_MS)
