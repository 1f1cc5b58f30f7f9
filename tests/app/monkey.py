"""Random presses, keys and sizes over all pages of a window, and what must hold of its texts all the while.

    python -m tests.app.monkey --seed 0 --count 10000          (with DISPLAY: in a real X server)

Nothing outside of the window is touched: file dialogs are answered by nothing, no browser starts, and the workers are
fakes, so that no package is installed and no bundle deleted. Prints resident memory as it goes.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from PySide6.QtCore import QPoint, QRect, Qt, QTimer, qInstallMessageHandler
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from app.main import application
from tests.app.sequences import Walk, process, use_display, walk
from tests.app.test_keyboard import fields

SIZES = ((1024, 700), (1280, 800), (1600, 900))
CONTROL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)
Key = Qt.Key
KEYS = (
    *((key, NONE) for key in (Key.Key_Tab, Key.Key_Return, Key.Key_Space, Key.Key_Escape, Key.Key_F1, Key.Key_F8)),
    *((key, NONE) for key in (Key.Key_Up, Key.Key_Down, Key.Key_Left, Key.Key_Right, Key.Key_Delete, Key.Key_A)),
    *((Key(Key.Key_1 + page), CONTROL) for page in range(7)),
    *((key, CONTROL) for key in (Key.Key_K, Key.Key_N, Key.Key_R, Key.Key_E, Key.Key_L, Key.Key_F, Key.Key_D)),
    *((key, CONTROL) for key in (Key.Key_Z, Key.Key_B, Key.Key_Comma)),
    (Key.Key_Tab, SHIFT),
)
"""No key closes the window: a monkey that leaves has nothing more to press."""


class Monkey:
    """Acts in the window of a walk."""

    def __init__(self, walk: Walk, seed: int) -> None:
        self.walk, self.window = walk, walk.window
        self.random = random.Random(seed)
        self._actions: list[tuple[int, Callable[[], object]]] = [
            (50, self._press_field),
            (12, self._press_anywhere),
            (25, self._press_key),
            (3, self._turn_wheel),
            (1, self._resize),
            (6, walk.act),
            (3, lambda: walk.wait(0.01)),
        ]
        self._popups = QTimer(self.window, interval=20)
        self._popups.timeout.connect(self._answer_popup)  # a menu has an event loop of its own
        self._popups.start()

    def act(self) -> None:
        """One action; then what holds of the window's texts."""
        self.walk.done[:-40] = []
        (act,) = self.random.choices([act for _, act in self._actions], [weight for weight, _ in self._actions])
        self.walk.done.append(getattr(act, "__name__", "act"))
        act()
        process()
        if self.window.stack.currentWidget() is not None:
            self.walk.check()

    @property
    def _front(self) -> QWidget:
        """The dialog in front, or the window."""
        modal = QApplication.activeModalWidget()
        others = [one for one in self.window.findChildren(QDialog) if one.isVisible()]
        return modal or (self.random.choice(others) if others and self.random.random() < 0.7 else self.window)

    def _press_field(self) -> None:
        front = self._front
        within = sorted(
            (one for one in fields(front) if not one.visibleRegion().isEmpty()),
            key=lambda one: (one.mapTo(front, QPoint()).toTuple(), type(one).__name__),
        )
        if within:
            one = self.random.choice(within)
            self.walk.done.append(one.accessibleName() or type(one).__name__)
            QTest.mouseClick(one, Qt.MouseButton.LeftButton, NONE, self._point(one.rect()))

    def _press_anywhere(self) -> None:
        front = self._front
        place = self._point(front.rect())
        target = front.childAt(place) or front
        QTest.mouseClick(target, Qt.MouseButton.LeftButton, NONE, target.mapFrom(front, place))

    def _point(self, area: QRect) -> QPoint:
        return QPoint(self.random.randrange(max(1, area.width())), self.random.randrange(max(1, area.height())))

    def _press_key(self) -> None:
        key, modifier = self.random.choice(KEYS)
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def _turn_wheel(self) -> None:
        front = self._front
        place = front.mapTo(front.window(), self._point(front.rect()))
        QTest.wheelEvent(front.window().windowHandle(), place, QPoint(0, self.random.choice((-240, 240))))

    def _resize(self) -> None:
        self.window.resize(*self.random.choice(SIZES))

    def _answer_popup(self) -> None:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            QTest.keyClick(popup, self.random.choice((Key.Key_Down, Key.Key_Down, Key.Key_Return, Key.Key_Escape)))


def shield() -> None:
    """Answers what would leave the window."""
    nothing: Any = lambda *_, **__: ("", "")  # noqa: E731
    QFileDialog.getOpenFileName = QFileDialog.getSaveFileName = nothing
    QFileDialog.getOpenFileNames = lambda *_, **__: ([], "")  # type: ignore[method-assign]
    QFileDialog.getExistingDirectory = lambda *_, **__: ""  # type: ignore[method-assign]
    QDesktopServices.openUrl = lambda *_: True  # type: ignore[method-assign]


def main(arguments: list[str]) -> int:
    """Ends with 1 and the last actions if a text is not true or an exception is raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args(arguments)
    use_display()
    application()
    shield()
    raised: list[object] = []
    sys.excepthook = lambda kind, error, trace: (raised.append(error), sys.__excepthook__(kind, error, trace))

    def note(_kind: object, where: Any, text: str) -> None:
        # a machine without sound lacks libraries, of which Qt warns at the first page that plays
        machine = (where.category or "").startswith("qt.multimedia") or text.startswith("PulseAudioService")
        if not machine and not any(
            one in text for one in ("Keyboard event not accepted", "This plugin does not support")
        ):
            raised.append(text)
            print("Qt:", text, flush=True)

    qInstallMessageHandler(note)
    began, me = time.monotonic(), psutil.Process()
    with tempfile.TemporaryDirectory() as folder, walk(Path(folder), options.seed) as one:
        monkey = Monkey(one, options.seed)
        for number in range(options.count):
            if number % 200 == 0:
                print(f"{number:6} {me.memory_info().rss >> 20} MiB {time.monotonic() - began:.0f} s", flush=True)
            monkey.act()
            if raised:
                print(f"action {number}, after", ", ".join(one.done))
                return 1
    print(f"{options.count} actions, no exception ({time.monotonic() - began:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
