"""The end of standard input, by which a program that was started notices that its starter is done with it or gone."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


def call_at_eof(act: Callable[[], object]) -> None:
    """Calls `act` from a thread at the end of standard input; what comes before it is dropped."""

    def wait() -> None:
        while os.read(0, 4096):  # unbuffered: the thread may be in it when Python ends
            pass
        act()

    threading.Thread(target=wait, daemon=True).start()
